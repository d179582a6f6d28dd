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
	stop(a inspect.Actor)
}

type instruments interface {
	sample(at time.Time) *sample
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
	// waited is how long threads of the process have waited for a processor, in all; 0 if unknown.
	waited     time.Duration
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
	holds []inspect.Held

	letters   []inspect.Letters
	recent    []inspect.Letter
	leftOut   uint64
	panics    []inspect.Panic
	long      []inspect.LongTurn
	deadlocks []inspect.PressureDeadlock

	delays []typeDelay
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
