package actor

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// bridges are the goroutines between a system's actors and channels. They end soon when the
// system stops, which waits for them: what they had in hand is dead letters then. They
// are begun in turns, all of which have ended when somebody waits.
//
// Functions that Pipe runs are none of them: they are the user's, and may go on for long, or
// stop the system themselves.
type bridges struct {
	sys  *System
	all  sync.WaitGroup
	left seam.Count // of all
}

// bridge runs f in a goroutine that holds the system until it ends, and that its stop waits
// for. In a turn only, so that it cannot be too late.
func (s *System) bridge(f func()) {
	b := s.makeBridges()
	b.all.Add(1)
	b.left.Add(1)
	s.sched.Hold()
	s.sched.Go(func() {
		defer b.all.Done()
		defer b.left.Add(-1)
		defer s.sched.Release()
		f()
	})
}

// makeBridges returns the bridges of the system, and makes them at first. Any worker.
func (s *System) makeBridges() *bridges {
	if l := s.bridges.Load(); l != nil {
		return l.keeper.(*bridges)
	}
	s.bridges.CompareAndSwap(nil, &late{&bridges{sys: s}}) // publishes them
	return s.bridges.Load().keeper.(*bridges)
}

// stopAll has nothing to do: a bridge sees for itself that the system stops.
func (b *bridges) stopAll() {}

// over waits for the goroutines. What they send meanwhile is dead letters at once. In a deterministic system
// they go on only while this one lets them.
func (b *bridges) over() {
	if b.sys.sim != nil {
		b.sys.sched.Await(context.Background(), func() bool { return b.left.Load() == 0 })
	}
	b.all.Wait()
	if invariant.On {
		verifyNoBridges(b)
	}
}

// untilOver returns what is closed when the actor ends, or its life, which has armed what waits
// for it: the next one does so again. Owner only.
func (x *extras) untilOver() chan struct{} {
	if x.lifeOver == nil {
		x.lifeOver = make(chan struct{})
	}
	return x.lifeOver
}

// cutOff ends what brings values of channels, or takes them there, with the life or with the
// actor: it closes what untilOver has returned. Owner only.
func (x *extras) cutOff() {
	if x.lifeOver != nil {
		close(x.lifeOver)
		x.lifeOver = nil
	}
}
