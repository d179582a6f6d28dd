package actor

import "github.com/gallop-go/gallop/heap"

// Heap returns the running actor's own arena, for data without Go pointers, which Go's
// collector need not look at. The arena is made at the first call and freed as a whole
// when the actor ends. Neither what Heap returns nor the pointers that handles give may
// outlive the behaviour: call Heap again in the next one.
//
// The arena is collected between behaviours, when it has doubled. The roots are the
// handles in the actor's state and in the messages that the actor has sent to itself:
// those in its mailbox, in its stash and of its timers. A handle that is kept anywhere
// else is dead after a collection.
//
// Heap panics
//
//   - with the path of the field, if the state, or a message, keeps a handle behind a
//     Go pointer, slice, map or channel;
//   - if the type has a bound ([TypeBound]) and a behaviour whose messages hold
//     handles, because the queue of such an actor is not searched for roots.
//
// The arena's chunks come from the worker's cache and go back to it; a worker, or a
// pinned thread, keeps up to 2.5 MiB for the life of its system. An actor that never
// calls Heap pays for one nil pointer.
func (c *Context) Heap() *heap.Arena {
	mustRun(c, "Heap")
	a := c.self
	if a.arena == nil {
		a.typ().heapRoots() // refuses the state if it must
		a.arena = new(heap.Arena)
	}
	a.arena.Bind(&c.chunks) // the actor may have moved to this worker
	if heap.Poisoned {
		c.then |= mustCollect
	}
	return a.arena
}

// arenaKeeper is an arenaCollector as the turn sees it, so that a program that never
// calls Heap does not link the collector.
type arenaKeeper interface {
	collect(a *cell, c *Context)
	collecting(a *cell, c *Context) bool
	free(a *cell, e env)
}

// arenaKeeper returns what looks after the actor's arena. The actor has one.
func (a *cell) arenaKeeper() arenaKeeper { return a.typ().roots.Load().keeper }

// arenaCollector collects the arena of the actor that it is given. The caller owns it.
type arenaCollector struct{}

// collectArena begins to collect the actor's arena, if it still has one, or goes on with
// it. Owner only, between two behaviours.
func (a *cell) collectArena(c *Context) {
	if a.arena != nil {
		a.arenaKeeper().collect(a, c)
	}
}

// freeArena gives the actor's memory back. The caller owns the body.
func (a *cell) freeArena(e env) {
	if a.arena != nil {
		a.arenaKeeper().free(a, e)
	}
}

func (arenaCollector) free(a *cell, e env) {
	if e.c != nil {
		a.arena.Bind(&e.c.chunks)
	} else {
		a.arena.Bind(nil)
	}
	a.arena.Release()
	a.arena = nil
	a.setCollecting(false)
}
