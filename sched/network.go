package sched

import (
	"math"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Go's scheduler looks at the network when a processor finds nothing to run, and otherwise once in
// 10 ms. Workers that keep all processors busy, and let others run by runtime.Gosched, are always
// found first: a request to the same process waited for 10 to 20 ms, though a sleeper was on time. So one worker in a
// while lets others run by waiting for the network itself, for a byte that it sends to itself: its
// processor runs what there is, finds nothing more, and looks; what has come in is runnable then, and
// the worker is as well. (docs/decisions/0039-who-waits-for-the-network.md)
//
// Where a goroutine waits for a processor nothing is left to find, and the worker would be gone
// until the 10 ms are over: there it yields as ever. So do workers where a processor is free, which
// looks by itself.
type network struct {
	_     nocmp.Field
	due   seam.Int64          // when to look again, ns; never while somebody looks, or if it cannot be done
	procs processors          // of whoever looks, as what follows
	look  func(end bool) bool // nil: not opened yet
}

const (
	lookEvery = 250_000 // ns between two looks at the network
	never     = math.MaxInt64
)

// yield lets others run, and whoever the network has something for. It reports false if it has
// let nobody run. Workers only.
func (n *network) yield(now int64) bool {
	due := n.due.Load() // whoever takes it has procs and look until the Store below, which pairs with this
	if now < due || !n.due.CompareAndSwap(due, never) {
		return false
	}
	n.procs.n = goProcessors()
	n.procs.look()
	if invariant.On {
		verifyLook(n, now, due)
	}
	looks := n.procs.runnable == 0 && !n.procs.idle()
	if looks && n.look == nil {
		n.look = openNetwork()
	}
	if looks && (n.look == nil || !n.look(false)) {
		return false // and never again
	}
	n.due.Store(now + lookEvery)
	return looks
}

// close releases what it takes to look. Nobody does any more.
func (n *network) close() {
	if canLook && n.look != nil {
		n.look(true)
	}
}
