package group

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
)

// MemberSupervisor is the state of the actor that starts and restarts the members of a pool. It is
// exported for the declaration of an [AskPool] as the child of a supervisor: see
// [AskPoolForSupervisor].
//
// Each member has a slot, which it keeps when its actor is restarted or replaced.
type MemberSupervisor struct {
	spec    *memberSpec
	size    int // initial number of slots
	notify  func(c *actor.Context, u memberUpdate)
	onStart func(c *actor.Context) error // called at every start; may be nil
	log     *slog.Logger                 // that of the pool; nil: this actor's own
	pool    uint64                       // the number of the pool's actor; 0: it has no other
	of      string                       // see Inspect

	slots    []*slot
	byID     map[uint64]*slot
	failures []time.Time // the latest, at most spec.restarts
	gaveUp   bool        // it has reported an error, and does nothing more
}

// slot is the position of a member in its pool.
type slot struct {
	index       int
	ref         actor.AnyRef
	consecutive int       // failures since it was last up for maxBackoff
	upSince     time.Time // zero: it is not up
	timer       actor.Timer
	leaving     bool // it was removed from the pool, and handles the mail that is left
	stillborn   int  // how often in a row it could not be started
	waiting     []actor.Deferred[struct{}]
}

// memberUpdate is what the supervisor of the members tells the pool.
type memberUpdate struct {
	size    int            // number of slots
	slots   []slotUpdate   // those that have changed
	leaving []actor.AnyRef // to be drained by the pool, which sends them nothing more
	err     error          // not nil: the supervisor of the members has given up
}

// slotUpdate says which actor is in a slot.
type slotUpdate struct {
	index int
	ref   actor.AnyRef
	down  bool // it waits for its back-off
}

// drain drains the members that leave, when nothing more is sent to them.
func (u memberUpdate) drain(c *actor.Context) {
	for _, r := range u.leaving {
		access.DrainBehind(c, r)
	}
}

var (
	memberSupervisorType = actor.NewType[MemberSupervisor]("members")
	childDown            = actor.Declare[actor.ChildDown](memberSupervisorType, "child down")
	childUp              = actor.Declare[access.ChildUp](memberSupervisorType, "child up",
		actor.Urgent())
	restartDue = actor.Declare[*slot](memberSupervisorType, "restart due")
	resize     = actor.Declare[int](memberSupervisorType, "resize")
	replaced   = actor.DeclareAsk[actor.AnyRef, struct{}](memberSupervisorType,
		"replaced")
)

func init() {
	access.Unrefused(memberSupervisorType)
	memberSupervisorType.OnStart((*MemberSupervisor).start).Table(
		childDown.Handle((*MemberSupervisor).childDown),
		childUp.Handle((*MemberSupervisor).childUp), restartDue.Handle((*MemberSupervisor).restartDue),
		resize.Handle((*MemberSupervisor).resize), replaced.Handle((*MemberSupervisor).replaced))
}

func (a *MemberSupervisor) start(c *actor.Context) error {
	a.byID = map[uint64]*slot{}
	if a.onStart != nil {
		if err := a.onStart(c); err != nil {
			return err
		}
	}
	a.grow(c, a.size)
	return nil
}

// grow adds slots until there are n.
func (a *MemberSupervisor) grow(c *actor.Context, n int) {
	var more []slotUpdate
	for len(a.slots) < n {
		s := &slot{index: len(a.slots)}
		a.slots = append(a.slots, s)
		more = append(more, a.spawnInto(c, s))
	}
	a.notify(c, memberUpdate{size: n, slots: more})
}

// spawnInto spawns the actor of a slot.
func (a *MemberSupervisor) spawnInto(c *actor.Context, s *slot) slotUpdate {
	s.ref = a.spec.spawn(c, access.ChildOptions{Down: childDown, Up: childUp})
	a.byID[s.ref.ID()] = s
	return slotUpdate{index: s.index, ref: s.ref}
}

// notifySlot tells the pool about one slot, unless the pool has removed that.
func (a *MemberSupervisor) notifySlot(c *actor.Context, s *slot, down bool) {
	if !s.leaving {
		a.notify(c, memberUpdate{size: len(a.slots),
			slots: []slotUpdate{{index: s.index, ref: s.ref, down: down}}})
	}
}

