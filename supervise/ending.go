package supervise

import (
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Forever is the deadline that never comes.
const Forever time.Duration = math.MaxInt64

// Ending says how a child is stopped, when it is removed, has to go down with others, or
// its supervisor ends. The zero Ending is [StopWithin] of 5 seconds for a worker, and of
// [Forever] for a supervisor.
//
// A child that goes down with others and comes up with them again keeps its mail, as in every
// restart: it is taken down after the message that it handles, also with DrainWithin, and
// what is queued runs in its next life. Of its Ending the deadline counts, and [KillAtOnce]. One that
// is [Temporary] does not come up again, and ends as declared.
type Ending struct {
	how    how
	within time.Duration
}

type how uint8

const (
	howDefault how = iota
	howStop
	howDrain
	howKill
)

// StopWithin stops a child after the message that it handles, and kills it if it has not
// ended by then. See [actor.Stop] and [actor.Kill].
func StopWithin(d time.Duration) Ending { return Ending{howStop, d} }

// DrainWithin lets a child run its mail first, and kills it if it has not ended by then. See
// [actor.Drain], and [Ending] for a child that goes down with others.
func DrainWithin(d time.Duration) Ending { return Ending{howDrain, d} }

// KillAtOnce kills it. With such an ending a restart in its place is not possible when
// it has to go down with others: it is a new actor then.
func KillAtOnce() Ending { return Ending{howKill, Forever} }

func (e Ending) or(d Ending) Ending {
	if e.how == howDefault {
		return d
	}
	return e
}

// tell tells an actor to end in this way, from anybody's behaviour.
func (e Ending) tell(c *actor.Context, who actor.AnyRef) {
	switch e.how {
	case howKill:
		actor.Kill(c, who)
		return
	case howDrain:
		actor.Drain(c, who)
	default:
		actor.Stop(c, who)
	}
	if e.within != Forever {
		reaperType.Spawn(c, reaper{who, e.within})
	}
}
