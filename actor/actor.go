package actor

import (
	"github.com/gallop-go/gallop/internal/kernel"
)

// An actor is a state, a mailbox and the behaviours of its type. It runs one message at a time, on any
// worker. A program holds it by a [Ref]; inside, [Self] returns that. The machinery of an actor is in
// internal/kernel/actor.go (its memory and its owner), turn.go (its turns) and life.go (its life).

// Self returns the ref of the running actor. It panics if S is not the actor's state
// type.
func Self[S any](c *Context) Ref[S] {
	turn := c.kernel()
	kernel.MustRun(turn, "Self")
	if _, ok := turn.Self.Shared().Typ.State.(*S); !ok {
		kernel.PanicOtherState(turn, (*S)(nil))
	}
	return Ref[S](turn.Self.Ref())
}

// As returns r as a ref to an actor with state S. It returns false if r is zero or its
// actor has another state type.
func As[S any](r AnyRef) (Ref[S], bool) {
	if r.target() == nil {
		return Ref[S]{}, false
	}
	if _, ok := r.target().Typ().State.(*S); !ok {
		return Ref[S]{}, false
	}
	return Ref[S](r), true
}

// SystemOf returns the system that the actor t belongs to. It panics if t is a zero Ref.
func SystemOf(t Target) *System { return systemOf(targetOf("SystemOf", t).Sys()) }

// Status is the state of an actor at one moment, as [Ref.Status] returns it. It is a hint: it may
// have changed by the time you read it. Only StatusEnded is final.
type Status int

// The states of an actor.
const (
	StatusIdle Status = iota // it has no mail
	StatusBusy               // it has mail, or is at work
	// StatusOverloaded: it does not keep up, is muted with much mail, or is in a back-off.
	StatusOverloaded
	// StatusEnded: it accepts no mail any more. It has ended, drains, or waits for its children to
	// end.
	StatusEnded
)

// String returns the name of the status, in lower case.
func (s Status) String() string {
	names := [...]string{"idle", "busy", "overloaded", "ended"}
	if s < 0 || int(s) >= len(names) {
		return "unknown"
	}
	return names[s]
}

// Status returns the state of the actor at this moment. An actor with a bound is overloaded while
// its queue is full, while it is muted, and while it applies pressure. Status panics for the zero
// Ref. It costs two loads and, for an actor with a bound, a short lock. Any goroutine may call it.
func (r Ref[S]) Status() Status { return Status(r.target().Status()) }

// StatusOf returns the status of an actor, as [Ref.Status] does. The target may also be a
// handler that [Behaviour.To] has returned. StatusOf panics if t is a zero Ref.
func StatusOf(t Target) Status { return Status(targetOf("StatusOf", t).Status()) }
