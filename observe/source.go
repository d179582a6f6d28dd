package observe

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// A source is what is looked at: a system, or the script of a test.
type source interface {
	// begin starts the instruments. A goroutine calls sample, at each tick, and then close.
	begin() instruments
	// find, state and stop are for the page of one actor.
	find(id uint64) (inspect.Actor, bool)
	state(ctx context.Context, a inspect.Actor) (inspect.Snapshot, error)
	stop(a inspect.Actor)
}

type instruments interface {
	sample(at time.Time) *sample
	// over reports whether nothing will happen any more.
	over() bool
	close()
}

// A sample is what was seen in one look. It is not changed after that.
type sample struct {
	at    time.Time
	stats actor.Stats

	// Workers that may run at a time, beside those of pinned types.
	slots      int
	workers    []inspect.Worker
	looks, ran uint64 // of the profile
	// How long threads of the process have waited for a processor, in all; 0: unknown.
	waited     time.Duration
	busy       []inspect.Busy // actors, the busiest first
	behaviours []inspect.Busy

	types  []inspect.Type
	census inspect.Census
	names  []inspect.Named
	actors []inspect.Actor // those that can be found: see known
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

// typeDelay is how long messages to actors of a type had to wait, by the last probes.
type typeDelay struct {
	typ            string
	probes         int
	last, p50, p99 time.Duration
	// waits is how long the oldest probe that did not run yet has waited.
	waits time.Duration
}

// selfSender is an actor of which most messages came from itself, in a window.
type selfSender struct {
	actor     inspect.Actor
	all, self uint64
}
