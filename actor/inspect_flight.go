package actor

import (
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/sched"
)

// The flight recorder writes what happens into rings, one for each worker, from which package
// flight reads (docs/decisions/0045-inspect.md).
//
// Messages are recorded by exchanged dispatch tables, as in inspect_watch.go: those of a system
// that is not recorded pay nothing. All else is recorded where the runtime does something rare
// anyway, and asks there for inspection or for the ring of its worker.
//
// A worker learns from its first recorded message that there is a recorder, and from then on has a
// ring. It learns from the ring that the recorder has been stopped.

// Record begins to record, in rings of up to so many bytes for each worker. It returns nil if the system
// is recorded already. After stop, which may be called once, it can be recorded again; what the log
// has stays.
func (in *inspector) Record(bytes int) (log *flightlog.Log, stop func()) {
	all := in.on()
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.flight.Load() != nil {
		return nil, nil
	}
	sparse, reach := flightlog.Sparse, flightlog.Reach
	if in.s.sim != nil {
		sparse, reach = 1, 0 // its time is a figure
	}
	log = flightlog.New(bytes, sparse, reach, in.flightClock())
	all.flight.Store(log)
	w := &watch{sys: in.s, fits: func(string) bool { return true }} // without probes: it records
	all.watches = append(all.watches, w)
	in.eachTable(w.add)
	return log, func() {
		all.flight.Store(nil)
		all.unwatch(w)
		log.Close()
	}
}

// flightClock is the time since now, by the machine's clock or, in a deterministic system, by the
// system's.
func (in *inspector) flightClock() func() int64 {
	clock := in.s.deadlockClock()
	begin := clock.Nanos()
	return func() int64 { return clock.Nanos() - begin }
}

// records reports whether a watch records messages.
func (w *watch) records() bool { return w.of == nil && w.labels == nil }

// recorded returns an entry of a dispatch table that records the message, and then goes on. If it
// were inlined, what its result calls would not be. Its fast path needs nothing behind a call, so
// that it keeps nothing on the stack.
//
//go:noinline
func recorded(name uint16, run runFunc) runFunc {
	head := flightlog.HeadOf(flightlog.Run, name)
	return func(c *Context, a *cell, m *message) {
		// The upper bits of From, of which one says that the message was stashed, are not recorded.
		if r := c.ring; r != nil {
			if s, ok := r.Next(); ok {
				r.Put(r.Place(s, head), a.id, m.From)
				run(c, a, m)
				return
			}
		}
		c.recordAndRun(name, a, m, run)
	}
}

// recordAndRun is recorded for a worker that has no ring yet, or has to look at the clock. Owner
// only.
//
//go:noinline
func (c *Context) recordAndRun(name uint16, a *cell, m *message, run runFunc) {
	c.record(flightlog.Run, name, a.id, m.From)
	run(c, a, m)
}

// record records an event of this worker, and finds its ring first if need be. Owner only.
func (c *Context) record(k flightlog.What, name uint16, actor, other uint64) {
	if r := c.ring; r != nil {
		if r.Note(k, name, actor, other) {
			return
		}
		c.leaveRing()
	}
	i := c.sys.inspected.Load()
	if i == nil {
		return
	}
	log := i.all.(*inspected).flight.Load()
	if log == nil {
		return
	}
	if c.ring = log.Ring(c.w.ID()); c.ring == nil {
		return // too many workers, or it has just been stopped
	}
	c.ids.end = c.ids.next // spawns go the slow way: see newID
	c.w.Listen(ringOfWorker{c})
	c.ring.Note(k, name, actor, other)
}

// leaveRing is for a worker that is not recorded any more. Owner only.
func (c *Context) leaveRing() {
	c.ring = nil
	c.ids.end = c.ids.last
	c.w.Listen(nil)
}

// ringOfWorker implements sched.Listener.
type ringOfWorker struct{ c *Context }

