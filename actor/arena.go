package actor

import (
	"reflect"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

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
// Heap panics with the path of the field, if the state, or a message, keeps a handle behind
// a Go pointer, slice, map or channel.
//
// The arena's chunks come from the worker's cache and go back to it; a worker, or a
// pinned thread, keeps up to 2.75 MiB for the life of its system. An actor that never
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
	a.arena.Bind(e.chunkCache())
	a.arena.Release()
	a.arena = nil
	a.setCollecting(false)
}

// An actor's arena is collected by the worker that runs the actor, between its
// behaviours. No other actor waits: a large arena is collected in steps, and between two
// of them the actor goes behind the others in the queue, as after a spent batch. The
// steps keep it scheduled, so that a system whose arenas are being collected is not
// quiescent.

const (
	// collectWhole is the size in bytes up to which an arena is collected in one go: 0.2 ms.
	collectWhole = 256 << 10
	// maxRooting is how many roots a worker keeps room for: 64 KiB. There is one for each message
	// with handles.
	maxRooting = 4 << 10
	// collectGas is how many bytes a step copies and scans: 0.2 to 0.4 ms.
	collectGas = 512 << 10
)

// collectIfNeeded makes behaviours end their turn when their arena is due.
func (c *Context) collectIfNeeded() { c.chunks.OnDue(func() { c.then |= mustCollect }) }

// collectArena begins to collect the actor's arena, if it still has one, or goes on with
// it. Owner only, between two behaviours.
func (a *cell) collectArena(c *Context) {
	ar := a.arena
	if ar == nil {
		return
	}
	ar.Bind(&c.chunks)
	switch {
	case a.isCollecting():
		a.setCollecting(!ar.Step(collectGas))
	case heap.Poisoned: // both kinds
		ar.BeginDue(a.roots(c)...)
		ar.Collect(a.roots(c)...)
	case ar.Due() && ar.Stats().Reserved <= collectWhole:
		ar.Collect(a.roots(c)...)
	case ar.Due():
		ar.BeginDue(a.roots(c)...)
		a.setCollecting(!ar.Step(collectGas))
	}
	clear(c.rooting) // or the context would keep the actor alive
	if cap(c.rooting) > maxRooting {
		c.rooting = nil
	}
}

// collectMore goes on with a collection at the end of a turn, and reports whether there
// is more to be done. Owner only.
func (a *cell) collectMore(c *Context) bool {
	ar := a.arena
	ar.Bind(&c.chunks)
	a.setCollecting(!ar.Step(collectGas))
	return a.isCollecting()
}

// roots lists where the handles are that keep something in the actor's arena alive:
// the state, and the messages that it has sent to itself, wherever these wait. Handles in
// messages of others are not of this arena, and the collector leaves them alone. Owner
// only.
func (a *cell) roots(c *Context) []heap.Root {
	t := a.typ().heapRoots()
	roots := append(c.rooting[:0], a.stateRoot(t.state))
	if t.messages {
		roots = t.queued(roots, a.in.Pending(), nil)
		first, last := a.in.TakeAppended()
		roots = t.queued(roots, first, nil)
		a.in.PutAppended(first, last)
		newest, end := a.box.Arrived(&a.in)
		roots = t.queued(roots, newest, end)
		roots = t.queued(roots, a.system.Newest(), nil)
		if x := a.cold; x != nil {
			roots = x.roots(roots, t)
		}
	}
	c.rooting = roots
	return roots
}

// roots adds what is in the messages that are neither in the mailbox nor in the system queue.
// What was unstashed is in the mailbox by now. Owner only.
func (x *coldState) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if invariant.On {
		verifyRoots(x)
	}
	for _, l := range [...]messageList{x.stash.list, x.todo, x.held} {
		roots = t.queued(roots, l.First, nil)
	}
	if x.timers != nil {
		roots = x.timers.roots(roots, t)
	}
	return roots
}

// roots adds the payloads of the timers that have not run, those of Every included.
// Owner only.
func (l *actorTimers) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	for _, one := range l.list {
		k := l.shard.Find(one)
		if k == nil {
			continue
		}
		if k.ID == carriedID {
			roots = t.queued(roots, k.Held, k.Held.Next)
		} else if p := t.byID[k.ID]; p != nil {
			roots = append(roots, heap.RootOf(keptBy[byte](k), p))
		}
	}
	return roots
}

// stateRoot is the state, of which only the layout knows the type. What follows a body
// in memory has one of two alignments.
func (a *cell) stateRoot(l *heap.Layout) heap.Root {
	if a.typ().stateType().Align() <= 4 {
		return heap.RootOf(stateOf[uint32](a), l)
	}
	return heap.RootOf(stateOf[seam.Uint64](a), l)
}

// typeRoots is what the collector has to know of a type. Read-only.
type typeRoots struct {
	state    *heap.Layout
	byID     []*heap.Layout // of the messages of each behaviour, nil if without handles
	messages bool           // whether there is any that is not nil
}

// heapRoots returns the roots of the type. It panics if the type keeps handles where
// the collector does not find them.
func (t *typeInfo) heapRoots() *typeRoots {
	if r := t.roots.Load(); r != nil {
		return r
	}
	r := &typeRoots{state: heap.LayoutOf(t.stateType()), byID: make([]*heap.Layout, len(t.decls))}
	for i, d := range t.decls {
		if p := d.payloadType(); p != nil {
			if l := heap.LayoutOf(p); l.HasHandles() {
				r.byID[i], r.messages = l, true
			}
		}
	}
	t.roots.Store(r) // of two that are stored at the same time, either will do
	return r
}

// stateType returns the type of the state.
func (t *typeInfo) stateType() reflect.Type { return reflect.TypeOf(t.state).Elem() }

// payloadType returns the type of the messages, of a request without what the reply
// needs; nil for an interface, and for the runtime's own messages.
func (d *descriptor) payloadType() reflect.Type {
	if d == nil || d.payload == nil {
		return nil
	}
	return reflect.TypeOf(d.payload(d.size.New(msg.Outside)))
}

// rooted is a signal with something of the user's that may hold handles.
type rooted interface {
	roots(roots []heap.Root, t *typeRoots) []heap.Root
}

// queued adds the payloads of the messages from m down to but without end.
func (t *typeRoots) queued(roots []heap.Root, m, end *message) []heap.Root {
	for ; m != end; m = m.Next {
		if m.ID == systemID {
			if s, ok := (*payloadOf[signal](m)).(rooted); ok {
				roots = s.roots(roots, t)
			}
		} else if in := contents(m); t.byID[in.ID] != nil {
			roots = append(roots, heap.RootOf(payloadOf[byte](in), t.byID[in.ID]))
		}
	}
	return roots
}

// verifyRoots checks that no message that may have handles is between the stash and the mailbox.
func verifyRoots(x *coldState) {
	invariant.Check(x.unstashed.n == 0,
		"what was unstashed is not in the mailbox when the roots are listed")
}
