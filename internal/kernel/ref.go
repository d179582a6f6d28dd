package kernel

import (
	"fmt"
	"log/slog"
)

// AnyRef is the untyped part of an actor.Ref and an actor.AnyRef. Its methods are for any
// goroutine, unless they say otherwise.
type AnyRef struct {
	b *Cell
}

// Cell returns the actor that r refers to, or nil.
func (r AnyRef) Cell() *Cell { return r.b }

// must returns the actor that r refers to. It panics if r is zero.
func (r AnyRef) must(call string) *Cell {
	if r.b == nil {
		panic("gallop: " + call + " of a zero Ref")
	}
	return r.b
}

// Ref returns a ref to the actor. Any goroutine.
func (a *Cell) Ref() AnyRef { return AnyRef{a} }

// IsZero reports whether r refers to no actor.
func (r AnyRef) IsZero() bool { return r.b == nil }

// ID implements actor.Ref.ID.
func (r AnyRef) ID() uint64 {
	if r.b == nil {
		return 0
	}
	return r.b.ID
}

// String implements actor.Ref.String.
func (r AnyRef) String() string {
	if r.b == nil {
		return "none"
	}
	return r.b.String()
}

// LogValue implements actor.Ref.LogValue.
func (r AnyRef) LogValue() slog.Value {
	if r.b == nil {
		return slog.StringValue("none")
	}
	return r.b.ActorName().LogValue()
}

// String returns the actor's type and number, as in "counter#7". Any goroutine.
func (a *Cell) String() string { return fmt.Sprintf("%s#%d", a.Typ().Name, a.ID) }

// Status is actor.Status, which documents it.
type Status int

// The states of an actor.
const (
	StatusIdle Status = iota
	StatusBusy
	StatusOverloaded
	StatusEnded
)

// Status implements actor.Ref.Status. It panics if a is nil. Any goroutine.
func (a *Cell) Status() Status {
	if a == nil {
		panic("gallop: Status of a zero Ref")
	}
	switch {
	// An actor that had no mail when its system stopped has an open mailbox.
	case a.Box.Closed() || a.Sys().Sched.Stopping():
		return StatusEnded
	case !a.Gate.IsOpen() && behind(a) || a.Flow.Load().Suspension() != nil:
		return StatusOverloaded
	case !a.Box.Idle():
		return StatusBusy
	}
	return StatusIdle
}
