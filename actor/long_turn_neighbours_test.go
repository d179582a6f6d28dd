package actor_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestLongTurn_KeepsNoNeighbour: all tasks that a worker has queued run while one of its turns
// lasts, including the task in its next-slot. Another worker takes it, or the worker to which the
// monitor has given the slot.
//
// It finds this mutant, by its time limit: a monitor that does not look.
func TestLongTurn_KeepsNoNeighbour(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) { keepsNoNeighbour(t, workers) })
	}
}

func keepsNoNeighbour(t *testing.T, workers int) {
	const neighbours = 200
	sys := start(t, actor.WithWorkers(workers))
	ran, ended := make(chan struct{}), soon(t)
	var left atomic.Int64
	left.Store(neighbours)
	inside(t, sys, func(c *actor.Context) {
		for range neighbours {
			do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) {
				if left.Add(-1) == 0 {
					close(ran)
				}
			})
		}
		select { // the turn lasts until all others have had theirs
		case <-ran:
		case <-ended.Done():
			t.Errorf("%d neighbours have not run", left.Load())
		}
	})
	quiet(t, sys)
}
