package actor

import (
	"fmt"
	"log/slog"
)

// Ref refers to an actor with state S. It is a handle of one word, which may be copied,
// compared and sent in messages; it gives no access to the state. The zero Ref refers
// to no actor, and sending to it panics. A Ref keeps its actor's memory alive, whether
// the actor has ended or not.
type Ref[S any] struct {
	b *cell
}

// IsZero reports whether r refers to no actor.
func (r Ref[S]) IsZero() bool { return r.b == nil }

// ID returns the number of the actor, which is unique within its system and never used
// again. For the zero Ref it returns 0.
func (r Ref[S]) ID() uint64 {
	if r.b == nil {
		return 0
	}
	return r.b.id
}

// String returns the actor's type and number, as in "counter#7".
func (r Ref[S]) String() string {
	if r.b == nil {
		return "none"
	}
	return r.b.String()
}

// LogValue implements slog.LogValuer. It returns [ActorName.LogValue] of the actor, or "none" for
// the zero Ref. It costs a look-up in a map.
func (r Ref[S]) LogValue() slog.Value {
	if r.b == nil {
		return slog.StringValue("none")
	}
	return r.b.actorName().LogValue()
}

// Any returns r without its type, for code that does not need to know it.
func (r Ref[S]) Any() AnyRef { return AnyRef(r) }

func (r Ref[S]) target() *cell { return r.b }

// AnyRef refers to an actor of any type, as [Ref] does to one of a certain type. The
// actor can be stopped, linked, watched and compared through it, but sent nothing.
type AnyRef struct {
	b *cell
}

// IsZero reports whether r refers to no actor.
func (r AnyRef) IsZero() bool { return r.b == nil }

// ID is like [Ref.ID].
func (r AnyRef) ID() uint64 { return Ref[struct{}](r).ID() }

// String is like [Ref.String].
func (r AnyRef) String() string { return Ref[struct{}](r).String() }

// LogValue is like [Ref.LogValue].
func (r AnyRef) LogValue() slog.Value { return Ref[struct{}](r).LogValue() }

func (r AnyRef) target() *cell { return r.b }

func (a *cell) String() string { return fmt.Sprintf("%s#%d", a.typ().name, a.id) }

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
func (r Ref[S]) Status() Status { return r.b.status() }

func (a *cell) status() Status {
	if a == nil {
		panic("gallop: Status of a zero Ref")
	}
	switch {
	// An actor that had no mail when its system stopped has an open mailbox.
	case a.box.Closed() || a.sys().sched.Stopping():
		return StatusEnded
	case !a.gate.IsOpen() && behind(a) || a.flow.Load().suspension() != nil:
		return StatusOverloaded
	case !a.box.Idle():
		return StatusBusy
	}
	return StatusIdle
}
