// Package waitgraph records the actors of a system that wait, in their turns, for the replies of
// other actors. [Graph] refuses the ask that would close a circle. [Registry] finds the waiting
// parties of all systems, for reports.
//
// Behaviours that ask and wait may wait for each other in a circle, for ever: A asks B, and B asks
// A.
//
// Rejected: a watch that looks from time to time, like that over actors under pressure. It comes
// late, and the actor that closes the circle can be told at once. Rejected as well: to ignore
// asks whose contexts end, since these resolve themselves. They do so only after the whole
// time-out, for which all actors in the circle wait, and then an arbitrary ask fails.
//
// Chosen: an actor that is about to park in its turn follows the waits in the graph of its system.
// If they lead to itself it does not wait: its reply cannot come before its own turn has ended, or
// another ask of the circle has been given up. Otherwise it enters itself. So the actor that closes
// a circle is told, and the others get their replies.
//
// The answer is exact. An edge counts while its call is open: it has no result, its reply is not
// put off, and it was not given up. (A reply that was put off may be given by any actor.) Only the
// actor that was asked gives an open call a result, in its turn, after the behaviour, and not while
// it waits itself. Beginning at its end, the chain stands still until a context in it ends. The
// actor that looks is in its turn. So an actor that waits for it gets no reply, and does not end
// its own turn, until that turn ends; the same holds for an actor that waits for that actor. All
// edges of the chain were made before the look, so each has counted since it was made, and all of
// them count at once. An actor that gives its ask up says so in its call, by a compare-and-swap,
// before it goes on. Its next steps, such as the end of its turn, come after that, and so does
// every look that can see them.
//
// There is one exception. An actor with a bound drops mail only in its own turn, except for the
// newest message of an actor that drops the oldest: its place is taken by the next message, whose
// sender answers the dropped request. Such a circle could have ended by itself, and is refused all
// the same.
//
// The graph sees asks by Ask within one system: neither AskAll and Replies, which may go on without
// some of their replies, nor goroutines for which a behaviour waits.
package waitgraph

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Call is a request whose reply an actor awaits.
type Call interface {
	// IsOpen reports whether the call has no result yet, was not given up, and only the actor that
	// was asked can give its result. Only the caller closes it otherwise. Any goroutine.
	IsOpen() bool
}

// Graph has an edge for each waiting actor, to the actor that it has asked. All actors of a type
// that share a thread are one node, since they run one turn at a time. A Graph belongs to a system.
// The zero Graph is empty.
type Graph struct {
	mu  seam.Mutex
	all map[any]edge // guarded by mu: by the waiting node
}

type edge struct {
	to   any
	call Call
}

// Enter reports whether me may wait for the reply of to, without waiting for itself. If so, me is
// in the graph until it leaves. Called by me, in its turn. It costs a lock of the system, which is
// taken only by actors that park in a turn.
func (g *Graph) Enter(me, to any, call Call) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if invariant.On {
		_, waits := g.all[me]
		invariant.Check(!waits, "%v asks, and waits for a reply already", me)
	}
	for e, waits := g.all[to]; waits && e.call.IsOpen(); e, waits = g.all[e.to] {
		if e.to == me {
			return false
		}
	}
	if g.all == nil {
		g.all = make(map[any]edge)
	}
	g.all[me] = edge{to, call}
	return true
}

// Chain returns the waiting actors to which the open calls lead from an actor, until me: from, the
// actor that it asks, and so on. It is empty if from is me. Any goroutine; the result is exact after
// Enter has refused me, in the same turn, as long as no context in the circle ends.
func (g *Graph) Chain(from, me any) (all []any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(all) <= len(g.all) && from != me {
		all = append(all, from)
		e, waits := g.all[from]
		if !waits || !e.call.IsOpen() {
			break
		}
		from = e.to
	}
	return all
}

// Leave removes me from the graph, before its call is used again. Called by me, in its turn.
func (g *Graph) Leave(me any) {
	g.mu.Lock()
	delete(g.all, me)
	g.mu.Unlock()
}

// Len returns the number of waiting actors. Any goroutine.
func (g *Graph) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.all)
}
