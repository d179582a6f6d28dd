package kernel

import (
	"context"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// OpenSource is the part of a channel source that its actor keeps. It has no reference to the
// channel, which can be freed when it is no longer read.
type OpenSource struct {
	To             *Cell
	D              *Descriptor
	Stopped, Ended chan struct{}
	// Closed when the channel source has ended and has delivered its last value.
	Gone chan struct{}
}

// ChanSources has the channel sources of an actor. Sources that may be open are in open. Sources
// that were stopped, or are of an earlier life, are in left: they may have a value on its way. A
// new source for the same behaviour waits for the sources in left. With two lists, opening another
// source does not go through thousands of open ones.
type ChanSources struct {
	life chan struct{} // the life of the sources in open; closed when it ends
	Open []OpenSource  // owner only
	many int           // the length at which open is tidied; owner only
	lock sync.Mutex    // guards left: any goroutine may call stop
	Left []OpenSource
}

// actorBridges is the part with the bridges of an actor.
type actorBridges struct {
	// Closed when the life or the actor ends; nil: no bridge waits for it. Owner only.
	lifeDone chan struct{}
	Sources  ChanSources
}

// BridgesOf returns the bridges of an actor. The first call makes the part. Owner only.
func BridgesOf(x *Cold) *actorBridges {
	return partOf[actorBridges](x, BridgesPart)
}

// Ends implements part. It closes the channel of UntilLifeDone, with the life or with the actor.
func (b *actorBridges) Ends(_ *Cell, _ Env, at Ending, _ error) {
	if b.lifeDone != nil && (at == atLifeEnd || at == atClose) {
		close(b.lifeDone)
		b.lifeDone = nil
	}
}

// Add adds o, and returns the channels gone of the sources for which o has to wait. Owner only.
func (l *ChanSources) Add(o OpenSource) (before []chan struct{}) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.life != o.Ended { // the sources in open were of an earlier life
		l.life, l.Left, l.Open = o.Ended, append(l.Left, l.Open...), nil
	}
	if len(l.Open) >= l.many {
		l.Open = slices.DeleteFunc(l.Open, IsGone)
		l.many = 2*len(l.Open) + 2
	}
	l.Open = append(l.Open, o)
	if invariant.On {
		verifyOpen(l)
	}
	l.Left = slices.DeleteFunc(l.Left, IsGone)
	for _, other := range l.Left {
		if other.D == o.D {
			before = append(before, other.Gone)
		}
	}
	return before
}

// Stop ends one channel source. Any goroutine.
func (l *ChanSources) Stop(o OpenSource) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.Left = append(l.Left, o) // before the close: the next source finds it there
	close(o.Stopped)
}

func IsGone(o OpenSource) bool { return IsClosed(o.Gone) }

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

// UntilLifeDone returns a channel that is closed when the actor, or its present life, ends. The
// next life has a channel of its own. Owner only.
func (b *actorBridges) UntilLifeDone() chan struct{} {
	if b.lifeDone == nil {
		b.lifeDone = make(chan struct{})
	}
	return b.lifeDone
}

// VerifySourceTurn checks a channel source that may receive, since the sources before it are gone.
func VerifySourceTurn(o OpenSource, before []chan struct{}) {
	invariant.Check(!IsClosed(o.Gone), "a bridge of %v is gone before it has begun", o.To)
	for _, gone := range before {
		invariant.Check(IsClosed(gone), "a bridge of %v overtakes another", o.To)
	}
}

// verifyOpen checks the channel sources in open: they are of the present life, which has not ended.
func verifyOpen(l *ChanSources) {
	for _, o := range l.Open {
		invariant.Check(o.Ended == l.life, "a bridge of %v is open, of another life", o.To)
		invariant.Check(!IsClosed(o.Ended), "a bridge of %v is open, of a life that is over", o.To)
	}
}
