package kernel

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/kernel/stack"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// simWorkers is the default number of workers of a deterministic system. It does not depend on the
// machine.
const simWorkers = 4

// epoch returns the time at which a deterministic run begins.
func epoch() time.Time { return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) }

// tableOf is the key of a dispatch table: a type's own table, or that of a variant.
type tableOf struct {
	typ     *TypeInfo
	variant *table // nil: its own
}

// simulation completes the options of a deterministic system, and returns its simulation.
func (o *Options) simulation(h *sim.Hooks) *Simulation {
	o.defaultWorkers(simWorkers)
	o.Bind = false
	if o.RunClock != nil && o.RunClock != o.virtual {
		o.Wrong = append(o.Wrong, "WithClock: a run of actortest has its own, which R.Advance moves")
	}
	if h.Panicked != nil {
		o.OnPanic = beside(h.Panicked, o.OnPanic)
	}
	s := &Simulation{
		hooks: h, observed: h.Event != nil, clock: o.flow(), marks: marks{}, types: map[uint64]string{},
		tables: map[tableOf]*table{}, owns: map[*TypeInfo]bool{},
	}
	s.asks.questions = map[*Message]any{}
	h.Name = s.name
	choose := h.Choose
	if choose == nil {
		choose = atRandom(o.Seed)
	}
	s.driver = sched.NewDriver(sched.Turns{Choose: choose, Idle: s.passTime, Doing: s.now,
		Stuck: h.Stuck, Ends: endsStuck, Of: s})
	return s
}

// endsStuck ends a context of package actortest, and the contexts derived from it, because its user
// waits for something that cannot happen. It reports false for any other context.
func endsStuck(ctx context.Context) bool {
	w, ok := ctx.Value(sim.WaitKey{}).(interface{ NoProgress() })
	if ok {
		w.NoProgress()
	}
	return ok
}

// beside returns a Hooks.Panic that calls hook, and then the user's function own if that is not
// nil.
func beside(hook func(sim.Event, any), own func(PanicReport)) func(PanicReport) {
	return func(p PanicReport) {
		value := p.Value
		if p.Goexit {
			value = sim.Goexit{}
		}
		hook(sim.Event{Kind: sim.Panicked, Worker: -1, Actor: p.ActorID, Type: p.Type,
			Behaviour: p.Behaviour, From: p.From}, value)
		if own != nil {
			own(p)
		}
	}
}

// atRandom returns a Hooks.Choose that chooses at random from a seed.
func atRandom(seed uint64) func([]int, int) int {
	chance := rand.NewPCG(seed, 0x2545f4914f6cdd1d)
	return func(ready []int, _ int) int { return ready[chance.Uint64()%uint64(len(ready))] }
}

// flow gives a deterministic system a clock of its own, unless the user has set one. It returns the
// clock that moves when no actor can go on. That is the system's own clock or, if the user moves
// the system's clock, another one, for the runtime's pauses.
func (o *Options) flow() *seam.VirtualClock {
	c := seam.NewVirtualClock(epoch(), 0)
	if o.virtual == nil {
		o.Clock = flowing{c}
	}
	return c
}

// flowing is a virtual clock that the driver moves when no actor can go on.
type flowing struct{ *seam.VirtualClock }

// Flows is true: a caller that waits for the system also waits for its timers.
func (flowing) Flows() bool { return true }

// passTime moves the clock to the next alarm, and reports whether there is one.
func (s *Simulation) passTime() bool {
	at, ok := s.clock.Next()
	if ok {
		s.clock.MoveTo(at)
	}
	return ok
}

// runs returns the system's own copy of a table.
func (s *Simulation) runs(typ *TypeInfo, v *table, runs []RunFunc) []RunFunc {
	own, isNew := s.ownTable(typ, v, runs)
	if i := s.sys.inspected.Load(); isNew && i != nil {
		(*i).Dispatch(typ, own)
	}
	return own
}

// ownTables returns the system's copies of tables so far. Any goroutine.
func (s *Simulation) ownTables() map[tableOf]*table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.tables)
}