// Stole implements sched.Listener.
func (r ringOfWorker) Stole(t *sched.Task, from *sched.Worker) {
	id := uint64(0)
	if a := cellOrNil(t); a != nil {
		id = a.id
	}
	r.c.record(flightlog.Steal, 0, id, uint64(from.ID()))
}

// Parks implements sched.Listener.
func (r ringOfWorker) Parks() { r.c.record(flightlog.Park, 0, 0, 0) }

// Woke implements sched.Listener.
func (r ringOfWorker) Woke() { r.c.record(flightlog.Wake, 0, 0, 0) }

// note records an event of an actor: in the ring of the worker that e is, or else in the one that
// is common to all that is outside.
func (i *inspected) note(e env, k flightlog.What, typ, behaviour string, actor, other uint64) {
	log := i.flight.Load()
	if log == nil {
		return
	}
	name := uint16(0)
	if typ != "" {
		name = flightlog.IndexOf(typ, behaviour)
	}
	i.noteIn(log, e, k, name, actor, other)
}

// noteIn is note with the number of what the event is about, for the callers that have it.
func (i *inspected) noteIn(log *flightlog.Log, e env, k flightlog.What, name uint16, actor,
	other uint64) {
	if c, inside := e.(*Context); inside && c.sys == i.sys {
		c.record(k, name, actor, other)
		return
	}
	log.Outside(k, name, actor, other)
}

// noteType is note for events that each actor has, and so for the type, whose number is at hand.
func (i *inspected) noteType(e env, k flightlog.What, a *cell, other uint64) {
	if log := i.flight.Load(); log != nil {
		i.noteIn(log, e, k, a.typ().flightIndex(), a.id, other)
	}
}

// flightIndex is the type's number in recordings. Looking it up by the name took half of what a
// recorded spawn and end cost. All who are the first store the same number, and it publishes
// nothing. Any goroutine.
func (t *typeInfo) flightIndex() uint16 {
	if n := t.flight.Load(); n != 0 {
		return uint16(n)
	}
	n := flightlog.IndexOf(t.name, "")
	t.flight.Store(uint32(n)) // 0: too many have one
	return n
}

// noted implements inspection: an event of an actor and another one, which may be nil.
func (i *inspected) noted(e env, k flightlog.What, a, other *cell) {
	id := uint64(0)
	if other != nil {
		id = other.id
	}
	i.noteType(e, k, a, id)
}

// panickedIn implements inspection.
func (i *inspected) panickedIn(e env, p PanicReport) {
	i.note(e, flightlog.Panic, p.Type, p.Behaviour, p.ActorID, p.From)
	i.panics.each(func(f func(PanicReport)) { f(p) })
}

// lasted implements inspection.
func (i *inspected) lasted(l LongTurnReport) {
	i.note(nil, flightlog.LongTurn, l.Type, l.Behaviour, l.ActorID, uint64(l.Worker))
	i.longTurns.each(func(f func(LongTurnReport)) { f(l) })
}

// deadlocked implements inspection.
func (i *inspected) deadlocked(d PressureDeadlock) {
	i.note(nil, flightlog.Deadlock, d.Pressed.Type, "", d.Pressed.ID, uint64(len(d.Waits)))
	i.deadlocks.each(func(f func(PressureDeadlock)) { f(d) })
}

// heldOutside implements inspection.
func (i *inspected) heldOutside() (released func()) {
	i.note(nil, flightlog.Hold, "", "", 0, 0)
	over := i.holds.held()
	return func() {
		over()
		i.note(nil, flightlog.Release, "", "", 0, 0)
	}
}

// bornIn implements inspection. While the system is recorded, each spawn comes here.
func (i *inspected) bornIn(e env, a *cell) {
	if i.flight.Load() == nil {
		i.population.born(a)
		return
	}
	i.noteType(e, flightlog.Spawn, a, e.senderID())
	if i.population.picks(a.id) {
		i.population.born(a)
	}
}

// picksOutside implements inspection.
func (i *inspected) picksOutside(id uint64) bool {
	return i.flight.Load() != nil || i.population.picks(id)
}
