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
// message: some 8 ns for a message where several of a kind follow each other. So if a behaviour
// sets labels of its own (pprof.Do), up to 15 messages behind it may lack theirs. So may the first
// 15 of a worker that stands in for a blocked one.
//
// Labels goes on until the system ends: the labels of a goroutine can be changed only from within,
// so a worker that sleeps would keep those that it has.
func Labels(sys *actor.System, types ...string) {
	workers := new([256]labelOfWorker)
	_ = of(sys).Watch(fits(types), func(typ, behaviour string, _ bool) (
		before, after func(*actor.Context, int, uint64)) {
		labels := &labelSet{pprof.WithLabels(context.Background(),
			pprof.Labels("gallop.type", typ, "gallop.behaviour", behaviour))}
		return func(_ *actor.Context, worker int, _ uint64) {
			if uint(worker) >= uint(len(workers)) || workers[worker].changes(labels) {
				pprof.SetGoroutineLabels(labels.ctx)
			}
		}, nil
	})
}

// labelSet has the labels of a behaviour.
type labelSet struct{ ctx context.Context }

// labelOfWorker is what a worker has set last. Owner only.
type labelOfWorker struct {
	labels *labelSet
	left   int // messages up to the next one that sets them again
	_      [48]byte
}

// changes reports whether the worker has to set labels, and that it will.
func (w *labelOfWorker) changes(labels *labelSet) bool {
	if w.left--; w.left > 0 && w.labels == labels {
		return false
	}
	w.labels, w.left = labels, setEvery
	return true
}

// setEvery is how many messages of one behaviour run with the same labels before these are set
// again: a behaviour may have changed them.
const setEvery = 16
