package inspect

import (
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// of returns the kernel's part of a system. It panics if the system was not started.
func of(sys *actor.System) *kernel.System { return kernel.SystemFor(sys, "inspect") }

// cellOf returns the actor that ref refers to. It panics if ref is zero.
func cellOf(call string, ref actor.AnyRef) *kernel.Cell {
	a := kernel.AnyRef(ref).Cell()
	if a == nil {
		panic("gallop: inspect." + call + " of a zero Ref")
	}
	return a
}

// clock returns the system's time in nanoseconds. The dates of waits are on the same scale.
func clock(s *kernel.System) int64 { return s.Opts.Clock.Nanos() }

// wall returns the system's time of day.
func wall(s *kernel.System) time.Time { return s.Opts.Clock.Now() }

// datesWaits reports whether the dates of waits are reliable. The watch that dates them looks twice
// a second. On a clock that a test moves, it looks only when the test moves the clock.
func datesWaits(s *kernel.System) bool { return s.Waits.On && s.Opts.Clock.Flows() }

// Supervisors returns the supervisors of the system that have no supervisor and have not ended.
func Supervisors(sys *actor.System) (all []actor.AnyRef) {
	for _, ref := range kernel.Supervisors.Of(of(sys)) {
		all = append(all, actor.AnyRef(ref))
	}
	return all
}

// eachName calls f for each name that is taken.
func eachName(s *kernel.System, f func(name string, ref kernel.AnyRef)) {
	s.Names.M.Range(func(name, of any) bool {
		if a, _ := of.(*kernel.Cell); a != nil {
			f(name.(string), a.Ref())
		}
		return true
	})
}

// eachRunning calls f for each actor whose turn runs.
func eachRunning(s *kernel.System, f func(kernel.AnyRef)) {
	for _, w := range s.Sched.AllWorkers() {
		if g := kernel.GlimpseOf(w); g.Actor != nil {
			f(g.Actor.Found())
		}
	}
}

// eachListed calls f for each actor that its system must end itself when it stops.
func eachListed(s *kernel.System, f func(kernel.AnyRef)) {
	for _, a := range s.StopList.Members() {
		f(a.Ref())
	}
}

// eachPressed calls f for each actor under pressure that other actors wait for. which differs
// between two applications of pressure by one actor.
func eachPressed(s *kernel.System, f func(ref kernel.AnyRef, which uint32)) {
	w := &s.Deadlocks
	w.Mu.Lock()
	roots := slices.Clone(w.Roots)
	w.Mu.Unlock()
	for _, a := range roots {
		if which := a.Flow.Load().Pressure(); which != 0 && a.Gate.Waited(&kernel.GateMark) {
			f(a.Ref(), which)
		}
	}
}

// eachWait calls f for each actor who that waits for another actor to. The wait began before since,
// a date that the kernel's watch gives, or 0 if unknown. asks reports whether who waits for a
// reply.
func eachWait(s *kernel.System, f func(who, to kernel.AnyRef, since int64, asks bool)) {
	s.EachWait(func(who, to *kernel.Cell, since int64, asks bool) {
		f(who.Found(), to.Found(), since, asks)
	})
}

// behaviourOf returns the name of the behaviour that an actor runs at the moment, or "".
func behaviourOf(s *kernel.System, ref kernel.AnyRef) string {
	for _, w := range s.Sched.AllWorkers() {
		if g := kernel.GlimpseOf(w); g.Actor == ref.Cell() {
			return g.Behaviour
		}
	}
	return ""
}

// eachMail calls f with the behaviour of each message in an actor's mailbox, until f returns false.
// The name is "" for a message of the runtime's.
func eachMail(a *kernel.Cell, f func(behaviour string) bool) {
	if a.Status() != kernel.StatusEnded {
		kernel.PeekMail(a, func(_ uint64, id uint16) bool { return f(behaviourName(a, id)) })
	}
}

// behaviourName returns the name of a behaviour that a peek has found; "" if it is the runtime's.
func behaviourName(a *kernel.Cell, id uint16) string {
	if decls := a.Typ().Decls; id >= kernel.UserIDs && int(id) < len(decls) {
		return decls[id].Name
	}
	return ""
}

// hasMailFrom reports whether a message in an actor's mailbox is from another actor. It looks at a
// limited number of messages.
func hasMailFrom(ref, from kernel.AnyRef) (has bool) {
	a := ref.Cell()
	kernel.PeekMail(a, func(sender uint64, id uint16) bool {
		has = sender == from.ID() && behaviourName(a, id) != ""
		return !has
	})
	return has
}
