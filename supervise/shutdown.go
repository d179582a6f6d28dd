package supervise

import (
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Forever is a deadline that never comes.
const Forever time.Duration = math.MaxInt64

// Ending says how a child is stopped: when it is removed, when it has to go down with
// others, or when its supervisor ends. The zero Ending is [StopWithin] of 5 seconds for
// a worker, and of [Forever] for a supervisor.
//
// A child that goes down with others and comes up with them again keeps its mail, as in
// every restart: it is taken down after the message that it is handling, even with
// DrainWithin, and what is queued runs in its next life. Of its Ending only the
// deadline counts, and [KillAtOnce]. A [Temporary] child does not come up again, and
// ends as declared.
//
// When a supervisor ends, its children end one after another, each with its deadline. Those
// of [SimpleOneForOne] end all at once, so that many that hang take one deadline.
type Ending struct {
	mode   shutdownMode
	within time.Duration
}

type shutdownMode uint8

const (
	shutdownDefault shutdownMode = iota
	shutdownStop
	shutdownDrain
	shutdownKill
)

// StopWithin stops a child after the message that it is handling, and kills it if it
// has not ended when d has passed. See [actor.Stop] and [actor.Kill].
func StopWithin(d time.Duration) Ending { return Ending{shutdownStop, d} }

// DrainWithin lets a child run its mail first, and kills it if it has not ended when d
// has passed. See [actor.Drain], and [Ending] for a child that goes down with others.
func DrainWithin(d time.Duration) Ending { return Ending{shutdownDrain, d} }

// KillAtOnce kills a child. Such a child cannot be restarted in its place when it has
// to go down with others: it comes up as a new actor then.
func KillAtOnce() Ending { return Ending{shutdownKill, Forever} }

func (e Ending) orDefault(d Ending) Ending {
	if e.mode == shutdownDefault {
		return d
	}
	return e
}

// tell tells who to end in this way, from the behaviour of any actor. Whoever calls it sees to the
// deadline.
func (e Ending) apply(c *actor.Context, who actor.AnyRef) {
	switch e.mode {
	case shutdownKill:
		actor.Kill(c, who)
	case shutdownDrain:
		actor.Drain(c, who)
	default:
		actor.Stop(c, who)
	}
}

// limited reports whether a child that is told to end is to be killed after a while.
func (e Ending) hasDeadline() bool { return e.mode != shutdownKill && e.within != Forever }

// endChild tells a child to end because its supervisor ends, or is taken down.
func (s *supervisor) endChild(c *actor.Context, e Ending, child actor.AnyRef) {
	e.apply(c, child)
	if !e.hasDeadline() {
		return
	}
	if s.killTimer.IsZero() {
		s.killTimer = killTimerType.Spawn(c, killTimer{parent: actor.Self[supervisor](c).Any()})
	}
	armKill.Send(c, s.killTimer, deadline{child, e.within, c.Now().Add(e.within)})
}
