package process

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// A system of processes may run on the scheduler of a system of actors: package process/actors
// joins the two. This file has the functions for it: see decision 42.

func init() {
	access.StartOn = startOn
	access.EnvOf = func(processes, worker any) any {
		w := worker.(*sched.Worker)
		return &turnEnv{processes.(*System), w, w.Turn()}
	}
	access.RunningOf = func(party any) (access.Running, any, bool) {
		by, _ := party.(Party)
		if isNil(by) {
			misuse(callee() + " with a nil process or system")
		}
		p := by.self()
		if p == nil {
			return nil, nil, false
		}
		return face{p}, Process{p}, true
	}
	access.OnReply = func(reply any, heard func(from, v any, err error)) {
		reply.(interface {
			onReply(heard func(from, v any, err error))
		}).onReply(heard)
	}
	access.Failed = func(party any) bool { return party.(Party).self().failed }
	access.CallLimit = func(opts any) time.Duration { return limitOf(opts.([]CallOption)) }
	access.SystemOf = systemOf
	access.SlotOf = slotOf
	access.Waits = waits
	access.CheckOptions = func(call string, options any) { apply(call, options.([]Option)) }
	access.AtEnd = atEnd
	access.EndWithin = endWithin
	access.LongTurnOf = longTurnOf
	access.TellerOf = func(self any) func(env any, wrap func() any) {
		return self.(interface {
			teller() func(env any, wrap func() any)
		}).teller()
	}
	access.Exited = func(p, env any, cause error) {
		sys, w := envOf(env.(Env))
		to := p.(Process).p
		if !to.trapped(Exit{Reason: cause}, w, sys) && cause != nil {
			to.tellToEnd(&cancel{reason: cause}, w, sys)
		}
	}
}

// joined is the additional state of a system that runs on another's scheduler. All but slot is
// read-only.
type joined struct {
	slot seam.Pointer[any] // see access.SlotOf

	actors     any    // the other system; nil: it is not joined
	told       *told  // nil: no run of actortest
	stop       func() // stops the other system, and so this one
	deadLetter func(who access.ProcessName, message any, reason error, bestEffort bool)
	panicked   func(who access.ProcessName, crash any)
}

// startOn is access.StartOn.
func startOn(of access.Shared) (processes any, unwind func()) {
	s := &System{sched: of.Scheduler.(*sched.Scheduler), clock: of.Clock, seed: of.Seed,
		stepwise: of.Stepwise}
	j := &s.joined
	j.actors, j.stop = of.Actors, of.Stop
	j.deadLetter, j.panicked = of.DeadLetter, of.Panicked
	if of.Event != nil {
		j.told = &told{event: func(e sim.Event, payload any) { of.Event(e, payload) },
			from: map[any]sim.Event{}}
	}
	s.init()
	return s, s.unwindAll
}

// systemOf is access.SystemOf.
func systemOf(of any) (processes, actors any) {
	var s *System
	switch of := of.(type) {
	case Process:
		of.mustBe(callee())
		s = of.p.sys
	case Env:
		s, _ = envOf(of)
	default: // a nil Env
		s, _ = envOf(nil)
	}
	return s, s.joined.actors
}

// slotOf is access.SlotOf.
func slotOf(of any) *seam.Pointer[any] {
	switch of := of.(type) {
	case *System:
		return &of.joined.slot
	case Process:
		if l := of.p.getLife(); l != alreadyOver {
			return &l.slot
		}
	}
	return new(seam.Pointer[any])
}

// turnEnv is the Env of a turn that is none of a process.
type turnEnv struct {
	sys  *System
	w    *sched.Worker
	turn uint64
}

func (e *turnEnv) env() (*System, *sched.Worker) {
	if e.w.Turn() != e.turn {
		misuse("an Env of a turn that is over")
	}
	return e.sys, e.w
}

// face is the view that package actor has of a process.
type face struct{ p *Proc }

// Worker implements access.Running.
func (f face) Worker() any {
	f.p.mustRun("Send")
	return f.p.w
}

// Name implements access.Running.
func (f face) Name() (id uint64, typ string) { return f.p.id, f.p.typeName() }

// Operation implements access.Running.
func (f face) Operation(name string) { f.p.enter(name) }

