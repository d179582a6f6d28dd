package actor

import (
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// simulation is what a deterministic system has in addition. A nil simulation does nothing.
type simulation struct {
	sys    *System
	driver sched.Driver
	hooks  *sim.Hooks
	clock  *seam.VirtualClock // goes on when nothing else can
	sent   seam.Uint64        // messages that have come to a mailbox, or will

	// Hooks are told what happens: otherwise none of the following is kept.
	told  bool
	mu    sync.Mutex
	asks  askLog            // guarded by mu
	marks marks             // guarded by mu
	types map[uint64]string // guarded by mu: of the actors, by their numbers
	unit  unit

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
	if id != signalSize.id && id != carriedSize.id { // what is carried is a node of its own
		c.sys.sim.count(1)
	}
	m := sizeClassByID(id).makeBlock(c.owner, 1)
	if s := c.sys.sim; s != nil { // in explorations there is none
		s.unit.made(c, m)
	}
	return m
}

// deadlockClock tells the watch over actors under pressure when to look. It is the machine's clock
// or, in a deterministic system, one that goes on when nobody else can.
func (s *System) deadlockClock() seam.Clock {
	if s.sim != nil {
		return s.sim.clock
	}
	return seam.SystemClock{}
}
