package sched

import "github.com/gallop-go/gallop/internal/guard"

// A task may give its goroutine labels of a profile and leave them there. The next tasks of the
// worker, and the goroutines that they start, would have them as well.

// unlabel takes the labels off the worker's goroutine. It costs about 20 ns, so a worker calls it
// only before it sleeps and when it lets other goroutines run. Owner only.
func (w *Worker) unlabel() {
	guard.Unlabel()
	w.unlabelled++
}

// Unlabelled returns how often the worker has taken the labels off its goroutine. The layer above,
// which gives the goroutine labels of its own, sees by this number that they are gone. Owner only.
func (w *Worker) Unlabelled() uint64 { return w.unlabelled }
