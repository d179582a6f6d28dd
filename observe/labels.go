package observe

import (
	"log/slog"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Inspector is implemented by a state, or a pointer to it, to show more than its size on the page.
// A state that is a slog.LogValuer needs no Inspect.
type Inspector interface {
	// Inspect returns the value to show, for example a map or a struct. It is called in the actor's
	// turn, between two messages. It must not block or change the state, and the value must not
	// share memory with the state.
	Inspect() any
}

// Labels gives samples of Go's profiles the labels gallop.type and gallop.behaviour of the running
// behaviour. It applies to the types of these names, or to all types if no name is given. A CPU
// profile then shows the time of each behaviour, including its callees:
//
//	go tool pprof -tags cpu.out
//	go tool pprof -tagfocus gallop.behaviour=order cpu.out
//
// Goroutines that a behaviour starts inherit its labels. The work of a worker between two
// behaviours counts for the first of them.
//
// A worker sets the labels when its next behaviour differs from the last, and at every 16th
// message. That costs some 3 ns a message in turns of a hundred messages, 5 ns in turns of ten.
// After a behaviour that sets labels of its own (pprof.Do), up to 15 messages may lack theirs. The
// same holds for the first 15 messages of a worker that stands in for a blocked one.
//
// Labels stay until the system ends. A goroutine's labels can be changed only by itself, so a
// sleeping worker could not be cleared.
func Labels(sys *actor.System, types ...string) { inspect.Labels(sys, types...) }

// Regions shows messages in Go's execution trace (runtime/trace) while a trace is being written.
// One message in oneIn of each worker (1,024 if oneIn is 0) becomes a region, named after its type
// and behaviour, as in "store.price". Regions applies to the types of these names, or to all types
// if no name is given. A region costs some 300 ns, another message a few nanoseconds. After stop,
// messages cost nothing; stop may be called again. Regions panics if oneIn is negative.
//
// The region of a behaviour that panics ends with the next message of its worker. Surplus workers
// beyond the 256th record no regions.
func Regions(sys *actor.System, oneIn int, types ...string) (stop func()) {
	return inspect.Regions(sys, oneIn, types...)
}

// LogHandler returns a handler that adds the logging actor to each record: the attributes actor and
// type and, if the actor has them, name and path, as in the system's own log. It finds the actor in
// the context of the record, which must be, or be derived from, a context of
// [actor.Context.Context] or of a Pipe. So a library that does not know actors logs the actor it
// works for with slog.InfoContext(ctx, …):
//
//	slog.SetDefault(slog.New(observe.LogHandler(slog.NewJSONHandler(os.Stderr, nil))))
//
// In a behaviour, [actor.Context.Logger] does the same without a handler. A record that has the
// attribute actor already is passed on unchanged. The attributes join the open group, if there is
// one. The name is the actor's name at the first call of Context in its life. LogHandler panics if
// next is nil. A record without such a context costs some nanoseconds.
func LogHandler(next slog.Handler) slog.Handler { return inspect.LogHandler(next) }
