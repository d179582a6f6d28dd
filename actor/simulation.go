package actor

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// simulation is what a deterministic system has in addition, as the rest of the runtime sees it.
// What such a system needs beyond that is behind functions, so that only a program that has one
// links it. A nil simulation does nothing.
type simulation struct {
	sys    *System
	driver sched.Driver
	pauses seam.Clock  // goes on when nobody can
	sent   seam.Uint64 // messages that have come to a mailbox, or will

	runs   func(t *typeInfo, v *table, runs []runFunc) []runFunc // a table with behaviours that report; v is nil for the type's own
	note   func(what sim.Kind, r replier, to *body, m *message)  // what has become of a message
	refuse func(to *body, d *declaration) bool                   // whether a TrySend is to fail
	call   func(c *Context, b *body, callback string)            // before OnStart and its like

	latency func(b *body, behaviour string) (before, after time.Duration) // of a function of Pipe or Blocking; nil: none

	told  bool // hooks are told what happens: otherwise none of the following is kept
	mu    sync.Mutex
	asks  askBook           // guarded by mu
	marks marks             // guarded by mu
	types map[uint64]string // guarded by mu: of the actors, by their numbers
	unit  unit
}

// direct makes a scheduler deterministic.
func (s *simulation) direct(sys *System, cfg *sched.Config) {
	if s != nil {
		s.sys, cfg.Driver = sys, s.driver
	}
}

// tell reports what has become of a message.
func (s *simulation) tell(what sim.Kind, r replier, to *body, m *message) {
	if s != nil {
		s.note(what, r, to, m)
	}
}

// book counts messages that are sent. A call, as endedBecause; the hot paths have none of it.
//
//go:noinline
func (s *simulation) book(n int) {
	if s != nil {
		s.sent.Add(uint64(n))
	}
}

// bookUser counts a message of that behaviour that was sent from outside. It takes the behaviour's
// number, since the message may be the receiver's by then.
func (s *simulation) bookUser(id uint16) {
	if s != nil && isMail(id) { // before the call: every send from outside comes by
		s.book(1)
	}
}

// refuses tells whether a TrySend is to fail.
func (s *simulation) refuses(b *body, d *declaration) bool {
	return s != nil && s.refuse(b, d)
}

// callback is called before a function that a type has for its actors' beginnings and ends.
func (s *simulation) callback(c *Context, b *body, name string) {
	if s != nil {
		s.call(c, b, name)
	}
}

// makeInTurn returns a new node for the behaviour that runs. Others may go first.
func (c *Context) makeInTurn(id uint16) *message {
	c.w.Point()
	if id != signalPool.id && id != carriedPool.id { // what is carried is a node of its own
		c.sys.sim.book(1)
	}
	m := poolByID(id).make(c.home, 1)
	if s := c.sys.sim; s != nil { // in explorations there is none
		s.unit.made(c, m)
	}
	return m
}

// stallClock tells the watch over actors under pressure when to look. It is the machine's clock or,
// in a deterministic system, one that goes on when nobody else can.
func (s *System) stallClock() seam.Clock {
	if s.sim != nil {
		return s.sim.pauses
	}
	return seam.SystemClock{}
}
