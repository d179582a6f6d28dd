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

func (b *body) String() string { return fmt.Sprintf("%s#%d", b.typ.name, b.id) }
