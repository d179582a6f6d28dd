package actor

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
)

// bridges are the goroutines between a system's actors and channels. When the system stops they end
// soon, and it waits for them; what they had in hand becomes dead letters. They are begun in turns,
// all of which have ended when somebody waits.
//
// Functions that Pipe runs are not among them: they are the user's, and may go on for long, or stop
// the system themselves.
type bridges struct {
	sys  *System
	all  sync.WaitGroup
	left seam.Count // of all
}

// bridge runs f in a goroutine that holds the system until f returns, and for which the system's
// stop waits. In a turn only, so that it cannot be too late.
func (s *System) bridge(what errandKind, of *cell, f func()) {
	b := s.makeBridges()
	b.all.Add(1)
	b.left.Add(1)
	release := s.holdFor(what, of)
	s.sched.Go(func() {
		defer b.all.Done()
		defer b.left.Add(-1)
		defer release()
		f()
	})
}

// makeBridges returns the bridges of the system, and makes them at first. Any worker.
func (s *System) makeBridges() *bridges {
	if l := s.bridges.Load(); l != nil {
		return l
	}
	s.bridges.CompareAndSwap(nil, &bridges{sys: s}) // publishes them
	return s.bridges.Load()
}

// finish waits for the goroutines. What they send meanwhile becomes dead letters at once. In a
// deterministic system they go on only while the calling goroutine lets them.
func (b *bridges) finish() {
	if b.sys.sim != nil {
		b.sys.sched.Await(context.Background(), func() bool { return b.left.Load() == 0 })
	}
	b.all.Wait()
}

// untilLifeDone returns a channel that is closed when the actor, or this life of it, ends. What
// waits for it was armed in this life; the next one arms its own. Owner only.
func (x *coldState) untilLifeDone() chan struct{} {
	if x.lifeDone == nil {
		x.lifeDone = make(chan struct{})
	}
	return x.lifeDone
}

// closeLife ends, with the life or with the actor, what brings values from channels or takes them
// there: it closes what untilLifeDone has returned. Owner only.
func (x *coldState) closeLife() {
	if x.lifeDone != nil {
		close(x.lifeDone)
		x.lifeDone = nil
	}
}
