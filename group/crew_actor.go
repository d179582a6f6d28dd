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
	crew *crew
	want int // how many slots there are at first
	tell func(c *actor.Context, n news)
	up   func(c *actor.Context) error // called at every start; nil: nobody wants to know

	slots []*slot
	byID  map[uint64]*slot
	falls []time.Time // the latest, no more than count
	over  bool        // it has given up
}

// slot is the place of a member.
type slot struct {
	at      int
	ref     actor.AnyRef
	inRow   int       // falls without a calm time in between
	since   time.Time // when it came up; zero: it is not up
	timer   actor.Timer
	leaving bool // it is taken out of the pool
	asked   []actor.Deferred[actor.None]
}

// news is what a keeper says of its members.
type news struct {
	size   int        // how many slots there are
	slots  []slotNews // those in which something has changed
	failed error      // not nil: the keeper has given up
}

// slotNews says who is in a slot.
type slotNews struct {
	at   int
	ref  actor.AnyRef
	down bool // it waits for its restart
}

var (
	crewType = actor.NewType[CrewActor]("crew")
	fell     = actor.Declare[actor.Fallen](crewType, "fell")
	rose     = actor.Declare[actor.Risen](crewType, "rose", actor.Urgent())
	due      = actor.Declare[*slot](crewType, "due")
	resize   = actor.Declare[int](crewType, "resize")
	replaced = actor.DeclareAsk[actor.AnyRef, actor.None](crewType, "replaced")
)

func init() {
	crewType.OnStart((*CrewActor).start).Table(fell.Do((*CrewActor).fell), rose.Do((*CrewActor).rose), due.Do((*CrewActor).due),
		resize.Do((*CrewActor).resize), replaced.Do((*CrewActor).replaced))
}

func (k *CrewActor) start(c *actor.Context) error {
	k.byID = map[uint64]*slot{}
	if k.up != nil {
		if err := k.up(c); err != nil {
			return err
		}
	}
	k.grow(c, k.want)
	return nil
}

// grow makes slots until there are n.
func (k *CrewActor) grow(c *actor.Context, n int) {
	var more []slotNews
	for len(k.slots) < n {
		s := &slot{at: len(k.slots)}
		k.slots = append(k.slots, s)
		more = append(more, k.fill(c, s))
	}
	k.tell(c, news{size: n, slots: more})
}

// fill spawns the actor of a slot.
func (k *CrewActor) fill(c *actor.Context, s *slot) slotNews {
	s.ref = k.crew.spawn(c, actor.Care[CrewActor]{Fell: fell, Rose: rose})
	k.byID[s.ref.ID()] = s
	return slotNews{at: s.at, ref: s.ref}
}

// say tells the pool of one slot.
func (k *CrewActor) say(c *actor.Context, s slotNews) {
	k.tell(c, news{size: len(k.slots), slots: []slotNews{s}})
}

func (k *CrewActor) fell(c *actor.Context, f actor.Fallen) {
	s := k.byID[f.ActorID]
	if s == nil || k.over {
		return
	}
	up := s.since
	s.since = time.Time{}
	if f.Final {
		k.end(c, s)
		return
	}
	if s.leaving {
		actor.Stop(c, s.ref)
		return
	}
	now := c.Now()
	if !up.IsZero() && now.Sub(up) >= k.crew.most {
		s.inRow = 0
	}
	s.inRow++
	k.say(c, slotNews{at: s.at, ref: s.ref, down: true})
	if !k.count(now) {
		k.over = true
		k.tell(c, news{failed: k.tooOften(f)})
		return
	}
	actor.Postpone(c, s.ref)
	s.timer = actor.After(c, k.crew.delay(s.inRow, c.Rand().Float64()), due, s)
}

// end takes note that the actor of a slot has ended for good.
func (k *CrewActor) end(c *actor.Context, s *slot) {
	delete(k.byID, s.ref.ID())
	s.timer.Cancel(c)
	if !s.leaving {
		s.inRow = 0
		k.say(c, k.fill(c, s))
	}
	for _, d := range s.asked {
		d.Reply(c, actor.None{}, nil)
	}
	s.asked = nil
}

// count counts a fall, and reports whether that is still within the limit.
func (k *CrewActor) count(now time.Time) bool {
	if k.crew.within == 0 {
		return true
	}
	k.falls = append(k.falls, now)
	if len(k.falls) <= k.crew.restarts {
		return true
	}
	oldest := k.falls[0]
	k.falls = append(k.falls[:0], k.falls[1:]...)
	return now.Sub(oldest) > k.crew.within
}

func (k *CrewActor) tooOften(f actor.Fallen) error {
	why := f.Reason
	if why == nil {
		why = actor.ErrStopped
	}
	return fmt.Errorf("%w: more than %d times in %v, last %s#%d: %w", ErrRestarts, k.crew.restarts, k.crew.within, f.Type, f.ActorID, why)
}

func (k *CrewActor) rose(c *actor.Context, r actor.Risen) {
	s := k.byID[r.Ref.ID()]
	if s == nil {
		return
	}
	s.since = c.Now()
	if s.inRow > 0 && !s.leaving {
		k.say(c, slotNews{at: s.at, ref: s.ref})
	}
}

func (k *CrewActor) due(c *actor.Context, s *slot) {
	if k.byID[s.ref.ID()] == s && !s.leaving {
		actor.Restart(c, s.ref)
	}
}

// resize makes slots, or drains the actors of the youngest and forgets them when they have ended.
func (k *CrewActor) resize(c *actor.Context, n int) {
	if n >= len(k.slots) {
		k.grow(c, n)
		return
	}
	for _, s := range k.slots[n:] {
		s.leaving = true
		actor.Drain(c, s.ref)
	}
	clear(k.slots[n:])
	k.slots = k.slots[:n]
	k.tell(c, news{size: n})
}

// replaced replies when an actor of the crew that has ended has a successor, or is a member no
// longer. For the zero ref it replies when there are members.
func (k *CrewActor) replaced(c *actor.Context, gone actor.AnyRef) (none actor.None, err error) {
	if s := k.byID[gone.ID()]; s != nil {
		s.asked = append(s.asked, actor.Defer(c, replaced))
	}
	return none, nil
}
