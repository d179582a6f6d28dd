package group

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// CrewActor is the state of the actor that has made the members of a pool, and restarts
// them. It is exported for the declaration of an [AskPool] as the child of a supervisor: see
// [AskPoolForSupervisor].
//
// Each member has a slot, for good, whatever becomes of the actor in it.
type CrewActor struct {
	spec    *memberSpec
	size    int // how many slots there are at first
	notify  func(c *actor.Context, u memberUpdate)
	onStart func(c *actor.Context) error // called at every start; nil: nobody wants to know

	slots    []*slot
	byID     map[uint64]*slot
	failures []time.Time // the latest, no more than count
	gaveUp   bool        // it has given up
}

// slot is the place of a member.
type slot struct {
	index       int
	ref         actor.AnyRef
	consecutive int       // falls without a calm time in between
	upSince     time.Time // when it came up; zero: it is not up
	timer       actor.Timer
	leaving     bool // it is taken out of the pool
	waiting     []actor.Deferred[actor.None]
}

// news is what a keeper says of its members.
type memberUpdate struct {
	size  int          // how many slots there are
	slots []slotUpdate // those in which something has changed
	err   error        // not nil: the keeper has given up
}

// slotNews says who is in a slot.
type slotUpdate struct {
	index int
	ref   actor.AnyRef
	down  bool // it waits for its restart
}

var (
	memberSupervisorType = actor.NewType[CrewActor]("crew")
	childDown            = actor.Declare[actor.Fallen](memberSupervisorType, "fell")
	childUp              = actor.Declare[actor.Risen](memberSupervisorType, "rose", actor.Urgent())
	restartDue           = actor.Declare[*slot](memberSupervisorType, "due")
	resize               = actor.Declare[int](memberSupervisorType, "resize")
	replaced             = actor.DeclareAsk[actor.AnyRef, actor.None](memberSupervisorType,
		"replaced")
)

func init() {
	memberSupervisorType.OnStart((*CrewActor).start).Table(childDown.Do((*CrewActor).childDown),
		childUp.Do((*CrewActor).childUp), restartDue.Do((*CrewActor).restartDue),
		resize.Do((*CrewActor).resize), replaced.Do((*CrewActor).replaced))
}

func (a *CrewActor) start(c *actor.Context) error {
	a.byID = map[uint64]*slot{}
	if a.onStart != nil {
		if err := a.onStart(c); err != nil {
			return err
		}
	}
	a.grow(c, a.size)
	return nil
}

// grow makes slots until there are n.
func (a *CrewActor) grow(c *actor.Context, n int) {
	var more []slotUpdate
	for len(a.slots) < n {
		s := &slot{index: len(a.slots)}
		a.slots = append(a.slots, s)
		more = append(more, a.spawnInto(c, s))
	}
	a.notify(c, memberUpdate{size: n, slots: more})
}

// fill spawns the actor of a slot.
func (a *CrewActor) spawnInto(c *actor.Context, s *slot) slotUpdate {
	s.ref = a.spec.spawn(c, actor.Care[CrewActor]{Fell: childDown, Rose: childUp})
	a.byID[s.ref.ID()] = s
	return slotUpdate{index: s.index, ref: s.ref}
}

// say tells the pool of one slot.
func (a *CrewActor) notifySlot(c *actor.Context, s slotUpdate) {
	a.notify(c, memberUpdate{size: len(a.slots), slots: []slotUpdate{s}})
}

func (a *CrewActor) childDown(c *actor.Context, f actor.Fallen) {
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
	if s.leaving {
		actor.Stop(c, s.ref)
		return
	}
	now := c.Now()
	if !up.IsZero() && now.Sub(up) >= a.spec.maxBackoff {
		s.consecutive = 0
	}
	s.consecutive++
	a.notifySlot(c, slotUpdate{index: s.index, ref: s.ref, down: true})
	if !a.withinLimit(now) {
		a.gaveUp = true
		a.notify(c, memberUpdate{err: a.restartsErr(f)})
		return
	}
	actor.Postpone(c, s.ref)
	s.timer = actor.After(c, a.spec.restartDelay(s.consecutive, c.Rand().Float64()), restartDue, s)
}

// end takes note that the actor of a slot has ended for good.
func (a *CrewActor) memberEnded(c *actor.Context, s *slot) {
	delete(a.byID, s.ref.ID())
	s.timer.Cancel(c)
	if !s.leaving {
		s.consecutive = 0
		a.notifySlot(c, a.spawnInto(c, s))
	}
	for _, d := range s.waiting {
		d.Reply(c, actor.None{}, nil)
	}
	s.waiting = nil
}

// count counts a fall, and reports whether that is still within the limit.
func (a *CrewActor) withinLimit(now time.Time) bool {
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

func (a *CrewActor) restartsErr(f actor.Fallen) error {
	why := f.Reason
	if why == nil {
		why = actor.ErrStopped
	}
	return fmt.Errorf("%w: more than %d times in %v, last %s#%d: %w", ErrRestarts, a.spec.restarts,
		a.spec.within, f.Type, f.ActorID, why)
}

func (a *CrewActor) childUp(c *actor.Context, r actor.Risen) {
	s := a.byID[r.Ref.ID()]
	if s == nil {
		return
	}
	s.upSince = c.Now()
	if s.consecutive > 0 && !s.leaving {
		a.notifySlot(c, slotUpdate{index: s.index, ref: s.ref})
	}
}

func (a *CrewActor) restartDue(c *actor.Context, s *slot) {
	if a.byID[s.ref.ID()] == s && !s.leaving {
		actor.Restart(c, s.ref)
	}
}

// resize makes slots, or drains the actors of the youngest and forgets them when they have ended.
func (a *CrewActor) resize(c *actor.Context, n int) {
	if n >= len(a.slots) {
		a.grow(c, n)
		return
	}
	for _, s := range a.slots[n:] {
		s.leaving = true
		actor.Drain(c, s.ref)
	}
	clear(a.slots[n:])
	a.slots = a.slots[:n]
	a.notify(c, memberUpdate{size: n})
}

// replaced replies when an actor of the crew that has ended has a successor, or is a member no
// longer. For the zero ref it replies when there are members.
func (a *CrewActor) replaced(c *actor.Context, gone actor.AnyRef) (none actor.None, err error) {
	if s := a.byID[gone.ID()]; s != nil {
		s.waiting = append(s.waiting, actor.Defer(c, replaced))
	}
	return none, nil
}
