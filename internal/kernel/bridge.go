package kernel

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
)

// LifeDone is a channel that is closed when the life of its actor ends, or the actor. It is the
// beginning of the part of package bridge.
type LifeDone struct {
	done chan struct{} // nil: no bridge waits for it. Owner only
}

// Ends implements Part.
func (l *LifeDone) Ends(_ *Cell, _ Env, at Ending, _ error) {
	if l.done != nil && (at == atLifeEnd || at == atClose) {
		close(l.done)
		l.done = nil
	}
}

// Chan returns the channel. The next life has a channel of its own. Owner only.
func (l *LifeDone) Chan() chan struct{} {
	if l.done == nil {
		l.done = make(chan struct{})
	}
	return l.done
}

// bridges are the goroutines between a system's actors and channels. When the system stops they end
// soon, and the stop waits for them; the values that they have received become dead letters.
// Bridges are begun only in turns, and all turns have ended when the stop waits.
//
// The functions that Pipe runs are not bridges: they are the user's, and may go on for long, or
// stop the system themselves.
type bridges struct {
	sys  *System
	all  sync.WaitGroup
	Left seam.Count // the number of goroutines in all
}

// Bridge runs f in a goroutine that holds the system until f returns. The system's stop waits for
// the goroutine. In a turn only: then the stop is not yet waiting.
func (s *System) Bridge(what errandClass, of *Cell, f func()) {
	b := s.makeBridges()
	b.all.Add(1)
	b.Left.Add(1)
	release := s.HoldFor(what, of)
	s.Sched.Go(func() {
		defer b.all.Done()
		defer b.Left.Add(-1)
		defer release()
		guard.Unlabel()
		f()
	})
}

// makeBridges returns the bridges of the system. The first call makes them. Any worker.
func (s *System) makeBridges() *bridges {
	if l := s.Bridges.Load(); l != nil {
		return l
	}
	s.Bridges.CompareAndSwap(nil, &bridges{sys: s}) // publishes them
	return s.Bridges.Load()
}

// finish waits for the goroutines. The messages that they send meanwhile become dead letters at
// once. In a deterministic system the goroutines go on only while the caller waits in Await.
func (b *bridges) finish() {
	if b.sys.Sim != nil {
		b.sys.Sched.Await(context.Background(), func() bool { return b.Left.Load() == 0 })
	}
	b.all.Wait()
}
