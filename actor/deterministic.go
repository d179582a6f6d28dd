package actor

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// Deterministic makes the system run one step at a time, in an order that [Seed] alone
// decides: the same seed, the same order on any machine, with the code that runs
// otherwise. It is for tests and for finding out what has happened; package actortest
// is built on it.
//
// There are [Workers], 4 by default, but only one runs at a time, and only while a
// goroutine waits for the system: in Wait, Run, Shutdown, Stop, Ask, SendWait, or for a
// moment in a Send from outside. The runtime may turn to another worker before
// every message that is sent and after every one that has run. Functions of [Pipe] take
// their turns like behaviours.
//
// Time is virtual, and begins at the same moment in every run: when nobody can go on, it
// jumps to the next timer. With [Clock] it is the caller's to move instead.
//
// A program repeats itself if it takes time, chance and input from the runtime alone.
// What breaks that: time.Now, the top-level functions of math/rand, the order of maps,
// select with several ready cases, goroutines of its own that touch the system, and
// addresses as keys. A behaviour that blocks for something outside of the system blocks all; after ten
// seconds the runtime panics and names it. So does a lock that is held while sending. Messages are not
// recycled, the governor, the monitor and [BindCPUs] are off.
func Deterministic() Option {
	return func(o *options) {
		if o.sim == nil {
			o.sim = &sim.Hooks{}
		}
	}
}

// Simulated is [Deterministic] for package actortest, which sees and decides more.
func Simulated(h *sim.Hooks) Option { return func(o *options) { o.sim = h } }

// simWorkers is the default of a deterministic system: the machine must not matter.
const simWorkers = 4

// epoch is when the time of a deterministic run begins.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// simulation is what a deterministic system has besides. A nil one has nothing.
type simulation struct {
	hooks sim.Hooks
	clock *seam.VirtualClock // the driver's to move; nil: a user's
	sent  seam.Uint64        // messages that have come to a mailbox, or will

	mu     sync.Mutex
	tables map[*table]*table // guarded by mu: with behaviours that pass by here
	doing  string            // guarded by mu: what began last
}

func newSimulation(o *options) *simulation {
	if o.sim == nil {
		return nil
	}
	s := &simulation{hooks: *o.sim, tables: map[*table]*table{}}
	if s.hooks.Choose == nil {
		s.hooks.Choose = atRandom(o.seed)
	}
	if c, ok := o.clock.(flowing); ok {
		s.clock = c.VirtualClock
	}
	return s
}

// atRandom chooses by a seed.
func atRandom(seed uint64) func([]int, int) int {
	chance := rand.NewPCG(seed, 0x2545f4914f6cdd1d)
	return func(ready []int, _ int) int { return ready[chance.Uint64()%uint64(len(ready))] }
}

// use makes an actor dispatch by a table. Owner only.
func (b *body) use(t *table) {
	if s := b.sys.sim; s != nil {
		t = s.tableOf(b.typ, t)
	}
	b.table = t
}

// tableOf returns the system's own copy of a table.
func (s *simulation) tableOf(typ *typeInfo, t *table) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.tables[t]
	if own == nil {
		own = &table{runs: make([]runFunc, len(t.runs))}
		for i, run := range t.runs {
			own.runs[i] = s.watched(typ.decls[i], run)
		}
		s.tables[t] = own
	}
	return own
}

// watched makes a behaviour report itself, and fail if it is told to.
func (s *simulation) watched(d *declaration, run runFunc) runFunc {
	if isOwn(d.id) {
		return run
	}
	return func(c *Context, b *body, m *message) {
		e := sim.Event{Kind: sim.Run, Worker: c.w.ID(), Actor: b.id, Type: b.typ.name, Behaviour: d.name, From: m.from}
		s.begin(e)
		var f sim.Fault
		if s.hooks.Fault != nil {
			f = s.hooks.Fault(e)
		}
		switch {
		case f.Panic != nil:
			panic(f.Panic)
		case f.Drop != nil:
			c.count.Messages-- // it does not run after all
			replier{c: c, sys: c.sys}.declareDead(b, m, f.Drop)
			return
		case f.Stop:
			defer c.Stop()
		}
		run(c, b, m)
	}
}

func (s *simulation) begin(e sim.Event) {
	s.mu.Lock()
	s.doing = fmt.Sprintf("%s of %s#%d", e.Behaviour, e.Type, e.Actor)
	s.mu.Unlock()
	s.tell(e)
}

// tell reports an event. Nothing is reported of an ordinary system.
func (s *simulation) tell(e sim.Event) {
	if s != nil && s.hooks.Event != nil {
		s.hooks.Event(e)
	}
}

// now names what began last.
func (s *simulation) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doing
}

// book counts messages that are sent.
func (s *simulation) book(n int) {
	if s != nil {
		s.sent.Add(uint64(n))
	}
}

// bookUser counts a message that was sent from outside.
func (s *simulation) bookUser(m *message) {
	if s != nil && m.id != systemID {
		s.sent.Add(1)
	}
}

// makeInTurn returns a new node for the behaviour that runs. Others may go first.
func (c *Context) makeInTurn(id uint16) *message {
	c.w.Point()
	if id != signalPool.id && id != timerPool.id && id != tickPool.id {
		c.sys.sim.book(1)
	}
	return poolByID(id).make1(c.home)
}

// direct makes a scheduler deterministic.
func (s *simulation) direct(cfg *sched.Config) {
	if s != nil {
		cfg.Choose, cfg.Doing = s.hooks.Choose, s.now
		if s.clock != nil {
			cfg.Idle = s.passTime
		}
	}
}

// refuses tells whether a TrySend is to fail.
func (s *simulation) refuses(b *body, d *declaration) bool {
	return s != nil && s.hooks.Refuse != nil && s.hooks.Refuse(b.typ.name, d.name)
}

// workerOf is the number of the worker that acts, or -1.
func (r replier) workerOf() int {
	if r.c == nil {
		return -1
	}
	return r.c.w.ID()
}

// Books are for package actortest.
func (s *System) Books() sim.Books {
	if s.sim == nil {
		return sim.Books{}
	}
	return sim.Books{Sent: s.sim.sent.Load(), Strangers: s.sched.Strangers()}
}

// flowing is a virtual clock that goes on by itself when nobody can: the driver moves it.
type flowing struct{ *seam.VirtualClock }

// Flows is true: whoever waits for the system waits for its timers.
func (flowing) Flows() bool { return true }

// flow gives a deterministic system a clock of its own, unless it was given one.
func (o *options) flow() {
	if o.virtual == nil {
		o.clock = flowing{seam.NewVirtualClock(epoch, 0)}
	}
}

// passTime goes on to the next timer, and reports whether there is one.
func (s *simulation) passTime() bool {
	at, ok := s.clock.Next()
	if ok {
		s.clock.MoveTo(at)
	}
	return ok
}
