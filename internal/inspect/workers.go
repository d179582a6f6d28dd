package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// WorkerState is the activity of a worker.
type WorkerState int

// The states of a worker.
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
	// ID is its number. Numbers from [actor.System.Workers] on belong to surplus workers, which
	// stand in for workers with blocked turns, and to workers of pinned types.
	ID     int
	Pinned bool // it has the thread of a pinned type
	State  WorkerState
	// Type and Actor identify the actor whose turn it runs; "" and 0 if there is none.
	Type  string
	Actor uint64
	// Behaviour is the running behaviour or callback; "" for work of the runtime itself.
	Behaviour string
	// For is how long [Profiler.Workers] has seen the turn run; otherwise 0.
	For time.Duration
	// Busy is the share of looks at which [Profiler.Workers] found a turn; otherwise 0.
	Busy float64
}

// Workers looks at each worker once. It takes some 100 ns a worker and does not disturb it.
func Workers(sys *actor.System) []Worker {
	var all []Worker
	of(sys).EachWorker(func(id int, pinned, blocking bool, typ, behaviour string, actor uint64) {
		all = append(all, Worker{ID: id, Pinned: pinned, State: workerState(typ, blocking), Type: typ,
			Actor: actor, Behaviour: behaviour})
	})
	return all
}

// workerState returns the state of a worker that runs a turn of an actor of type typ; "" means no
// turn.
func workerState(typ string, blocking bool) WorkerState {
	switch {
	case typ == "":
		return WorkerIdle
	case blocking:
		return WorkerBlocking
	}
	return WorkerRunning
}
