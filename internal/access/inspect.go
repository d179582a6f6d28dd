package access

import "context"

// ActorOf returns the actor.ActorName of the actor whose behaviour, or whose Pipe, was given ctx or
// what ctx is derived from.
var ActorOf func(ctx context.Context) (who any, ok bool)

// InspectorOf returns, of an *actor.System, a value whose methods look into it. Package inspect
// says in interfaces of its own which methods these are. A program in which no code calls them
// does not have them: the linker drops methods that no interface calls.
var InspectorOf func(sys any) any

// ActorLook is how an actor looks from outside, besides its name and its status.
type ActorLook struct {
	Queued int // messages in its mailbox, counted up to a limit
	// As inspect.Actor says.
	Overloaded, Muted, Suspended, Pinned bool
}

// SupervisorsOf returns the supervisors of an *actor.System that have no supervisor and have not
// ended, each a supervise.Supervisor. Package supervise sets it.
var SupervisorsOf func(sys any) []any
