package inspect

import (
	"context"
	"runtime/pprof"

	"github.com/gallop-go/gallop/actor"
)

// Labels gives the samples of Go's profiles the labels gallop.type and gallop.behaviour: those of
// the behaviour that runs, for the types of these names, or for all types if there are none. A CPU
// profile says then which behaviours take the time, with all that they call:
//
//	go tool pprof -tags cpu.out
//	go tool pprof -tagfocus gallop.behaviour=order cpu.out
//
// Goroutines that a behaviour starts have its labels too. What a worker does between two behaviours
// counts for the first of them.
//
// The labels are set when a worker comes to another behaviour than before, and at every 16th
// message: some 3 ns for a message in turns of a hundred, 5 in turns of ten. So if a behaviour
// sets labels of its own (pprof.Do), up to 15 messages behind it may lack theirs. So may the first
// 15 of a worker that stands in for a blocked one.
//
// Labels goes on until the system ends: the labels of a goroutine can be changed only from within,
// so a worker that sleeps would keep those that it has.
func Labels(sys *actor.System, types ...string) {
	of(sys).Label(fits(types), func(typ, behaviour string) (set func()) {
		ctx := pprof.WithLabels(context.Background(),
			pprof.Labels("gallop.type", typ, "gallop.behaviour", behaviour))
		return func() { pprof.SetGoroutineLabels(ctx) }
	})
}
