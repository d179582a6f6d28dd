package supervise

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// killTimer kills children that have not ended in time when their supervisor ends or is restarted.
// It is an actor of its own because the timers of a supervisor that is ending are canceled. A
// supervisor has at most one between two restarts, spawned when the first child is told to end.
//
// Rejected: an actor for each child. Ten thousand sessions would cost ten thousand actors at each
// deploy, and Stats.Spawned counts them.
type killTimer struct {
	parent actor.AnyRef
	hook   func(Event)
	queues map[time.Duration][]deadline // by their span of time; the earliest deadline first
	late   map[uint64]deadline          // killed, and not yet known how they have ended
}

// deadline is when a child is to be killed.
type deadline struct {
	child  actor.AnyRef
	within time.Duration
	at     time.Time

	path, typ string
	place     string // see placeOf
}

func (t *killTimer) start(c *actor.Context) error {
	t.queues, t.late = map[time.Duration][]deadline{}, map[uint64]deadline{}
	actor.Watch(c, t.parent, parentDown)
	return nil
}

// set adds a deadline. All deadlines of one queue share one timer.
func (t *killTimer) set(c *actor.Context, d deadline) {
	row := append(t.queues[d.within], d)
	if t.queues[d.within] = row; len(row) == 1 {
		actor.After(c, d.at.Sub(c.Now()), killDue, d.within)
	}
}

func (t *killTimer) due(c *actor.Context, within time.Duration) {
	row := t.queues[within]
	for len(row) > 0 && !row[0].at.After(c.Now()) {
		d := row[0]
		t.late[d.child.ID()] = d
		actor.Watch(c, d.child, lateDown)
		actor.Kill(c, d.child) // no effect on actors that have ended
		row = row[1:]
	}
	if t.queues[within] = row; len(row) > 0 {
		actor.After(c, row[0].at.Sub(c.Now()), killDue, within)
	}
}

// lateDown reports a child that was killed. Deadlines are not taken back, so most children have
// ended in good order before their deadline comes.
func (t *killTimer) lateDown(c *actor.Context, d actor.Down) {
	k := t.late[d.ActorID]
	if delete(t.late, d.ActorID); guard.Is(d.Reason, actor.ErrKilled) {
		e := Event{Kind: ChildOverdue, Path: k.path, Type: k.typ, Time: c.Now()}
		e.reportLate(c, t.hook, k.within, k.place)
	}
}

// down ends the timer after its mail has run: the message of the parent's end has overtaken the
// messages of the ends of children that the timer has killed.
func (t *killTimer) down(c *actor.Context, _ actor.Down) {
	actor.Drain(c, actor.Self[killTimer](c))
}

var (
	killTimerType = actor.NewType[killTimer]("killtimer")
	// it may arrive after the supervisor has ended
	armKill    = actor.Declare[deadline](killTimerType, "set", actor.BestEffort())
	killDue    = actor.Declare[time.Duration](killTimerType, "kill due")
	parentDown = actor.Declare[actor.Down](killTimerType, "down", actor.Urgent())
	lateDown   = actor.Declare[actor.Down](killTimerType, "late down", actor.Urgent())
)

func init() {
	(*kernel.AnyType)(killTimerType).Info().Unrefused = true
	killTimerType.OnStart((*killTimer).start).Table(armKill.Handle((*killTimer).set),
		killDue.Handle((*killTimer).due),
		parentDown.Handle((*killTimer).down), lateDown.Handle((*killTimer).lateDown))
}
