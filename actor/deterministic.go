package actor

import (
	"context"
	"fmt"
	"github.com/gallop-go/gallop/internal/access"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/actor/internal/stack"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// WithDeterministic makes the system deterministic: it runs one step at a time, and the
// seed n alone decides the order of the steps and all other random choices. The same seed
// gives the same order on any machine, with the same code that runs in other systems.
// WithDeterministic is for tests and for the search for the cause of a failure; package
// actortest is built on it. To seed [Context.Rand] alone, use [WithRandSeed].
//
// The system has the number of workers of [WithWorkers], 4 by default. But only one runs at
// a time, and only while a goroutine waits for the system: in Wait, Run, Shutdown, Stop,
// Ask, SendWait, or for a moment in a Send from outside. The runtime may turn to another
// worker before each message that is sent and after each message that has run. Functions of
// [Pipe], and the goroutines between actors and channels, take their turns like behaviours.
// They take no virtual time unless they call [Sleep].
//
// Time is virtual, and begins at the same moment in every run. When no actor can go on, it
// jumps to the next timer; with [WithClock] the caller moves it instead. A behaviour takes
// no time. A behaviour that waits for a reply is treated as a long one when no other can
// go on: then other workers take over the queue of its worker, as they do at once in
// [Context.Blocking].
//
// A program is repeatable if the runtime is its only source of time, chance and input.
// These make it unrepeatable: time.Now, the top-level functions of math/rand, the order of
// maps, a select with several ready cases, goroutines of the program's own that use the
// system, contexts with a deadline, and addresses as keys.
//
// A behaviour that blocks on something outside of the system blocks the whole system; after
// ten seconds the runtime panics and names the behaviour. A lock that is held during a send
// has the same effect.
//
// Messages are not recycled, the governor and [WithCPUBinding] are off, and long turns are
// not reported.
func WithDeterministic(n uint64) Option {
	return systemOption(func(o *options) {
		o.seed = n
		// In a run of actortest n seeds only the random choices; the hooks decide the order.
		if o.hooks == nil {
			o.hooks, o.seeded = &sim.Hooks{}, true
		}
	})
}

// simulated is sim.Option.
func simulated(h *sim.Hooks) Option {
	return systemOption(func(o *options) { o.hooks = h })
}

// simWorkers is the default number of workers of a deterministic system. It does not depend on the
// machine.
const simWorkers = 4

// epoch returns the time at which a deterministic run begins.
func epoch() time.Time { return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) }

// tableOf is the key of a dispatch table: a type's own table, or that of a variant.
type tableOf struct {
	typ     *typeInfo
	variant *table // nil: its own
}

