package supervise

import (
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Forever is a deadline that never passes.
const Forever time.Duration = math.MaxInt64

// Shutdown is the way to stop a child: when it is removed, when it is part of a group restart, or
// when its supervisor ends. The zero Shutdown is [StopWithin] of 5 seconds for a worker, and of
// [Forever] for a supervisor.
//
// In a group restart a child keeps its mail, as in every restart: it is suspended after the message
// that it is handling, even with DrainWithin, and queued messages run after the restart. Of its
// Shutdown only the deadline counts, and [KillAtOnce]. A [Temporary] child is not restarted, and
// ends as declared.
//
// When a supervisor ends, its children end one after another, each with its own deadline. Children
// of [SimpleOneForOne] end all at once, so that many children that hang cost one deadline.
type Shutdown struct {
	mode   shutdownMode
	within time.Duration
}

type shutdownMode uint8

const (
	shutdownDefault shutdownMode = iota
	shutdownStop
	shutdownDrain
	shutdownKill
	shutdownAsSupervisor // as the supervisor is told to end
)

// StopWithin stops a child after the message that it is handling, and kills it if it
// has not ended when d has passed. See [actor.Stop] and [actor.Kill].
func StopWithin(d time.Duration) Shutdown { return Shutdown{shutdownStop, d} }

// DrainWithin lets a child run its queued messages first, and kills it if it has not ended when d
// has passed. See [actor.Drain], and [Shutdown] for group restarts.
func DrainWithin(d time.Duration) Shutdown { return Shutdown{shutdownDrain, d} }

// KillAtOnce kills a child. In a group restart such a child cannot be restarted in place: it comes
// up as a new actor.
func KillAtOnce() Shutdown { return Shutdown{shutdownKill, Forever} }

func (e Shutdown) orDefault(d Shutdown) Shutdown {
	if e.mode == shutdownDefault {
		return d
	}
	return e
}

// apply tells an actor to end in this way, from a behaviour of any actor. The caller arms the
// deadline.
func (e Shutdown) apply(c *actor.Context, who actor.AnyRef) {
	switch e.mode {
	case shutdownKill:
		actor.Kill(c, who)
	case shutdownDrain:
		actor.Drain(c, who)
	default:
		actor.Stop(c, who)
	}
}

// hasDeadline reports whether a child that was told to end is killed when its deadline passes.
func (e Shutdown) hasDeadline() bool { return e.mode != shutdownKill && e.within != Forever }

// endChild tells a child to end because its supervisor ends or is suspended.
func (s *supervisor) endChild(c *actor.Context, ch *child, child actor.AnyRef) {
	e := ch.spec.stop
	e.apply(c, child)
	if !e.hasDeadline() {
		return
	}
	if s.killTimer.IsZero() {
		s.killTimer = killTimerType.Spawn(c, killTimer{parent: actor.Self[supervisor](c).Any(),
			hook: s.spec.onEvent})
	}
	armKill.Send(c, s.killTimer, deadline{child, e.within, c.Now().Add(e.within),
		s.pathOf(ch), ch.spec.typeName, s.placeOf(ch)})
}
