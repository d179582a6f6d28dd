package kernel

import (
	"reflect"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// Heap implements actor.Context.Heap.
func (c *Turn) Heap() *heap.Arena {
	MustRun(c, "Heap")
	a := c.Self
	if a.Arena == nil {
		a.Typ().heapRoots() // refuses the state if it must
		a.Arena = new(heap.Arena)
	}
	a.Arena.Bind(&c.Chunks) // the actor may have moved to this worker
	if heap.Poisoned {
		c.Then |= MustCollect
	}
	return a.Arena
}

// freeArena frees the actor's arena, if it has one. The caller owns the actor.
func freeArena(a *Cell, e Env) {
	if a.Arena == nil {
		return
	}
	a.Arena.Bind(chunkCache(e))
	a.Arena.Release()
	a.Arena = nil
	a.Progress.setCollecting(false)
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
func (c *Turn) collectIfNeeded() { c.Chunks.OnDue(func() { c.Then |= MustCollect }) }

// collectArena begins a collection of the actor's arena if one is due, or continues one. It does
// nothing if the actor has no arena any more. Owner only, between two behaviours.
func collectArena(a *Cell, c *Turn) {
	ar := a.Arena
	if ar == nil {
		return
	}
	ar.Bind(&c.Chunks)
	switch {
	case a.Progress.IsCollecting():
		a.Progress.setCollecting(!ar.Step(collectGas))
	case heap.Poisoned: // both kinds
		ar.BeginDue(arenaRoots(a, c)...)
		ar.Collect(arenaRoots(a, c)...)
	case ar.Due() && ar.Stats().Reserved <= collectWhole:
		ar.Collect(arenaRoots(a, c)...)
	case ar.Due():
		ar.BeginDue(arenaRoots(a, c)...)
		a.Progress.setCollecting(!ar.Step(collectGas))
	}
	clear(c.rooting) // or the context would keep the actor alive
	if cap(c.rooting) > maxRooting {
		c.rooting = nil
	}
}

// collectMore continues a collection at the end of a turn, and reports whether more steps are
// needed. Owner only.
func collectMore(a *Cell, c *Turn) bool {
	ar := a.Arena
	ar.Bind(&c.Chunks)
	a.Progress.setCollecting(!ar.Step(collectGas))
	return a.Progress.IsCollecting()
}

// arenaRoots returns the places of all handles that keep data in the actor's arena alive: the
// state, and the messages that the actor has sent to itself, in all queues. Messages of other
// actors have handles of other arenas, which the collector ignores. Owner only.
func arenaRoots(a *Cell, c *Turn) []heap.Root {
	t := a.Typ().heapRoots()
	roots := append(c.rooting[:0], stateRoot(a, t.state))
	if t.messages {
		roots = t.queued(roots, a.In.Pending(), nil)
		first, last := a.In.TakeAppended()
		roots = t.queued(roots, first, nil)
		a.In.PutAppended(first, last)
		newest, end := a.Box.Arrived(&a.In)
		roots = t.queued(roots, newest, end)
		roots = t.queued(roots, a.System.Newest(), nil)
		if x := a.Cold; x != nil {
			roots = x.roots(roots, t)
		}
	}
	c.rooting = roots
	return roots
}

// roots adds the roots in messages that are neither in the mailbox nor in the system queue. Owner
// only.
func (x *Cold) roots(roots []heap.Root, t *TypeRoots) []heap.Root {
	for _, l := range [...]messageList{x.Todo, x.held} {
		roots = t.queued(roots, l.First, nil)
	}
	for _, p := range x.Parts {
		if r, ok := p.(rooted); ok {
			roots = r.Roots(roots, t)
		}
	}
	return roots
}

// stateRoot returns the state as a root. Only the layout knows the type of the state. The offset of
// the state in memory depends only on whether its alignment is at most 4 bytes, or 8. So a type of
// that alignment stands for it.
func stateRoot(a *Cell, l *heap.Layout) heap.Root {
	if a.Typ().stateType().Align() <= 4 {
		return heap.RootOf(StateOf[uint32](a), l)
	}
	return heap.RootOf(StateOf[seam.Uint64](a), l)
}

// TypeRoots tells the collector where a type of actors keeps handles. Read-only.
type TypeRoots struct {
	state    *heap.Layout
	ByID     []*heap.Layout // of the messages of each behaviour; nil: they have no handles
	messages bool           // ByID has an entry that is not nil
}

// heapRoots returns the roots of the type. It panics if the type keeps handles in places that the
// collector cannot find.
func (t *TypeInfo) heapRoots() *TypeRoots {
	if r := t.roots.Load(); r != nil {
		return r
	}
	r := &TypeRoots{state: heap.LayoutOf(t.stateType()), ByID: make([]*heap.Layout, len(t.Decls))}
	for i, d := range t.Decls {
		if p := d.payloadType(); p != nil {
			if l := heap.LayoutOf(p); l.HasHandles() {
				r.ByID[i], r.messages = l, true
			}
		}
	}
	t.roots.Store(r) // of two that are stored at the same time, either will do
	return r
}

// stateType returns the type of the state.
func (t *TypeInfo) stateType() reflect.Type { return reflect.TypeOf(t.State).Elem() }

// payloadType returns the type of the messages. For a request it is the type of the question,
// without the reply address. It is nil for an interface, and for the runtime's own messages.
func (d *Descriptor) payloadType() reflect.Type {
	if d == nil || d.Payload == nil {
		return nil
	}
	return reflect.TypeOf(d.Payload(d.Size.New(msg.Outside)))
}

// rooted is a signal, or a part, that has values of the user's type, which may hold handles. Owner
// only, between two behaviours.
type rooted interface {
	Roots(roots []heap.Root, t *TypeRoots) []heap.Root
}

// queued adds the payloads of the messages from m up to end, without end.
func (t *TypeRoots) queued(roots []heap.Root, m, end *Message) []heap.Root {
	for ; m != end; m = m.Next {
		if m.ID == SystemID {
			if s, ok := (*PayloadOf[Signal](m)).(rooted); ok {
				roots = s.Roots(roots, t)
			}
		} else if in := Contents(m); t.ByID[in.ID] != nil {
			roots = append(roots, heap.RootOf(PayloadOf[byte](in), t.ByID[in.ID]))
		}
	}
	return roots
}