func (a *MemberSupervisor) childDown(c *actor.Context, f actor.ChildDown) {
	s := a.byID[f.ActorID]
	if s == nil || a.gaveUp {
		return
	}
	up := s.upSince
	s.upSince = time.Time{}
	if f.Final {
		a.memberEnded(c, s)
		return
	}
	now := c.Now()
	if !up.IsZero() && now.Sub(up) >= a.spec.maxBackoff {
		s.consecutive = 0
	}
	s.consecutive++
	if s.stillborn++; !f.Starting {
		s.stillborn = 0
	}
	a.notifySlot(c, s, true)
	if s.leaving {
		// Each fall costs it one message of those that are left. Only one that cannot start needs a limit.
		if a.spec.within != 0 && s.stillborn > a.spec.restarts {
			a.logLost(c, s, f)
			actor.Stop(c, s.ref)
			return
		}
	} else if !a.withinLimit(now) {
		a.gaveUp = true
		why := a.restartsErr(f)
		a.logEnd(c, why)
		a.notify(c, memberUpdate{err: why})
		return
	}
	delay := a.spec.restartDelay(s.consecutive, c.Rand().Float64())
	a.logFall(c, s, f, delay)
	if delay == 0 { // it takes mail meanwhile, as one that a supervisor restarts at once
		actor.Restart(c, s.ref)
		return
	}
	access.Postpone(c, s.ref)
	s.timer = actor.After(c, delay, restartDue, s)
}

// memberEnded replaces the actor of a slot, which has ended by order, unless the slot was removed.
func (a *MemberSupervisor) memberEnded(c *actor.Context, s *slot) {
	delete(a.byID, s.ref.ID())
	s.timer.Cancel(c)
	if !s.leaving {
		s.consecutive = 0
		a.spawnInto(c, s)
		a.notifySlot(c, s, false)
	}
	for _, d := range s.waiting {
		d.Reply(c, struct{}{}, nil)
	}
	s.waiting = nil
}

// withinLimit counts a failure, and reports whether the number of failures is within the limit.
func (a *MemberSupervisor) withinLimit(now time.Time) bool {
	if a.spec.within == 0 {
		return true
	}
	a.failures = append(a.failures, now)
	if len(a.failures) <= a.spec.restarts {
		return true
	}
	oldest := a.failures[0]
	a.failures = append(a.failures[:0], a.failures[1:]...)
	return now.Sub(oldest) > a.spec.within
}

func (a *MemberSupervisor) restartsErr(f actor.ChildDown) error {
	why := f.Reason
	if why == nil {
		why = actor.ErrStopped
	}
	return fmt.Errorf("%w: more than %d times in %v, last %s#%d: %w", ErrRestarts, a.spec.restarts,
		a.spec.within, f.Type, f.ActorID, guard.Wrapped(why))
}

func (a *MemberSupervisor) childUp(c *actor.Context, r access.ChildUp) {
	s := a.byID[r.Ref.(actor.AnyRef).ID()]
	if s == nil {
		return
	}
	s.upSince = c.Now()
	if s.consecutive > 0 {
		a.notifySlot(c, s, false)
	}
}

func (a *MemberSupervisor) restartDue(c *actor.Context, s *slot) {
	if a.byID[s.ref.ID()] == s {
		actor.Restart(c, s.ref)
	}
}

// resize adds slots, or has the actors of the youngest drained and forgets them when they have ended.
// Until then they are restarted as others are: a message over which one falls costs no other.
func (a *MemberSupervisor) resize(c *actor.Context, n int) {
	if n >= len(a.slots) {
		a.grow(c, n)
		return
	}
	var leaving []actor.AnyRef
	for _, s := range a.slots[n:] {
		s.leaving = true
		leaving = append(leaving, s.ref)
	}
	clear(a.slots[n:])
	a.slots = a.slots[:n]
	a.notify(c, memberUpdate{size: n, leaving: leaving})
}

// replaced replies when a member's actor that has ended has a successor, or is no longer a member.
// For the zero ref it replies when there are members.
func (a *MemberSupervisor) replaced(c *actor.Context, gone actor.AnyRef) (none struct{},
	err error) {
	if s := a.byID[gone.ID()]; s != nil {
		s.waiting = append(s.waiting, actor.Defer(c, replaced))
	}
	return none, nil
}
