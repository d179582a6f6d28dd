package actor

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/internal/invariant"
)

// openSource is what an actor knows of an channel source. It does not keep a channel that is read
// no more.
type openSource struct {
	to             *cell
	d              *descriptor
	stopped, ended chan struct{}
	// Closed when what it took out of the channel has been delivered.
	gone chan struct{}
}

// channel sources are those of an actor that may be open, or have a value on its way. Another
// channel source for the same behaviour waits for the latter, so these are in a list of their own:
// with thousands open, opening one more does not look at each.
type chanSources struct {
	life chan struct{} // open are of the life that closes this
	open []openSource  // owner only; tidied when there are many
	many int
	lock sync.Mutex // of left: anybody may call stop
	left []openSource
}

// sourcesOf returns an actor's channel sources, and makes them when they are first needed. Owner
// only.
func sourcesOf(x *coldState) *chanSources {
	if x.sources == nil {
		x.sources = new(chanSources)
	}
	return x.sources
}

// add takes up one more, and returns what is closed at the ends of those that come before it. Owner
// only.
func (l *chanSources) add(o openSource) (before []chan struct{}) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.life != o.ended { // the life before has ended all of its
		l.life, l.left, l.open = o.ended, append(l.left, l.open...), nil
	}
	if len(l.open) >= l.many {
		l.open = slices.DeleteFunc(l.open, isGone)
		l.many = 2*len(l.open) + 2
	}
	l.open = append(l.open, o)
	if invariant.On {
		verifyOpen(l)
	}
	l.left = slices.DeleteFunc(l.left, isGone)
	for _, other := range l.left {
		if other.d == o.d {
			before = append(before, other.gone)
		}
	}
	return before
}

// stop ends one channel source. Any goroutine.
func (l *chanSources) stop(o openSource) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.left = append(l.left, o) // before it knows: the next source finds it there
	close(o.stopped)
}

func isGone(o openSource) bool { return isClosed(o.gone) }

// verifyOpen checks the channel sources that opening another does not look at: they are of the life
// that runs, which has not ended.
func verifyOpen(l *chanSources) {
	for _, o := range l.open {
		invariant.Check(o.ended == l.life, "a bridge of %v is open, of another life", o.to)
		invariant.Check(!isClosed(o.ended), "a bridge of %v is open, of a life that is over", o.to)
	}
}
