package kernel

import (
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/sched"
)

// The flight recorder writes events into rings, one ring for each worker. Package flight reads them
// (docs/decisions/0045-inspect.md).
//
// Messages are recorded by exchanged dispatch tables, as in inspect_watch.go, so a system that is
// not recorded pays nothing for them. Other events are rare. The runtime checks at each of them
// whether the system is inspected, or whether the worker has a ring.
//
// A worker gets its ring at its first recorded message. When recording stops, the ring is closed,
// and the worker sees that at its next event.

// Record begins to record into rings of at most the given number of bytes, one for each worker. It
// returns nil if the system is being recorded already. stop ends the recording and is called at most
// once. The log keeps its events, and the system can be recorded again.
func (in *Inspector) Record(bytes int) (log *flightlog.Log, stop func()) {
	all := in.on()
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.flight.Load() != nil {
		return nil, nil
	}
	sparse, reach := flightlog.Sparse, flightlog.Reach
	if in.S.Sim != nil {
		sparse, reach = 1, 0 // reading its clock is cheap
	}
	log = flightlog.New(bytes, sparse, reach, in.flightClock())
	all.flight.Store(log)
	w := &watch{sys: in.S, fits: func(string) bool { return true }} // no probes: it records
	all.watches = append(all.watches, w)
	in.eachTable(w.add)
	return log, func() {
		all.flight.Store(nil)
		all.unwatch(w)
		log.Close()
	}
}

// flightClock returns a clock that counts nanoseconds from now. In a deterministic system it
// follows the system's clock, otherwise the machine's.
func (in *Inspector) flightClock() func() int64 {
	clock := in.S.deadlockClock()
	begin := clock.Nanos()
	return func() int64 { return clock.Nanos() - begin }
}

// records reports whether the watch is one of Record.
func (w *watch) records() bool { return w.of == nil && w.labels == nil }

// recorded returns an entry of a dispatch table that records the message and then runs it. recorded
// is not inlined, because otherwise the calls in its result would not be inlined. The fast path of
// the result uses nothing after the call of run, so it keeps nothing on the stack.
//
//go:noinline
func recorded(name uint16, run RunFunc) RunFunc {
	head := flightlog.HeadOf(flightlog.Run, name)
	return func(c *Turn, a *Cell, m *Message) {
		// The ring does not record the upper bits of From. One of them marks a stashed message.
		if r := c.ring; r != nil {
			if s, ok := r.Next(); ok {
				r.Put(r.Place(s, head), a.ID, m.From)
				run(c, a, m)
				return
			}
		}
		c.recordAndRun(name, a, m, run)
	}
}

// recordAndRun is recorded for a worker that has no ring yet, or whose ring must read the clock.
// Owner only.
//
//go:noinline
func (c *Turn) recordAndRun(name uint16, a *Cell, m *Message, run RunFunc) {
	c.record(flightlog.Run, name, a.ID, m.From)
	run(c, a, m)
}

// record records an event of this worker. It gets a ring for the worker if that has none. Owner
// only.
func (c *Turn) record(k flightlog.What, name uint16, actor, other uint64) {
	if r := c.ring; r != nil {
		if r.Note(k, name, actor, other) {
			return
		}
		c.leaveRing()
	}
	i := c.Sys.inspected.Load()
	if i == nil {
		return
	}
	log := i.all.(*inspected).flight.Load()
	if log == nil {
		return
	}
	if c.ring = log.Ring(c.W.ID()); c.ring == nil {
		return // too many workers, or the recording has just been stopped
	}
	c.ids.end = c.ids.next // spawns go the slow way: see newID
	c.W.Listen(ringOfWorker{c})
	c.ring.Note(k, name, actor, other)
}

// leaveRing gives up the ring of a worker after the recording has stopped. Owner only.
func (c *Turn) leaveRing() {
	c.ring = nil
	c.ids.end = c.ids.last
	c.W.Listen(nil)
}

// ringOfWorker implements sched.Listener.
type ringOfWorker struct{ c *Turn }

// Stole implements sched.Listener.
func (r ringOfWorker) Stole(t *sched.Task, from *sched.Worker) {
	id := uint64(0)
	if a := cellOrNil(t); a != nil {
		id = a.ID
	}
	r.c.record(flightlog.Steal, 0, id, uint64(from.ID()))
}

// Parks implements sched.Listener.
func (r ringOfWorker) Parks() { r.c.record(flightlog.Park, 0, 0, 0) }

// Woke implements sched.Listener.
func (r ringOfWorker) Woke() { r.c.record(flightlog.Wake, 0, 0, 0) }

// note records an event of an actor: in the worker's own ring if e is a turn of this system, or
// else in the ring that everything outside shares.
func (i *inspected) note(e Env, k flightlog.What, typ, behaviour string, actor, other uint64) {
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

// noteIn is note for callers that have the log and the number of the name. e is nil in goroutines
// that have no env.
func (i *inspected) noteIn(log *flightlog.Log, e Env, k flightlog.What, name uint16, actor,
	other uint64) {
	if c, inside := e.(*Turn); inside && c.Sys == i.sys {
		c.record(k, name, actor, other)
		return
	}
	log.Outside(k, name, actor, other)
}

// noteType is note for an event that concerns the actor and no single behaviour. It uses the number
// of the type, which is at hand.
func (i *inspected) noteType(e Env, k flightlog.What, a *Cell, other uint64) {
	if log := i.flight.Load(); log != nil {
		i.noteIn(log, e, k, a.Typ().flightIndex(), a.ID, other)
	}
}

// flightIndex returns the type's number in recordings, or 0 if too many names have a number. The
// number is cached, because looking it up by name took half the cost of a recorded spawn and end.
// Goroutines that store it at the same time store the same number, and the store publishes nothing
// else. Any goroutine.
func (t *TypeInfo) flightIndex() uint16 {
	if n := t.flight.Load(); n != 0 {
		return uint16(n)
	}
	n := flightlog.IndexOf(t.Name, "")
	t.flight.Store(uint32(n)) // 0: too many names have a number
	return n
}

// noted implements inspection. It records an event of an actor; other may be nil.
func (i *inspected) noted(e Env, k flightlog.What, a, other *Cell) {
	id := uint64(0)
	if other != nil {
		id = other.ID
	}
	i.noteType(e, k, a, id)
}

// panickedIn implements inspection.
func (i *inspected) panickedIn(e Env, p PanicReport) {
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

// bornIn implements inspection. It is called for each spawn while the system is recorded.
func (i *inspected) bornIn(e Env, a *Cell) {
	if i.flight.Load() == nil {
		i.population.born(a)
		return
	}
	i.noteType(e, flightlog.Spawn, a, SenderID(e))
	if i.population.picks(a.ID) {
		i.population.born(a)
	}
}

// picksOutside implements inspection.
func (i *inspected) picksOutside(id uint64) bool {
	return i.flight.Load() != nil || i.population.picks(id)
}
