package inspect

import (
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/sched"
)

// The flight recorder writes events into rings, one ring for each worker. Package flight reads them
// (docs/decisions/0045-inspect.md).
//
// Messages are recorded by exchanged dispatch tables, as in watch.go, so a system that is not
// recorded pays nothing for them. Other events are rare. The kernel checks at each of them whether
// the system is inspected, or whether the worker has a ring.
//
// A worker gets its ring at its first recorded message. When recording stops, the ring is closed,
// and the worker sees that at its next event.

// Record begins to record into rings of at most the given number of bytes, one for each worker. It
// returns nil if the system is being recorded already. stop ends the recording and is called at
// most once. The log keeps its events, and the system can be recorded again.
func Record(s *kernel.System, bytes int) (log *flightlog.Log, stop func()) {
	all := on(s)
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.flight.Load() != nil {
		return nil, nil
	}
	sparse, reach := flightlog.Sparse, flightlog.Reach
	if s.Sim != nil {
		sparse, reach = 1, 0 // reading its clock is cheap
	}
	log = flightlog.New(bytes, sparse, reach, flightClock(s))
	all.flight.Store(log)
	w := &watch{sys: s, fits: func(string) bool { return true }} // no probes: it records
	all.watches = append(all.watches, w)
	s.EachTable(w.add)
	return log, func() {
		all.flight.Store(nil)
		all.unwatch(w)
		log.Close()
	}
}

// flightClock returns a clock that counts nanoseconds from now. In a deterministic system it
// follows the system's clock, otherwise the machine's.
func flightClock(s *kernel.System) func() int64 {
	clock := s.DeadlockClock()
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
func recorded(name uint16, run kernel.RunFunc) kernel.RunFunc {
	head := flightlog.HeadOf(flightlog.Run, name)
	return func(c *kernel.Turn, a *kernel.Cell, m *kernel.Message) {
		// The ring does not record the upper bits of From. One of them marks a stashed message.
		if r := c.Ring(); r != nil {
			if s, ok := r.Next(); ok {
				r.Put(r.Place(s, head), a.ID, m.From)
				run(c, a, m)
				return
			}
		}
		recordAndRun(c, name, a, m, run)
	}
}

// recordAndRun is recorded for a worker that has no ring yet, or whose ring must read the clock.
// Owner only.
//
//go:noinline
func recordAndRun(c *kernel.Turn, name uint16, a *kernel.Cell, m *kernel.Message,
	run kernel.RunFunc) {
	record(c, flightlog.Run, name, a.ID, m.From)
	run(c, a, m)
}

// record records an event of the worker of c. It gets a ring for the worker if that has none. Owner
// only.
func record(c *kernel.Turn, k flightlog.What, name uint16, actor, other uint64) {
	if r := c.Ring(); r != nil {
		if r.Note(k, name, actor, other) {
			return
		}
		leaveRing(c)
	}
	i, ok := c.Sys.Inspection().(*inspected)
	if !ok {
		return
	}
	log := i.flight.Load()
	if log == nil {
		return
	}
	r := log.Ring(c.W.ID())
	if r == nil {
		return // too many workers, or the recording has just been stopped
	}
	c.SetRing(r)
	c.W.Listen(ringOfWorker{c})
	r.Note(k, name, actor, other)
}

// leaveRing gives up the ring of a worker after the recording has stopped. Owner only.
func leaveRing(c *kernel.Turn) {
	c.SetRing(nil)
	c.W.Listen(nil)
}

// ringOfWorker implements sched.Listener.
type ringOfWorker struct{ c *kernel.Turn }

// Stole implements sched.Listener.
func (r ringOfWorker) Stole(t *sched.Task, from *sched.Worker) {
	id := uint64(0)
	if a := kernel.CellOrNil(t); a != nil {
		id = a.ID
	}
	record(r.c, flightlog.Steal, 0, id, uint64(from.ID()))
}

// Parks implements sched.Listener.
func (r ringOfWorker) Parks() { record(r.c, flightlog.Park, 0, 0, 0) }

// Woke implements sched.Listener.
func (r ringOfWorker) Woke() { record(r.c, flightlog.Wake, 0, 0, 0) }

// note records an event of an actor: in the worker's own ring if e is a turn of this system, or
// else in the ring that everything outside shares.
func (i *inspected) note(e kernel.Env, k flightlog.What, typ, behaviour string, actor,
	other uint64) {
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
func (i *inspected) noteIn(log *flightlog.Log, e kernel.Env, k flightlog.What, name uint16, actor,
	other uint64) {
	if c, inside := e.(*kernel.Turn); inside && c.Sys == i.sys {
		record(c, k, name, actor, other)
		return
	}
	log.Outside(k, name, actor, other)
}

// noteType is note for an event that concerns the actor and no single behaviour. It uses the number
// of the type, which is at hand.
func (i *inspected) noteType(e kernel.Env, k flightlog.What, a *kernel.Cell, other uint64) {
	if log := i.flight.Load(); log != nil {
		i.noteIn(log, e, k, a.Typ().FlightIndex(), a.ID, other)
	}
}

// Noted implements kernel.Inspection. It records an event of an actor; other may be nil.
func (i *inspected) Noted(e kernel.Env, k flightlog.What, a, other *kernel.Cell) {
	id := uint64(0)
	if other != nil {
		id = other.ID
	}
	i.noteType(e, k, a, id)
}
