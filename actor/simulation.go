package actor

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// simulation is what a deterministic system has besides, as the rest of the runtime sees
// it: what it needs more of is behind functions, so that only a program with such a system
// links it. A nil one does nothing.
type simulation struct {
	hooks  *sim.Hooks
	driver sched.Driver
	pauses *seam.VirtualClock                         // the driver's to move
	runs   func(t *typeInfo, v *table) []runFunc      // a table with behaviours that report; v is nil for the type's own
	fault  func(c *Context, b *body, callback string) // before OnStart and its like
	sent   seam.Uint64                                // messages that have come to a mailbox, or will
}

// direct makes a scheduler deterministic.
func (s *simulation) direct(cfg *sched.Config) {
	if s != nil {
		cfg.Driver = s.driver
	}
}

// tell reports an event.
func (s *simulation) tell(kind sim.Kind, r replier, b *body, d *declaration, from uint64) {
	if s == nil || s.hooks.Event == nil {
		return
	}
	worker := -1
	if r.c != nil {
		worker = r.c.w.ID()
	}
	s.hooks.Event(sim.Event{Kind: kind, Worker: worker, Actor: b.id, Type: b.typ.name, Behaviour: d.name, From: from})
}

// book counts messages that are sent.
func (s *simulation) book(n int) {
	if s != nil {
		s.sent.Add(uint64(n))
	}
}

// bookUser counts a message that was sent from outside.
func (s *simulation) bookUser(m *message) {
	if s != nil && !isOwn(m.id) {
		s.sent.Add(1)
	}
}

// refuses tells whether a TrySend is to fail.
func (s *simulation) refuses(b *body, d *declaration) bool {
	return s != nil && s.hooks.Refuse != nil && s.hooks.Refuse(b.typ.name, d.name)
}

// callback comes before a function that a type has for its actors' beginnings and ends.
func (s *simulation) callback(c *Context, b *body, name string) {
	if s != nil {
		s.fault(c, b, name)
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

// stallClock tells the watch over actors under pressure when to look: the machine's time,
// or, in a deterministic system, what passes when nobody can go on.
func (s *System) stallClock() seam.Clock {
	if s.sim != nil {
		return s.sim.pauses
	}
	return seam.SystemClock{}
}
