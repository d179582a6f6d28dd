package observe

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// A source is the object of the looks: a system, or the script of a test.
type source interface {
	// begin starts the instruments. One goroutine calls sample at each tick, and finally close.
	begin() instruments
	// find, state and stop are for the page of one actor.
	find(id uint64) (inspect.Actor, bool)
	state(ctx context.Context, a inspect.Actor) (inspect.Snapshot, error)
	mail(a inspect.Actor) []inspect.MailOf
	// process is for the page of one process.
	process(id uint64) (p inspect.Process, stack string, ok bool)
	stop(a inspect.Actor)
}

type instruments interface {
	sample(at time.Time) *sample
	// glance is called at each beat, also between two samples.
	glance(at time.Time)
	// over reports whether the system has stopped.
	over() bool
	close()
}

// A sample has the figures of one look. It is immutable.
type sample struct {
	at    time.Time
	stats actor.Stats

	// slots is the number of workers that may run at a time, without workers of pinned types.
	slots      int
	workers    []inspect.Worker
	looks, ran uint64 // of the profile
	rounds     uint64 // looks at all workers
	machine    machine
	now        []nowTurn      // turns that have lasted for long, and still do
	busy       []inspect.Busy // actors, the busiest first
	behaviours []inspect.Busy

	types  []inspect.Type
	census inspect.Census
	names  []inspect.Named
	actors []inspect.Actor // actors that can be found: see known
	trees  []supervise.Node

	processes     inspect.ProcessList
	groups        []inspect.Group
	groupsLeftOut int

	graph inspect.WaitGraph
	why   []actor.Holder
	// largest has the actors with the most timers, Pipes, stashed messages and so on.
	largest []inspect.ActorHolder
	// Looks that take long are not repeated at each sample. These are the times of the latest ones, at
	// graph, and at why and largest; zero stands for the time of the sample.
	graphAt, whyAt time.Time

	pressed []pressed // under which actors are, and others are muted for them

	ending bool // Shutdown, Run or Stop has begun
	holds  []inspect.Held

	letters   []inspect.Letters
	recent    []inspect.Letter
	leftOut   uint64
	panics    []inspect.Panic
	long      []inspect.LongTurn
	deadlocks []inspect.PressureDeadlock

	delays []typeDelay
	waits  []actorWait // the longest first
	loops  []selfSender
}

// typeDelay is how long messages to actors of a type waited, by the latest probes.
type typeDelay struct {
	typ            string
	probes         int
	last, p50, p99 time.Duration
	// waits is how long the oldest unanswered probe has waited.
	waits time.Duration
}

// selfSender is an actor that sent itself most of its messages in a window.
type selfSender struct {
	actor     inspect.Actor
	all, self uint64
}

// actorWait is how long a message to an actor waited, by its latest probe, or has waited by now if
// open is set.
type actorWait struct {
	actor inspect.Actor
	delay time.Duration
	open  bool
}

// workersOf returns how many workers an actor or a process kept busy, on average.
func (s *sample) workersOf(k key) (n float64) {
	for _, b := range s.busy {
		if k.id != 0 && (k.process && b.Process == k.id || !k.process && b.Actor == k.id) {
			n += s.workersFor(b)
		}
	}
	return n
}

// turnOf returns how long the turn of a worker has lasted, if that is long; otherwise 0.
func (s *sample) turnOf(w inspect.Worker) time.Duration {
	for _, t := range s.now {
		if t.Worker == w.ID && t.Actor.ID == w.Actor && t.Process == w.Process {
			return t.Lasted
		}
	}
	return 0
}

// workersFor returns how many workers a row of the profile kept busy, on average.
func (s *sample) workersFor(b inspect.Busy) float64 {
	return float64(b.Samples) / float64(max(s.rounds, 1))
}
