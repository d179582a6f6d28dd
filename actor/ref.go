package actor

import "fmt"

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
func (r AnyRef) ID() uint64 { return Ref[None](r).ID() }

// String is like [Ref.String].
func (r AnyRef) String() string { return Ref[None](r).String() }

func (r AnyRef) target() *cell { return r.b }

func (a *cell) String() string { return fmt.Sprintf("%s#%d", a.typ().name, a.id) }
