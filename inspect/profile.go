package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// DefaultInterval is the time between two looks of a [Profiler].
const DefaultInterval = 10 * time.Millisecond

// Profiler samples what the workers do: a profile of actors. Its methods may be called from any
// goroutine.
type Profiler struct{}

// Profile begins to look at the workers at each interval, DefaultInterval if that is 0. It has
// one goroutine and one timer until [Profiler.Stop], and allocates nothing while it looks.
// Profile panics if the interval is negative. A profiler that has begun does not keep the system
// from being quiescent, and ends with it.
func Profile(sys *actor.System, every time.Duration) *Profiler { return new(Profiler) }

// Stop ends it. What was seen stays.
func (p *Profiler) Stop() {}

// Reset forgets what was seen, to begin a new window.
func (p *Profiler) Reset() {}

// Samples returns how many looks at workers there were, and at how many of them a turn ran.
func (p *Profiler) Samples() (all, running uint64) { return 0, 0 }

// Busy is how often an actor, or a behaviour of a type, was seen at work.
type Busy struct {
	Type      string // of the actor
	Behaviour string // that ran; "" for what the runtime itself did
	// Actor is the number of the actor; 0 if the figure is of all actors of the type.
	Actor uint64
	// Samples is at how many looks it ran. Of an actor it may be too high by TooMany: 256 actors are
	// counted at a time, and one that comes takes over the count of the rarest.
	Samples, TooMany uint64
	// Share is Samples of all looks at which a turn ran. Its standard error is below
	// 0.5/√(looks).
	Share float64
}

// Actors returns up to n of the busiest actors, with the behaviour that each ran, the busiest
// first. An actor that is busier than 1/256 of all is always among them.
func (p *Profiler) Actors(n int) []Busy { return nil }

// Behaviours returns the behaviours that were seen at work, of all actors of their types, the
// busiest first.
func (p *Profiler) Behaviours() []Busy { return nil }

// Workers returns the workers with their shares since the last Reset, as of the last look.
func (p *Profiler) Workers() []Worker { return nil }
