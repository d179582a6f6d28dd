package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// WorkerState is what a worker does.
type WorkerState int

// What a worker may be doing.
const (
	WorkerIdle     WorkerState = iota // it looks for work, or sleeps
	WorkerRunning                     // it runs a turn
	WorkerBlocking                    // its turn blocks: [actor.Context.Blocking], or an ask
)

// String returns the name of the state, in lower case.
func (s WorkerState) String() string {
	names := [...]string{"idle", "running", "blocking"}
	if s < 0 || int(s) >= len(names) {
		return "unknown"
	}
	return names[s]
}

// MarshalText returns the name of the state.
func (s WorkerState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Worker describes a worker at one moment.
type Worker struct {
	// ID is its number. The numbers from [actor.System.Workers] on are those of workers that stand
	// in for others with blocked turns, and of pinned types.
	ID     int
	Pinned bool // it has the thread of a pinned type
	State  WorkerState
	// Type and Actor say whose turn it runs; "" and 0 if none.
	Type  string
	Actor uint64
	// Behaviour is the behaviour or callback that runs; "" for what the runtime itself does.
	Behaviour string
	// For is how long the turn has been seen to run, by [Profiler.Workers]; else 0.
	For time.Duration
	// Busy is the share of looks at which a turn ran, by [Profiler.Workers]; else 0.
	Busy float64
}

// Workers looks at each worker once. It takes some 100 ns for each and disturbs none.
func Workers(sys *actor.System) []Worker {
	var all []Worker
	of(sys).EachWorker(func(id int, pinned, blocking bool, typ, behaviour string, actor uint64) {
		all = append(all, Worker{ID: id, Pinned: pinned, State: workerState(typ, blocking), Type: typ,
			Actor: actor, Behaviour: behaviour})
	})
	return all
}

// workerState is the state of a worker that runs a turn of an actor of a type; "": it does not.
func workerState(typ string, blocking bool) WorkerState {
	switch {
	case typ == "":
		return WorkerIdle
	case blocking:
		return WorkerBlocking
	}
	return WorkerRunning
}
