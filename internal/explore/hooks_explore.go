//go:build gallop_explore

package explore

import "github.com/gallop-go/gallop/internal/seam"

// bind makes seam's hooks stop the program's threads, until the returned function is called.
// Other goroutines go on as in a plain build: the goroutine of a late timer, for example, or one
// that an earlier test has started.
func bind(p *Program) (unbind func()) {
	hook, spin, await := seam.Hook, seam.HookSpin, seam.HookAwait
	// Excluded memory belonged to an earlier exploration, and may be in use for another purpose.
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

// arrived records that the thread which has the turn goes on in the calling goroutine. Only that
// thread runs, so the caller is its coroutine.
func (p *Program) arrived() {
	if t := p.current; t != nil {
		t.goroutine = seam.Goroutine()
	}
}

// stranger reports whether the calling goroutine is neither the thread that has the turn nor, while
// no thread has it, the explorer. A stranger may call it at any moment. The fields that it reads
// may change meanwhile, but they never have the stranger's own number.
func (p *Program) stranger() bool {
	id, ours := seam.Goroutine(), p.caller
	if t := p.current; t != nil {
		ours = t.goroutine
	}
	if id == ours {
		return false
	}
	// No thread is current while a condition is evaluated. Its accesses are not counted.
	if p.current != nil {
		p.strangers.Add(1)
	}
	return true
}
