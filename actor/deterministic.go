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

// WithDeterministic makes the system deterministic: it runs one step at a time, in an order that n
// alone decides, and n decides all else that is left to chance. The same seed means the
// same order on any machine, with the code that also runs otherwise. Seed is for tests
// and for finding out what has happened; package actortest is built on it. To seed
// [Context.Rand] alone, use [WithRandSeed].
//
// There are [WithWorkers], 4 by default, but only one runs at a time, and only while a
// goroutine waits for the system: in Wait, Run, Shutdown, Stop, Ask, SendWait, or for a
// moment in a Send from outside. The runtime may turn to another worker before every
// message that is sent and after every one that has run. Functions of [Pipe], and what
// stands between actors and channels, take their turns like behaviours. They take no
// virtual time unless they call [Sleep].
//
// Time is virtual, and begins at the same moment in every run. When no actor can go on,
// it jumps to the next timer; with [WithClock] the caller moves it instead. A behaviour
// takes no time. One that waits for a reply counts as long when no other can go on,
// and then others stand in for its worker, as they do at once in [Context.Blocking].
//
// A program repeats itself if it takes time, chance and input from the runtime alone.
// These break that: time.Now, the top-level functions of math/rand, the order of maps,
// a select with several ready cases, goroutines of the program's own that touch the
// system, contexts with a deadline, and addresses as keys.
//
// A behaviour that blocks for something outside of the system blocks everything; after
// ten seconds the runtime panics and names it. A lock that is held while sending does
// the same.
//
// Messages are not recycled, the governor and [WithCPUBinding] are off, and long turns are
// not reported.
func WithDeterministic(n uint64) Option {
	return systemOption(func(o *options) {
		o.seed = n
		// Of a run of actortest it seeds chance, and others decide the order.
		if o.hooks == nil {
			o.hooks, o.seeded = &sim.Hooks{}, true
		}
	})
}

// simulated is sim.Option.
func simulated(h *sim.Hooks) Option {
	return systemOption(func(o *options) { o.hooks = h })
}

// simWorkers is the default of a deterministic system: the machine must not matter.
const simWorkers = 4

// epoch is when the time of a deterministic run begins.
func epoch() time.Time { return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) }

// tableOf is a table of a type: its own, or that of a variant.
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

// endsStuck ends a context of package actortest, and what was derived from it, since its user waits
// for something that cannot happen. It reports false for any other context.
func endsStuck(ctx context.Context) bool {
	w, ok := ctx.Value(sim.WaitKey{}).(interface{ NoProgress() })
	if ok {
		w.NoProgress()
	}
	return ok
}

// beside is an Hooks.Panic that tells the hook and then the user's, if there is one: neither
// replaces the other.
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

// atRandom chooses by a seed.
func atRandom(seed uint64) func([]int, int) int {
	chance := rand.NewPCG(seed, 0x2545f4914f6cdd1d)
	return func(ready []int, _ int) int { return ready[chance.Uint64()%uint64(len(ready))] }
}

// flow gives a deterministic system a clock of its own, unless it was given one. It returns the
// clock that goes on when no actor can: the system's own or, if the user moves that, another for
// the runtime's pauses.
func (o *options) flow() *seam.VirtualClock {
	c := seam.NewVirtualClock(epoch(), 0)
	if o.virtual == nil {
		o.clock = flowing{c}
	}
	return c
}

// flowing is a virtual clock that goes on by itself when no actor can: the driver moves it.
type flowing struct{ *seam.VirtualClock }

// Flows is true: a wait for the system is one for its timers.
func (flowing) Flows() bool { return true }

// passTime goes on to the next alarm, and reports whether there is one.
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

// watched makes a behaviour report itself, and fail if it is observed to.
func (s *simulation) watched(d *descriptor, run runFunc) runFunc {
	if isOwn(d.id) {
		return run
	}
	news := d.hearsNews()
	return func(c *Context, a *cell, m *message) {
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

// hearsNews reports whether the messages are those of links, monitors and supervisors. These wait
// in no queue that drops any.
func (d *descriptor) hearsNews() bool {
	switch d.payload(d.size.New(msg.Outside)).(type) {
	case ChildDown, access.ChildUp, Down, Exit:
		return true
	}
	return false
}

// callback reports OnStart and its like, which are no messages and cannot be dropped.
func (s *simulation) callback(c *Context, a *cell, name string) {
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

// begin reports what begins in b, and returns what is to go wrong.
func (s *simulation) begin(c *Context, a *cell, m *message, e sim.Event,
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

// observe reports what has become of a message.
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

// wantsPayload reports whether what is in a message matters to the hooks.
func (s *simulation) wantsPayload(m *message) bool {
	_, ofUnit := s.unit.nodes[m]
	return s.hooks.Payload != nil || ofUnit
}

// report tells what happens in an actor, because of m if that is not nil, and returns it as it was
// observed.
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

// now names what began last.
func (s *simulation) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doing
}

// simCounts is sim.CountsOf.
func (s *System) simCounts() sim.Counts {
	if s.sim == nil {
		return sim.Counts{}
	}
	return sim.Counts{Sent: s.sim.sent.Load(), Received: s.sim.received.Load(), Strangers: s.sched.Strangers(), Waits: s.sim.waits()}
}

// simulation is what a deterministic system has in addition. A nil simulation does nothing.
type simulation struct {
	sys    *System
	driver sched.Driver
	hooks  *sim.Hooks
	clock  *seam.VirtualClock // goes on when nothing else can
	sent   seam.Uint64        // messages that have come to a mailbox, or will
	// Messages that processes have received.
	received seam.Uint64

	// Hooks are observed what happens: otherwise none of the following is kept.
	observed bool
	mu       sync.Mutex
	asks     askLog            // guarded by mu
	marks    marks             // guarded by mu
	types    map[uint64]string // guarded by mu: of the actors, by their numbers
	unit     unit

	tables map[tableOf]*table // guarded by mu: with behaviours that report
	doing  string             // guarded by mu: what began last
	owns   map[*typeInfo]bool // guarded by mu: whether a type is the runtime's own
}

// direct makes a scheduler deterministic.
func (s *simulation) direct(sys *System, cfg *sched.Config) {
	if s != nil {
		s.sys, cfg.Driver = sys, s.driver
	}
}

// tell reports what has become of a message.
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

// countUser counts a message of that behaviour that was sent from outside. It takes the behaviour's
// number, since the message may be the receiver's by then.
func (s *simulation) countUser(id uint16) {
	if s != nil && isMail(id) { // before the call: every send from outside comes by
		s.count(1)
	}
}

// refuses reports whether a TrySend is to fail.
func (s *simulation) refuses(a *cell, d *descriptor) bool {
	return s != nil && s.hooks.Refuse != nil && s.hooks.Refuse(a.typ().name, d.name)
}

// makeInTurn returns a new node for the behaviour that runs. Others may go first.
func (c *Context) makeInTurn(id uint16) *message {
	c.w.Point()
	if id != signalSize.ID && id != carriedSize.ID { // what is carried is a node of its own
		c.sys.sim.count(1)
	}
	m := msg.ByID(id).New(c.cache.Owner())
	if s := c.sys.sim; s != nil { // in explorations there is none
		s.unit.made(c, m)
	}
	return m
}

// deadlockClock tells the watch over actors under pressure when to look. It is the machine's clock
// or, in a deterministic system, one that goes on when no actor can.
func (s *System) deadlockClock() seam.Clock {
	if s.sim != nil {
		return s.sim.clock
	}
	return seam.SystemClock{}
}
