//go:build gallop_explore

package explore

import "github.com/gallop-go/gallop/internal/seam"

// bind makes seam's hooks stop the program's threads, until the returned function is called.
// Goroutines that are none of its threads go on as in a plain build, such as one that an earlier
// test has left behind, or that of a late timer.
func bind(p *Program) (unbind func()) {
	hook, spin, await := seam.Hook, seam.HookSpin, seam.HookAwait
	// What is excluded was another exploration's, whose memory may be used again.
	seam.ExcludeNone()
	seam.Hook = func() {
		if !p.stranger() {
			p.Point()
		}
	}
	seam.HookSpin = func() {
		if p.stranger() {
			spin()
		} else {
			p.Spin()
		}
	}
	seam.HookAwait = func(cond func() bool) {
		if !p.stranger() {
			p.Await(cond)
		}
	}
	arrived := seam.HookArrived
	seam.HookArrived = p.arrived
	return func() {
		seam.HookArrived = arrived
		seam.Hook, seam.HookSpin, seam.HookAwait = hook, spin, await
		seam.ExcludeNone()
	}
}

// arrived notes that the thread that has the turn goes on in the calling goroutine, which it has
// switched to. Only that thread runs, so the caller is the one.
func (p *Program) arrived() {
	if t := p.current; t != nil {
		t.goroutine = seam.Goroutine()
	}
}

// stranger reports whether the calling goroutine is neither the thread that has the turn nor, while
// no thread has it, the explorer. A stranger may come at any moment, so what it reads of the
// program may change meanwhile, but never into its own number.
func (p *Program) stranger() bool {
	id, ours := seam.Goroutine(), p.caller
	if t := p.current; t != nil {
		ours = t.goroutine
	}
	if id == ours {
		return false
	}
	// Conditions are asked by the thread that gives way, and are no steps.
	if p.current != nil {
		p.strangers.Add(1)
	}
	return true
}