func (s *Simulation) ownTable(typ *TypeInfo, v *table, runs []RunFunc) (t []RunFunc, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := tableOf{typ, v}
	own := s.tables[key]
	if isNew = own == nil; isNew {
		own = &table{Runs: make([]RunFunc, len(runs))}
		for i, run := range runs {
			own.Runs[i] = s.watched(typ.Decls[i], run)
		}
		s.tables[key] = own
	}
	return own.Runs, isNew
}

// watched returns a function that reports a message and then runs it, and injects the faults for
// which the hooks ask. The runtime's own messages are not watched.
func (s *Simulation) watched(d *Descriptor, run RunFunc) RunFunc {
	if isOwn(d.ID) {
		return run
	}
	news := d.hearsNews()
	return func(c *Turn, a *Cell, m *Message) {
		var payload any
		if d.Reject != nil && s.observed || s.wantsPayload(m) {
			payload = d.Payload(m)
		}
		if d.Reject != nil && s.observed {
			s.running(m, payload)
		}
		e := sim.Event{Behaviour: d.Name, News: news, Request: d.Reject != nil}
		s.sourceOf(&e, m)
		f := s.begin(c, a, m, e, payload)
		if f.Kind == sim.Drop {
			c.Count.NotRun++
			DeclareDead(c, a, m, f.Reason)
			return
		}
		injectFault(a, c, f)
		if run(c, a, m); s.observed {
			s.hasRun(m)
		}
	}
}

// hearsNews reports whether d's messages are those of links, monitors and supervisors. No queue
// drops such a message.
func (d *Descriptor) hearsNews() bool {
	if d.News {
		return true
	}
	switch d.Payload(d.Size.New(msg.Outside)).(type) {
	case ChildDown, ChildUp:
		return true
	}
	return false
}

// callback reports a callback such as OnStart. A callback has no message and cannot be dropped.
func (s *Simulation) callback(c *Turn, a *Cell, name string) {
	if s == nil {
		return
	}
	e := sim.Event{Behaviour: name, Callback: true}
	var why any
	if x := a.Cold; x != nil {
		if x.Child != nil {
			e.From = x.Child.of
		}
		if x.where == inOnStop {
			why = x.Reason
		}
	}
	injectFault(a, c, s.begin(c, a, nil, e, why))
}

// begin reports that a behaviour or callback of a begins, and returns the fault to inject.
func (s *Simulation) begin(c *Turn, a *Cell, m *Message, e sim.Event,
	payload any) (f sim.Fault) {
	t := a.Typ()
	s.mu.Lock()
	s.doing = fmt.Sprintf("%s of %s#%d", e.Behaviour, t.Name, a.ID)
	s.mu.Unlock()
	e.Kind, e.Worker = sim.Run, c.W.ID()
	e = s.report(e, a, m, payload)
	if s.hooks.Fault != nil {
		f = s.hooks.Fault(e)
	}
	return f
}

// observe reports an event of a message: a dead letter or a panic.
func (s *Simulation) observe(what sim.Kind, e Env, to *Cell, m *Message) {
	d := to.Typ().Decls[m.ID]
	ev := sim.Event{Kind: what, Worker: -1, Behaviour: d.Name, Request: d.Reject != nil}
	s.sourceOf(&ev, m)
	ev.Worker = workerID(e)
	if x := to.Cold; what == sim.Panicked && x != nil && x.where != inNone {
		ev.Behaviour = x.where.name()
	}
	var payload any
	if what == sim.DeadLetter && s.wantsPayload(m) {
		payload = d.Payload(m)
	}
	s.report(ev, to, m, payload)
}

// wantsPayload reports whether the hooks need the payload of a message, or the turn that unit
// watches has sent it.
func (s *Simulation) wantsPayload(m *Message) bool {
	_, ofUnit := s.unit.nodes[m]
	return s.hooks.Payload != nil || ofUnit
}

