package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of deterministic runs, for builds that check them.

// verifyReady checks the list of ready threads: in order, each once. Caller holds mu.
func verifyReady(d *driver) {
	for i, id := range d.ready {
		invariant.Check(i == 0 || d.ready[i-1] < id,
			"threads %d and %d can go on, in this order", d.ready[max(i-1, 0)], id)
	}
	invariant.Check(len(d.ready) <= len(d.threads),
		"%d of %d threads can go on", len(d.ready), len(d.threads))
}

// verifyBaton checks that a thread which is given the baton has none.
func verifyBaton(t *thread) {
	invariant.Check(len(t.baton) == 0, "thread %d is given a second baton", t.id)
}

// verifyPart checks a thread that waits for another run than its own: it has the baton of its own
// run, and is no thread of this one.
func verifyPart(d *driver, p part) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	invariant.Check(p.d != d && !p.t.waiting && p.d.byID(p.t.id) == p.t,
		"a thread waits for a run of which it is none, in its turn")
}

// verifyNoLock checks that the caller holds no lock of the runtime's where the driver may choose
// another thread: a thread that waits for the lock would have the baton, and keep it.
func verifyNoLock() {
	at := seam.HeldLock()
	invariant.Check(at == "", "a choice of the driver under a lock that was taken in %s", at)
}