// simulation completes the options of a deterministic system, and returns its simulation.
func (o *options) simulation(h *sim.Hooks) *simulation {
	o.defaultWorkers(simWorkers)
	o.bind = false
	if h.Clock != nil && h.Clock != o.virtual {
		o.wrong = append(o.wrong, "WithClock: a run of actortest has its own, which R.Advance moves")
	}
	if h.Panicked != nil {
		o.onPanic = beside(h.Panicked, o.onPanic)
	}
	s := &simulation{
		hooks: h, observed: h.Event != nil, clock: o.flow(), marks: marks{}, types: map[uint64]string{},
		tables: map[tableOf]*table{}, owns: map[*typeInfo]bool{},
	}
	s.asks.questions = map[*message]any{}
	h.Name = s.name
	choose := h.Choose
	if choose == nil {
		choose = atRandom(o.seed)
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
func (o *options) flow() *seam.VirtualClock {
	c := seam.NewVirtualClock(epoch(), 0)
	if o.virtual == nil {
		o.clock = flowing{c}
	}
	return c
}

// flowing is a virtual clock that the driver moves when no actor can go on.
type flowing struct{ *seam.VirtualClock }

// Flows is true: a caller that waits for the system also waits for its timers.
func (flowing) Flows() bool { return true }

// passTime moves the clock to the next alarm, and reports whether there is one.
func (s *simulation) passTime() bool {
	at, ok := s.clock.Next()
	if ok {
		s.clock.MoveTo(at)
	}
	return ok
}

// runs returns the system's own copy of a table.
func (s *simulation) runs(typ *typeInfo, v *table, runs []runFunc) []runFunc {
	own, isNew := s.ownTable(typ, v, runs)
	if i := s.sys.inspected.Load(); isNew && i != nil {
		i.dispatch(typ, own)
	}
	return own
}

func (s *simulation) ownTable(typ *typeInfo, v *table, runs []runFunc) (t []runFunc, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := tableOf{typ, v}
	own := s.tables[key]
	if isNew = own == nil; isNew {
		own = &table{runs: make([]runFunc, len(runs))}
		for i, run := range runs {
			own.runs[i] = s.watched(typ.decls[i], run)
		}
		s.tables[key] = own
	}
	return own.runs, isNew
}

// watched returns a function that reports a message and then runs it, and injects the faults for
// which the hooks ask. The runtime's own messages are not watched.
func (s *simulation) watched(d *descriptor, run runFunc) runFunc {
	if isOwn(d.id) {
		return run
	}
	news := d.hearsNews()
	return func(c *kernelTurn, a *cell, m *message) {
		var payload any
		if d.reject != nil && s.observed || s.wantsPayload(m) {
			payload = d.payload(m)
		}
		if d.reject != nil && s.observed {
			s.running(m, payload)
		}
		e := sim.Event{Behaviour: d.name, News: news, Request: d.reject != nil}
		s.sourceOf(&e, m)
		f := s.begin(c, a, m, e, payload)
		if f.Kind == sim.Drop {
			c.count.notRun++
			declareDead(c, a, m, f.Reason)
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
func (d *descriptor) hearsNews() bool {
	switch d.payload(d.size.New(msg.Outside)).(type) {
	case ChildDown, access.ChildUp, Down, Exit:
		return true
	}
	return false
}

// callback reports a callback such as OnStart. A callback has no message and cannot be dropped.
func (s *simulation) callback(c *kernelTurn, a *cell, name string) {
	if s == nil {
		return
	}
	e := sim.Event{Behaviour: name, Callback: true}
	var why any
	if x := a.cold; x != nil {
		if x.child != nil {
			e.From = x.child.of
		}
		if x.where == inOnStop {
			why = x.reason
		}
	}
	injectFault(a, c, s.begin(c, a, nil, e, why))
}

// begin reports that a behaviour or callback of a begins, and returns the fault to inject.
func (s *simulation) begin(c *kernelTurn, a *cell, m *message, e sim.Event,
	payload any) (f sim.Fault) {
	t := a.typ()
	s.mu.Lock()
	s.doing = fmt.Sprintf("%s of %s#%d", e.Behaviour, t.name, a.id)
	s.mu.Unlock()
	e.Kind, e.Worker = sim.Run, c.w.ID()
	e = s.report(e, a, m, payload)
	if s.hooks.Fault != nil {
		f = s.hooks.Fault(e)
	}
	return f
}

// observe reports an event of a message: a dead letter or a panic.
func (s *simulation) observe(what sim.Kind, e env, to *cell, m *message) {
	d := to.typ().decls[m.ID]
	ev := sim.Event{Kind: what, Worker: -1, Behaviour: d.name, Request: d.reject != nil}
	s.sourceOf(&ev, m)
	ev.Worker = e.workerID()
	if x := to.cold; what == sim.Panicked && x != nil && x.where != inNone {
		ev.Behaviour = x.where.name()
	}
	var payload any
	if what == sim.DeadLetter && s.wantsPayload(m) {
		payload = d.payload(m)
	}
	s.report(ev, to, m, payload)
}

// wantsPayload reports whether the hooks need the payload of a message, or the turn that unit
// watches has sent it.
func (s *simulation) wantsPayload(m *message) bool {
	_, ofUnit := s.unit.nodes[m]
	return s.hooks.Payload != nil || ofUnit
}

// report completes an event in actor to, calls the hooks with it, and returns it. m is the message
// of the event, or nil.
func (s *simulation) report(e sim.Event, to *cell, m *message, payload any) sim.Event {
	t := to.typ()
	e.Actor, e.Type, e.Time = to.id, t.name, time.Duration(s.sys.opts.clock.Nanos())
	s.mu.Lock()
	if e.FromType == "" {
		e.FromType = s.types[e.From]
	}
	own, known := s.owns[t]
	if !known {
		of := reflect.TypeOf(t.state).Elem().PkgPath()
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
func (s *simulation) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doing
}

// simCounts is sim.CountsOf.
func (s *kernelSystem) simCounts() sim.Counts {
	if s.sim == nil {
		return sim.Counts{}
	}
	return sim.Counts{Sent: s.sim.sent.Load(), Received: s.sim.received.Load(), Strangers: s.sched.Strangers(), Waits: s.sim.waits()}
}

// simulation has the additional state of a deterministic system. A nil simulation does nothing.
type simulation struct {
	sys    *kernelSystem
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
	owns   map[*typeInfo]bool // guarded by mu: whether a type is the runtime's own
}

// direct makes a scheduler deterministic.
func (s *simulation) direct(sys *kernelSystem, cfg *sched.Config) {
	if s != nil {
		s.sys, cfg.Driver = sys, s.driver
	}
}

// tell is observe for an s that may be nil.
func (s *simulation) tell(what sim.Kind, e env, to *cell, m *message) {
	if s != nil {
		s.observe(what, e, to, m)
	}
}

// count counts messages that are sent.
func (s *simulation) count(n int) {
	if s != nil {
		s.sent.Add(uint64(n))
	}
}

// countUser counts a message that was sent from outside, if it is the user's. id is the number of
// its behaviour: the receiver may own the message by then.
func (s *simulation) countUser(id uint16) {
	if s != nil && isMail(id) { // s is checked here, since each send from outside calls countUser
		s.count(1)
	}
}

// refuses reports whether the hooks make a TrySend fail.
func (s *simulation) refuses(a *cell, d *descriptor) bool {
	return s != nil && s.hooks.Refuse != nil && s.hooks.Refuse(a.typ().name, d.name)
}

// makeInTurn returns a new node for the running behaviour. Other workers may run before it returns.
func (c *kernelTurn) makeInTurn(id uint16) *message {
	c.w.Point()
	if id != signalSize.ID && id != carriedSize.ID { // the message that is carried has its own node
		c.sys.sim.count(1)
	}
	m := msg.ByID(id).New(c.cache.Owner())
	if s := c.sys.sim; s != nil { // in explorations there is none
		s.unit.made(c, m)
	}
	return m
}

// deadlockClock returns the clock of the watch over actors under pressure. It is the machine's
// clock or, in a deterministic system, the clock that moves when no actor can go on.
func (s *kernelSystem) deadlockClock() seam.Clock {
	if s.sim != nil {
		return s.sim.clock
	}
	return seam.SystemClock{}
}
