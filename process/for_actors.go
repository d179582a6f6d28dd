package process

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// ForActors has the functions that package process/actors needs. Other packages have no use for it.
type ForActors struct{}

// StartOn makes a system on the scheduler of another.
func (ForActors) StartOn(of joint.Shared) joint.Processes {
	s := &System{sched: of.Scheduler, clock: of.Clock, seed: of.Seed, stepwise: of.Stepwise}
	s.joined.actors = of.Actors
	if of.Event != nil {
		s.joined.told = &told{event: of.Event, from: map[any]sim.Event{}}
	}
	s.init()
	return (*joinedSystem)(s)
}

// SystemOf returns the system that StartOn has made.
func (ForActors) SystemOf(processes joint.Processes) *System {
	return (*System)(processes.(*joinedSystem))
}

// ActorsOf returns the system of actors that the system of an Env is joined to; nil: it is not
// joined.
func (ForActors) ActorsOf(from Env) joint.Actors {
	s, _ := envOf(from)
	return s.joined.actors
}

// ActorsOfProcess is ActorsOf for a process. It panics if p is zero.
func (ForActors) ActorsOfProcess(p Process) joint.Actors {
	p.mustBe(callee())
	return p.p.sys.joined.actors
}

// EnvOf returns the Env of a turn that no process has, on a worker. Its messages carry ctx; nil:
// nothing.
func (ForActors) EnvOf(s *System, w *sched.Worker, ctx context.Context) Env {
	return &turnEnv{s, w, w.Turn(), ctx}
}

// RunningOf returns the process that a party is. It reports false for a goroutine.
func (ForActors) RunningOf(by Party) (r joint.Running, of Process, ok bool) {
	if isNil(by) {
		misuse(callee() + " with a nil process or system")
	}
	p := by.self()
	if p == nil {
		return nil, Process{}, false
	}
	return face{p}, Process{p}, true
}

// CallLimit returns the time-out that the options give; 0: none.
func (ForActors) CallLimit(opts []CallOption) time.Duration { return limitOf(opts) }

// Failed reports whether the last [Call] of a process has returned an error that was given to
// [ReplyTo.Fail].
func (ForActors) Failed(p *Proc) bool { return p.failed }

// CheckOptions panics, as [Spawn] does, if an option is wrong.
func (ForActors) CheckOptions(call string, options []Option) { apply(call, options) }

// Waits records, for reports, that a party waits for, say, the "reply of" an actor. It returns a
// function that ends this.
func (ForActors) Waits(by Party, what string, actor joint.Actor) (over func()) {
	p := by.self()
	if p == nil {
		return func() {}
	}
	p.on.Store(&waitsFor{what: what, actor: actor})
	return func() { p.on.Store(nil) }
}

// SlotOf returns where the actor that stands for a process is kept, until the process ends. nil:
// there is none.
func (ForActors) SlotOf(p Process) *seam.Pointer[joint.Actor] {
	if l := p.p.getLife(); l != alreadyOver {
		return &l.slot
	}
	return new(seam.Pointer[joint.Actor])
}

// SlotOfSystem returns where an actor that serves the whole system is kept. nil: there is none.
func (ForActors) SlotOfSystem(s *System) *seam.Pointer[joint.Actor] { return &s.joined.slot }

// AtEnd registers tell, which is called when a process has ended. If it has ended before, tell is
// called at once. If it ends because its system does, tell is not called.
func (ForActors) AtEnd(of Process, tell func(reason error)) {
	p := of.p
	m := &monitor{of: p, tell: func(d Down, w *sched.Worker, by *System) {
		if w != nil || !p.sys.sched.Stopping() {
			tell(d.Reason)
		}
	}}
	if !m.enter() {
		tell(p.reason)
	}
}

// EndWithin cancels a process for a reason, and kills it after a time. over is called when it has
// ended, as with AtEnd.
func (f ForActors) EndWithin(of Process, from Env, reason error, within time.Duration, over func()) {
	timers := &of.p.sys.timers
	t := timers.armKill(of.p, max(1, within))
	f.AtEnd(of, func(error) {
		timers.disarm(t)
		over()
	})
	of.Cancel(from, reason)
}

// Exited tells a process that an actor to which it is linked has ended. cause is the reason that the
// process ends for, or traps; nil: a normal end.
func (ForActors) Exited(of Process, from Env, cause error) {
	sys, w := envOf(from)
	if !of.p.trapped(Exit{Reason: cause}, w, sys) && cause != nil {
		of.p.tellToEnd(&cancel{reason: cause}, w, sys)
	}
}

// ForActorsOf has the functions for package process/actors that depend on a type: that of a reply, or
// of a message. Other packages have no use for it.
type ForActorsOf[T any] struct{}

// OnReply registers heard for a request that is not sent yet. heard is called when r is given its
// reply, or an error by [ReplyTo.Fail]: by the Env that replies, before it does anything else.
func (ForActorsOf[T]) OnReply(r ReplyTo[T], heard func(from Env, v T, err error)) {
	r.a.m.heard = heard
}

// TellerOf returns a function that sends a running process the message that a function of the user's
// makes, and which no bound keeps out. The process ends if that function does not return.
func (ForActorsOf[T]) TellerOf(self *Self[T]) (tell func(from Env, wrap func() T)) {
	post := self.poster()
	return func(from Env, wrap func() T) {
		sys, w := envOf(from)
		m, ok := wrapped(&self.Proc, func(struct{}) T { return wrap() }, struct{}{}, w, sys)
		if ok {
			post(m, w, sys)
			self.mailbox.settle()
		}
	}
}
