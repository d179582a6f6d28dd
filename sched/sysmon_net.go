package sched

import (
	"math"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// The workers' look at the network, in place of Go's sysmon.
//
// Go's scheduler looks at the network when a processor finds nothing to run, and otherwise once in
// 10 ms. Workers that keep all processors busy and yield by runtime.Gosched are always found first:
// a request to the same process waited for 10 to 20 ms, though a sleeper was on time. So one worker
// in a while yields by waiting for the network itself, for a byte that it sends to itself. Its
// processor runs all runnable goroutines, finds no more, and looks at the network; then all
// received input and the worker are runnable. (docs/decisions/0005-idle-word.md)
//
// While a goroutine waits for a processor, no processor runs out of work, and the worker would be
// gone until the 10 ms are over; so it yields by Gosched. It does the same while a processor is
// free, since that processor looks by itself.
//
// Ownership: the worker that swaps nextLook for never owns procs and look, until it stores a time
// again.
type network struct {
	_ nocmp.Field
	// The time of the next look, ns; never while a worker looks, or if no worker can look.
	nextLook seam.Int64
	// Owned by the worker that looks.
	procs processors
	look  func(end bool) bool // nil: not opened yet
}

const (
	lookEvery = 250_000 // ns between two looks at the network
	never     = math.MaxInt64
)

// yield lets other goroutines run, also those with input from the network. It reports whether it
// has let any run. At most one worker is in it at a time: the compare-and-swap pairs with the store
// at the end, which publishes procs and look to the next worker. Workers only.
func (n *network) yield(now int64) bool {
	nextLook := n.nextLook.Load()
	if now < nextLook || !n.nextLook.CompareAndSwap(nextLook, never) {
		return false
	}
	n.procs.n = goProcessors()
	n.procs.look()
	if invariant.On {
		verifyLook(n, now, nextLook)
	}
	looks := n.procs.runnable == 0 && !n.procs.idle()
	if looks && n.look == nil {
		n.look = openNetwork()
	}
	if looks && (n.look == nil || !n.look(false)) {
		return false // and never again
	}
	n.nextLook.Store(now + lookEvery)
	return looks
}

// isLookedAt reports whether a worker looks at the network, or none ever can. Any goroutine.
func (n *network) isLookedAt() bool { return n.nextLook.Load() == never }

// close closes the pipe that the looks use. After all workers have left.
func (n *network) close() {
	if canLook && n.look != nil {
		n.look(true)
	}
}
