package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// waker is a Listener that grants the worker its token when it is told that it parks.
type waker struct {
	w            *Worker
	parks, wakes int
}

func (*waker) Stole(*Task, *Worker) {}
func (k *waker) Parks()             { k.parks++; k.w.unpark() }
func (k *waker) Woke()              { k.wakes++ }

// TestListener_Sleeps: a Listener is told of a sleep, and not of a token that was there before the
// worker could fall asleep. Mutant: a park that does not ask whether the token is there.
func TestListener_Sleeps(t *testing.T) {
	w := &Worker{parker: seam.NewParker()}
	k := &waker{w: w}
	w.Listen(k)
	w.unpark()
	w.park()
	if k.parks != 0 || k.wakes != 0 {
		t.Errorf("told of %d parks and %d wakes of a worker with its token", k.parks, k.wakes)
	}
	if seam.Explored { // Granted is no answer there
		return
	}
	w.park()
	if k.parks != 1 || k.wakes != 1 {
		t.Errorf("told of %d parks and %d wakes, want one each", k.parks, k.wakes)
	}
}