// In a deterministic run the driver knows its threads by their goroutines. A turn goes on in that
// of the process's coroutine and comes back, and says so each time.

// departs comes before the switch to the process, in the goroutine of its turn, or of a system that
// unwinds it.
func (p *Proc) departs() {
	if p.sys.stepwise {
		p.from = seam.Goroutine()
	}
}

// followed is called after the switch, in the coroutine.
func (c *coroutine) followed() {
	if p := c.proc; p != nil && p.sys.stepwise {
		p.sys.sched.Follow(p.from)
	}
}

// returned is called after the switch back from a coroutine. In a deterministic run none changes
// places with another: see nextProc.
func (s *System) returned(from *coroutine) {
	if s.stepwise {
		s.sched.Follow(from.goroutine)
	}
}

// hearsOfDead reports whether a hook of the user's is called for dead letters.
func (s *System) hearsOfDead() bool { return s.reports.dead != nil || s.joined.deadLetter != nil }

// longTurnOf is access.LongTurnOf. It looks at a process that runs, whose fields are its own: so
// the race detector is told to look away. For a hint that is sound. The task was seen in its turn,
// long after it had been made; the number never changes, and the coroutine is a pointer.
//
//go:norace
//go:noinline
func longTurnOf(processes, task any) (who access.ProcessName, stack func() []byte, ok bool) {
	t := task.(*sched.Task)
	if t.Class() != &processes.(*System).class {
		return who, nil, false
	}
	p := procOf(t)
	co := p.co
	return p.who(), func() []byte {
		return sched.StackWith(fmt.Sprintf(coroutineMark+"%p", co))
	}, true
}

// self returns the process itself.
func (p *Proc) self() *Proc { return p }

// self returns nil: a goroutine is no process.
func (g *Goroutine) self() *Proc { return nil }

// atEnd is access.AtEnd.
func atEnd(of any, tell func(reason error)) {
	p := of.(Process).p
	m := &monitor{of: p, tell: func(d Down, w *sched.Worker, by *System) {
		if w != nil || !p.sys.sched.Stopping() {
			tell(d.Reason)
		}
	}}
	if !m.enter() {
		tell(p.reason)
	}
}

// endWithin is access.EndWithin.
func endWithin(of, env any, reason error, within time.Duration, over func()) {
	p := of.(Process)
	t := p.p.sys.timers.armKill(p.p, max(1, within))
	atEnd(of, func(error) {
		p.p.sys.timers.disarm(t)
		over()
	})
	p.Cancel(env.(Env), reason)
}

// waitsFor is a wait for an object outside this package.
type waitsFor struct {
	what string
	of   any
}

// waits is access.Waits.
func waits(by any, what string, of any) (over func()) {
	p := by.(Party).self()
	if p == nil {
		return func() {}
	}
	p.on.Store(&waitsFor{what, of})
	return func() { p.on.Store(nil) }
}

// waitsOn describes the wait of a process that is parked in state st. Any goroutine.
func (p *Proc) waitsOn(st uint32) string {
	if on := p.on.Load(); on != nil {
		return fmt.Sprint(on.what, " ", on.of)
	}
	return p.waitText(st, "")
}

// waitText is waitsOn by the state alone. If a process is waited for, it is named so; "": by its number.
func (p *Proc) waitText(st uint32, name string) string {
	if name == "" {
		name = fmt.Sprint("process ", p.of.Load())
	}
	of := func(what op) string {
		if p.of.Load() != 0 && (what == opReply || what == opEnd) {
			return fmt.Sprint(what, " of ", name)
		}
		return what.String()
	}
	what, all := opIn(st), []string(nil)
	if what != opSelect {
		return of(what)
	}
	for kind := range op(len(opNames)) {
		if st>>(kindShift+kind)&1 != 0 {
			all = append(all, of(kind))
		}
	}
	return "select of " + strings.Join(all, ", ")
}

// waitNames are the waits of a select, for a process that waits for several others.
type waitNames []waitName

type waitName struct {
	what op
	of   uint64
}

// String implements fmt.Stringer. It names each wait once.
func (n waitNames) String() string {
	var all []string
	for _, w := range n {
		text := w.what.String()
		if w.of != 0 {
			text = fmt.Sprint(w.what, " of process ", w.of)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return "of " + strings.Join(all, ", ")
}
