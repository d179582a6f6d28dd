package observe

import (
	"log/slog"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Inspector is implemented by states, or pointers to them, of which the page shows more than the
// size. A state that is a slog.LogValuer needs no Inspect.
type Inspector interface {
	// Inspect returns what is to be shown, for example a map or a struct. It is called in the actor's
	// turn, between two messages. It must not block or change the state, and what it returns must not
	// share memory with the state.
	Inspect() any
}

// Labels gives the samples of Go's profiles the labels gallop.type and gallop.behaviour: those of
// the behaviour that runs, for the types of these names, or for all types if there are none. A CPU
// profile then says which behaviours take the time, with all that they call:
//
//	go tool pprof -tags cpu.out
//	go tool pprof -tagfocus gallop.behaviour=order cpu.out
//
// Goroutines that a behaviour starts have its labels too. What a worker does between two behaviours
// counts for the first of them.
//
// The labels are set when a worker comes to another behaviour than before, and at every 16th
// message: some 3 ns for a message in turns of a hundred, 5 in turns of ten. So if a behaviour sets
// labels of its own (pprof.Do), up to 15 messages after it may lack theirs. So may the first 15 of a
// worker that stands in for a blocked one.
//
// Labels goes on until the system ends: the labels of a goroutine can be changed only from within,
// so a worker that sleeps would keep the labels that it has.
func Labels(sys *actor.System, types ...string) { inspect.Labels(sys, types...) }

// Regions shows messages in Go's execution trace (runtime/trace), while that is being written. Of
// each worker, one message in oneIn, 1,024 if that is 0, is a region with the name of the type and
// the behaviour, as in "store.price". Regions is for the types of these names, or for all types if
// there are none. A region costs some 300 ns. Other messages cost a few nanoseconds, and nothing
// after stop, which may be called again. Regions panics if oneIn is negative.
//
// A behaviour that panics has a region up to the next message of its worker. Surplus workers beyond
// the 256th show nothing.
func Regions(sys *actor.System, oneIn int, types ...string) (stop func()) {
	return inspect.Regions(sys, oneIn, types...)
}

// LogHandler returns a handler that adds to each record who logs: actor, type and, if the actor has
// them, name and path, as the log of the system has them. It finds them in the context of the
// record, if that is, or is derived from, a context that [actor.Context.Context] or a Pipe has
// given. So a library that knows no actors logs for which actor it works, with slog.InfoContext(ctx,
// …):
//
//	slog.SetDefault(slog.New(observe.LogHandler(slog.NewJSONHandler(os.Stderr, nil))))
//
// In a behaviour, [actor.Context.Logger] does the same without a handler; records of a logger that
// has the attribute actor already are passed on as they are. The attributes are in the group that
// is open, if there is one. The name is the one that the actor had at the first call of Context in
// its life. LogHandler panics if next is nil. A record without such a context costs some
// nanoseconds.
func LogHandler(next slog.Handler) slog.Handler { return inspect.LogHandler(next) }
