// Package members has the terms on which a supervisor of package supervise starts the members of a
// pool of package group. Package group implements [Pool], and package supervise calls it.
package members

import "github.com/gallop-go/gallop/actor"

// Pool is implemented by the Template of a supervise.Spec if the children are the members of a pool.
// The pool's actor starts the supervisor with supervise.StartUnder. The supervisor starts as many
// children as the pool asks for, and tells it about them. Members end as the pool ends: stopped or
// drained.
type Pool interface {
	// Size returns the number of members to start with.
	Size() int
	// SetResize is called once, in the turn that starts the supervisor. resize changes the number of
	// members. Any goroutine may call it.
	SetResize(resize func(from actor.Sender, n int))
	// Tell brings news of the members. It is called with the Context of the supervisor, in its turn.
	// It must not wait.
	Tell(c *actor.Context, n News)
}

// News is a supervisor's message to a pool about its members.
type News struct {
	Size    int // the number of members
	Changed []Member
	// Leaving are the actors of members that leave. The pool sends them nothing more, and then has
	// each of them drained after its mail.
	Leaving []actor.AnyRef
	Err     error // not nil: the supervisor has given up
}

// Member is one member of a pool.
type Member struct {
	Index int
	Ref   actor.AnyRef
	Down  bool // it waits for its back-off
}
