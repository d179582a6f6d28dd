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

	// A table with behaviours that report; v is nil for the type's own.
	runs   func(t *typeInfo, v *table, runs []runFunc) []runFunc
	note   func(what sim.Kind, e env, to *cell, m *message) // what has become of a message
	refuse func(to *cell, d *descriptor) bool               // whether a TrySend is to fail
	call   func(c *Context, a *cell, callback string)       // before OnStart and its like

	latency func(a *cell, behaviour string) (before, after time.Duration) // of a function of Pipe or Blocking; nil: none

	// Hooks are told what happens: otherwise none of the following is kept.
	told  bool
	mu    sync.Mutex
	asks  askLog            // guarded by mu
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
func (s *simulation) tell(what sim.Kind, e env, to *cell, m *message) {
	if s != nil {
		s.note(what, e, to, m)
	}
}

// count counts messages that are sent. A call, as endedBecause; the hot paths have none of it.
//
//go:noinline
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
	return s != nil && s.refuse(a, d)
}

// callback is called before a function that a type has for its actors' beginnings and ends.
func (s *simulation) callback(c *Context, a *cell, name string) {
	if s != nil {
		s.call(c, a, name)
	}
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
		return s.sim.pauses
	}
	return seam.SystemClock{}
}
