package actor

import (
	"reflect"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/seam"
)

// Heap implements [Context.Heap].
func (c *kernelTurn) Heap() *heap.Arena {
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

// freeArena frees the actor's arena, if it has one. The caller owns the actor.
func freeArena(a *cell, e env) {
	if a.arena == nil {
		return
	}
	a.arena.Bind(e.chunkCache())
	a.arena.Release()
	a.arena = nil
	a.progress.setCollecting(false)
}

// An actor's arena is collected by the worker that runs the actor, between its
// behaviours. A large arena is collected in steps. After each step the actor goes to the
// end of the queue, as after a spent batch, so that other actors do not wait for the whole
// collection. The actor stays scheduled until the last step, so a system whose arenas are
// being collected is not quiescent.

const (
	// collectWhole is the size in bytes up to which an arena is collected in one go: 0.2 ms.
	collectWhole = 256 << 10
	// maxRooting is the number of roots for which a worker keeps room: 64 KiB. Each message with
	// handles has one.
	maxRooting = 4 << 10
	// collectGas is the number of bytes that a step copies and scans: 0.2 to 0.4 ms.
	collectGas = 512 << 10
)

// collectIfNeeded arranges that a turn ends early when an arena is due for a collection.
func (c *kernelTurn) collectIfNeeded() { c.chunks.OnDue(func() { c.then |= mustCollect }) }

// collectArena begins a collection of the actor's arena if one is due, or continues one. It does
// nothing if the actor has no arena any more. Owner only, between two behaviours.
func collectArena(a *cell, c *kernelTurn) {
	ar := a.arena
	if ar == nil {
		return
	}
	ar.Bind(&c.chunks)
	switch {
	case a.progress.isCollecting():
		a.progress.setCollecting(!ar.Step(collectGas))
	case heap.Poisoned: // both kinds
		ar.BeginDue(arenaRoots(a, c)...)
		ar.Collect(arenaRoots(a, c)...)
	case ar.Due() && ar.Stats().Reserved <= collectWhole:
		ar.Collect(arenaRoots(a, c)...)
	case ar.Due():
		ar.BeginDue(arenaRoots(a, c)...)
		a.progress.setCollecting(!ar.Step(collectGas))
	}
	clear(c.rooting) // or the context would keep the actor alive
	if cap(c.rooting) > maxRooting {
		c.rooting = nil
	}
}

// collectMore continues a collection at the end of a turn, and reports whether more steps are
// needed. Owner only.
func collectMore(a *cell, c *kernelTurn) bool {
	ar := a.arena
	ar.Bind(&c.chunks)
	a.progress.setCollecting(!ar.Step(collectGas))
	return a.progress.isCollecting()
}

// arenaRoots returns the places of all handles that keep data in the actor's arena alive: the
// state, and the messages that the actor has sent to itself, in all queues. Messages of other
// actors have handles of other arenas, which the collector ignores. Owner only.
func arenaRoots(a *cell, c *kernelTurn) []heap.Root {
	t := a.typ().heapRoots()
	roots := append(c.rooting[:0], stateRoot(a, t.state))
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

// roots adds the roots in messages that are neither in the mailbox nor in the system queue. Owner
// only.
func (x *coldState) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	for _, l := range [...]messageList{x.todo, x.held} {
		roots = t.queued(roots, l.First, nil)
	}
	for _, p := range x.parts {
		if r, ok := p.(rooted); ok {
			roots = r.roots(roots, t)
		}
	}
	return roots
}

// stateRoot returns the state as a root. Only the layout knows the type of the state. The offset of
// the state in memory depends only on whether its alignment is at most 4 bytes, or 8. So a type of
// that alignment stands for it.
func stateRoot(a *cell, l *heap.Layout) heap.Root {
	if a.typ().stateType().Align() <= 4 {
		return heap.RootOf(stateOf[uint32](a), l)
	}
	return heap.RootOf(stateOf[seam.Uint64](a), l)
}

// typeRoots tells the collector where a type of actors keeps handles. Read-only.
type typeRoots struct {
	state    *heap.Layout
	byID     []*heap.Layout // of the messages of each behaviour; nil: they have no handles
	messages bool           // byID has an entry that is not nil
}

// heapRoots returns the roots of the type. It panics if the type keeps handles in places that the
// collector cannot find.
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

// payloadType returns the type of the messages. For a request it is the type of the question,
// without the reply address. It is nil for an interface, and for the runtime's own messages.
func (d *descriptor) payloadType() reflect.Type {
	if d == nil || d.payload == nil {
		return nil
	}
	return reflect.TypeOf(d.payload(d.size.New(msg.Outside)))
}

// rooted is a signal, or a part, that has values of the user's type, which may hold handles. Owner
// only, between two behaviours.
type rooted interface {
	roots(roots []heap.Root, t *typeRoots) []heap.Root
}

// queued adds the payloads of the messages from m up to end, without end.
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
