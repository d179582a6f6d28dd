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

// freeArena gives the actor's arena back, if it has one. The caller owns the actor.
func (a *cell) freeArena(e env) {
	if a.arena == nil {
		return
	}
	if e.c != nil {
		a.arena.Bind(&e.c.chunks)
	} else {
		a.arena.Bind(nil)
	}
	a.arena.Release()
	a.arena = nil
	a.setCollecting(false)
}
