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
	eachWorker(of(sys), func(w Worker) { all = append(all, w) })
	return all
}

// eachWorker calls f for each worker, without For and Busy.
func eachWorker(s *kernel.System, f func(Worker)) {
	processes := s.Processes()
	for _, w := range s.Sched.AllWorkers() {
		l := Worker{ID: w.ID(), Pinned: w.Pinned()}
		if g := kernel.GlimpseOf(w); g.Actor != nil {
			l.Type, l.Behaviour, l.Actor = g.Type, g.Behaviour, g.ID
		} else if processes != nil {
			if who, _, ok := kernel.ProcessOn(processes, w); ok {
				l.Type, l.Process = who.Type, who.ID
			}
		}
		switch {
		case l.Type == "":
		case kernel.PeekBlocking(w):
			l.State = WorkerBlocking
		default:
			l.State = WorkerRunning
		}
		f(l)
	}
}

// busySlots returns the number of busy workers and the number of workers of the system. A worker is
// busy while it runs a turn of an actor or a process. A stand-in counts in the place of the worker
// that it stands in for. Pinned workers and turns that block do not count.
func busySlots(s *kernel.System) (busy, slots int) {
	for _, w := range s.Sched.AllWorkers() {
		if w.Running() != nil && !w.Pinned() && !w.LostSlot() && !kernel.PeekBlocking(w) {
			busy++
		}
	}
	slots = s.Workers()
	return min(busy, slots), slots
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
	s := of(sys)
	processes, now := s.Processes(), clock(s)
	for _, w := range s.Sched.AllWorkers() {
		t := Turn{Worker: w.ID(), Stack: w.Stack}
		var g kernel.Glimpse
		if g, t.Lasted, t.Blocking = s.BlockedGlimpse(w, now); !t.Blocking {
			g, t.Lasted = kernel.GlimpseOf(w), w.Lasts()
		}
		if t.Lasted < least {
			continue
		}
		if g.Actor != nil {
			t.Actor, t.Behaviour = describe(g.Actor.Found()), g.Behaviour
			t.Type, t.Name = t.Actor.Type, t.Actor.Name
			all = append(all, t)
		} else if processes != nil {
			if who, stack, ok := kernel.ProcessOn(processes, w); ok {
				t.Process, t.Type, t.Name = who.ID, who.Type, who.Name
				t.Stack = func() []byte { return stack(processes.Stacks()) }
				all = append(all, t)
			}
		}
	}
	return all
}
