package actor

import "fmt"

// Ref refers to an actor with state S. It is a handle of one word, to be copied,
// compared and sent in messages as you like; it gives no access to the state. The
// zero Ref refers to no actor, and sending to it panics. A Ref keeps its actor's
// memory alive, whether the actor has ended or not.
type Ref[S any] struct {
	b *body
}

// IsZero tells whether r refers to no actor.
func (r Ref[S]) IsZero() bool { return r.b == nil }

// ID returns the number of the actor, unique within its system and never used
// again; 0 for the zero Ref.
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

// Any returns r without its type, for what does not need to know it.
func (r Ref[S]) Any() AnyRef { return AnyRef(r) }

func (r Ref[S]) target() *body { return r.b }

// AnyRef refers to an actor of any type, as [Ref] does to one of a certain type. It
// can be stopped, linked, watched and compared, but sent nothing.
type AnyRef struct {
	b *body
}

// IsZero tells whether r refers to no actor.
func (r AnyRef) IsZero() bool { return r.b == nil }

// ID is as [Ref.ID].
func (r AnyRef) ID() uint64 { return Ref[None](r).ID() }

// String is as [Ref.String].
func (r AnyRef) String() string { return Ref[None](r).String() }

func (r AnyRef) target() *body { return r.b }

func (b *body) String() string { return fmt.Sprintf("%s#%d", b.typ().name, b.id) }
