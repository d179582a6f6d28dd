package process

import (
	"runtime"
	"strings"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// misuse panics because of a mistake of the caller.
//
//go:noinline
func misuse(wrong string) { panic("gallop: process: " + wrong) }

// within says in which function of the user's a party must not be used.
type within uint8

const (
	inNothing  within = iota
	inBlocking        // the f of Proc.Blocking
	inMatch           // the match of a receive
	inTry             // the try of When
	inContext         // a context of Done
)

var withinNames = [...]string{"", "Blocking", "the match of a receive", "the try of When",
	"a method of a context"}

// lent has the values that takeBack restores.
type lent struct {
	goroutine uint64
	in        within
}

// lend makes each operation of the process panic until takeBack is called with the result. An
// operation panics in any case if the process does not run in the calling goroutine. lend records
// that the process runs in none, so the operations need no further check. Owner only.
func (p *Proc) lend(in within) lent {
	was := lent{p.goroutine.Load(), p.in}
	p.goroutine.StoreRelease(0)
	p.in = in
	return was
}

// takeBack ends lend. It is called deferred, since the user's function may have panicked. It
// unlocks a thread that was left locked, since a coroutine on it could not be switched from.
func (p *Proc) takeBack(was lent) {
	in := p.in
	p.goroutine.StoreRelease(was.goroutine)
	p.in = was.in
	if was.goroutine != 0 && seam.ThreadLocked(was.goroutine) && seam.UnlockThread() {
		misuse(withinNames[in] + " has left its thread locked (runtime.LockOSThread)")
	}
}

// lend is [Proc.lend] for a party.
func (pt *party) lend(in within) (was lent) {
	if pt.proc != nil {
		return pt.proc.lend(in)
	}
	was.in, pt.outer.in = pt.outer.in, in
	return was
}

func (pt *party) takeBack(was lent) {
	if pt.proc != nil {
		pt.proc.takeBack(was)
		return
	}
	pt.outer.in = was.in
}

// nobody stands for a nil Env or Party, so that only its misuse is slow.
var nobody = &Proc{}

// envOf returns where from is.
func envOf(from Env) (*System, *sched.Worker) {
	if isNil(from) {
		from = nobody
	}
	return from.env()
}

// enter begins an operation, which may wait. op is its name, for misuse panics.
func enter(by Party, op string) *party {
	if isNil(by) {
		by = nobody
	}
	return by.enter(op)
}

// envElsewhere is env where the process does not run as it seems. A try may unlock a [Mutex] that it
// has locked by TryLock. Anything else is a misuse.
func (p *Proc) envElsewhere() (*System, *sched.Worker) {
	if !p.isHere() || p.in != inTry || callee() != unlock {
		p.misused("")
	}
	return p.sys, p.w
}

const unlock = "Mutex.Unlock"

// isHere reports whether the calling goroutine runs the process.
func (p *Proc) isHere() bool {
	c := byGoroutine.of(seam.Goroutine())
	return c != nil && c.proc == p
}

// misused panics, since the caller is not the process. An op of "" is looked for on the stack.
//
//go:noinline
func (p *Proc) misused(op string) {
	if op == "" {
		op = callee()
	}
	switch {
	case p == nil || p == nobody:
		misuse(op + " with a nil process or system")
	case p.sys == nil:
		misuse(op + " with a zero Proc: use Go or Spawn")
	case p.isHere() && p.in != inNothing:
		misuse(op + " within " + withinNames[p.in])
	case p.state.Load() == ended:
		misuse(op + " with a process that does not run here, and has ended")
	}
	misuse(op + " with a process that does not run here")
}

// mustBeUnlocked panics if the process has locked its thread. Go ends the program if a coroutine is
// switched from a locked thread. Owner only.
func (p *Proc) mustBeUnlocked(op string) {
	if seam.ThreadLocked(p.goroutine.Load()) {
		misuse(op + " by a process that has locked its thread: " +
			"use runtime.LockOSThread within Proc.Blocking, and unlock there")
	}
}

// must panics unless ok.
func must(ok bool, wrong string) {
	if !ok {
		misuse(wrong)
	}
}

// callee returns the function of this package, or of package process/actors, that was called from
// elsewhere, like "Ref.Send".
func callee() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	name := "call"
	for f, more := frames.Next(); ; f, more = frames.Next() {
		rest, ours := strings.CutPrefix(f.Function, "github.com/gallop-go/gallop/process")
		rest, joins := strings.CutPrefix(rest, "/actors")
		if !ours || !strings.HasPrefix(rest, ".") || strings.HasSuffix(f.File, "_test.go") {
			return name
		}
		name = strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(rest[1:])
		name, _, _ = strings.Cut(name, ".func")
		if joins {
			name = "actors." + name
		}
		if !more {
			return name
		}
	}
}
