package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
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
	// Type and Actor identify the actor whose turn it runs; "" and 0 if there is none. If it runs a
	// process, Type is the type of that, and Process its number.
	Type           string
	Actor, Process uint64
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
	of(sys).EachWorker(func(l kernel.WorkerLook) { all = append(all, workerOf(l)) })
	return all
}

func workerOf(l kernel.WorkerLook) Worker {
	w := Worker{ID: l.ID, Pinned: l.Pinned, Type: l.Type, Behaviour: l.Behaviour, Actor: l.Actor,
		Process: l.Process}
	switch {
	case l.Type == "":
	case l.Blocking:
		w.State = WorkerBlocking
	default:
		w.State = WorkerRunning
	}
	return w
}

// Turn is a turn that has run or blocked for long, and still does.
type Turn struct {
	Worker int
	Actor  Actor // whose turn it is; zero if it is that of a process
	// Process is the number of the process, and Type and Names are as in [Process]; or else 0.
	Process   uint64
	Type      string
	Name      string
	Behaviour string // as in [Worker]
	// Blocking: it is in [actor.Context.Blocking], or in an ask. Others do not wait for its worker.
	Blocking bool
	Lasted   time.Duration // some milliseconds may be missing
	// Stack returns the present stack of its goroutine, as in [actor.LongTurnReport]. It stops the
	// program for a moment: two microseconds for each goroutine.
	Stack func() []byte
}

// TurnsNow looks for turns that have lasted for at least so long, by the runtime's own records.
// It does not matter when the look began. Pinned types are included only while they block.
func TurnsNow(sys *actor.System, least time.Duration) []Turn {
	var all []Turn
	in := of(sys)
	in.EachLongTurn(least, func(l kernel.LongTurnLook) {
		t := Turn{Worker: l.Worker, Type: l.Who.Type, Name: l.Who.Name, Behaviour: l.Behaviour,
			Blocking: l.Blocking, Lasted: l.Lasted, Stack: l.Stack}
		if l.Process {
			t.Process = l.Who.ID
		} else {
			t.Actor = describe(in, l.Ref)
		}
		all = append(all, t)
	})
	return all
}