// report completes an event in actor to, calls the hooks with it, and returns it. m is the message
// of the event, or nil.
func (s *Simulation) report(e sim.Event, to *Cell, m *Message, payload any) sim.Event {
	t := to.Typ()
	e.Actor, e.Type, e.Time = to.ID, t.Name, time.Duration(s.sys.Opts.Clock.Nanos())
	s.mu.Lock()
	if e.FromType == "" {
		e.FromType = s.types[e.From]
	}
	own, known := s.owns[t]
	if !known {
		of := reflect.TypeOf(t.State).Elem().PkgPath()
		own = strings.HasPrefix(of, stack.OurModule+"supervise") || of == stack.OurModule+"process/actors"
		s.owns[t] = own
	}
	s.mu.Unlock()
	e.Own = own
	s.unit.came(m, e, payload)
	if s.hooks.Payload != nil {
		s.hooks.Payload(payload)
	}
	if s.hooks.Event != nil {
		s.hooks.Event(e)
	}
	return e
}

// now returns the name of the behaviour or callback that began last.
func (s *Simulation) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doing
}

// SimCounts returns the counts of a deterministic system, or zero counts. It is called while
// nothing runs.
func (s *System) SimCounts() sim.Counts {
	if s.Sim == nil {
		return sim.Counts{}
	}
	return sim.Counts{Sent: s.Sim.sent.Load(), Received: s.Sim.received.Load(),
		Strangers: s.Sched.Strangers(), Waits: s.Sim.waits()}
}

// Simulation has the additional state of a deterministic system. A nil Simulation does nothing.
type Simulation struct {
	sys    *System
	driver sched.Driver
	hooks  *sim.Hooks
	clock  *seam.VirtualClock // moves when no actor can go on: see flow
	sent   seam.Uint64        // messages that have come to a mailbox, or will come
	// Messages that processes have received.
	received seam.Uint64

	// The hook Event is set. Otherwise no marks, types, questions or put-off replies are recorded.
	observed bool
	mu       sync.Mutex
	asks     askLog            // guarded by mu
	marks    marks             // guarded by mu
	types    map[uint64]string // guarded by mu: names of the actors' types, by actor number
	unit     unit

	tables map[tableOf]*table // guarded by mu: tables of watched behaviours
	doing  string             // guarded by mu: the behaviour or callback that began last
	owns   map[*TypeInfo]bool // guarded by mu: whether a type is the runtime's own
}

// direct makes a scheduler deterministic.
func (s *Simulation) direct(sys *System, cfg *sched.Config) {
	if s != nil {
		s.sys, cfg.Driver = sys, s.driver
	}
}

// tell is observe for an s that may be nil.
func (s *Simulation) tell(what sim.Kind, e Env, to *Cell, m *Message) {
	if s != nil {
		s.observe(what, e, to, m)
	}
}

// Count counts messages that are sent.
func (s *Simulation) Count(n int) {
	if s != nil {
		s.sent.Add(uint64(n))
	}
}

// countUser counts a message that was sent from outside, if it is the user's. id is the number of
// its behaviour: the receiver may own the message by then.
func (s *Simulation) countUser(id uint16) {
	if s != nil && isMail(id) { // s is checked here, since each send from outside calls countUser
		s.Count(1)
	}
}

// refuses reports whether the hooks make a TrySend fail.
func (s *Simulation) refuses(a *Cell, d *Descriptor) bool {
	return s != nil && s.hooks.Refuse != nil && s.hooks.Refuse(a.Typ().Name, d.Name)
}

// makeInTurn returns a new node for the running behaviour. Other workers may run before it returns.
func (c *Turn) makeInTurn(id uint16) *Message {
	c.W.Point()
	if id != signalSize.ID && id != carriedSize.ID { // the message that is carried has its own node
		c.Sys.Sim.Count(1)
	}
	m := msg.ByID(id).New(c.Cache.Owner())
	if s := c.Sys.Sim; s != nil { // in explorations there is none
		s.unit.made(c, m)
	}
	return m
}

// DeadlockClock returns the clock of the watch over actors under pressure. It is the machine's
// clock or, in a deterministic system, the clock that moves when no actor can go on.
// Any goroutine.
func (s *System) DeadlockClock() seam.Clock {
	if s.Sim != nil {
		return s.Sim.clock
	}
	return seam.SystemClock{}
}
