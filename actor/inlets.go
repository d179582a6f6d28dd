package actor

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/internal/invariant"
)

// openInlet is what an actor knows of an inlet. It does not keep a channel that is read no more.
type openInlet struct {
	to             *body
	d              *declaration
	stopped, ended chan struct{}
	gone           chan struct{} // closed when what it took out of the channel has been delivered
}

// inlets are those of an actor that may be open, or have a value on its way. Another inlet for the
// same behaviour waits for the latter, so these are in a list of their own: with thousands open,
// opening one more does not look at each.
type inlets struct {
	life chan struct{} // open are of the life that closes this
	open []openInlet   // owner only; tidied when there are many
	many int
	lock sync.Mutex // of left: anybody may call stop
	left []openInlet
}

// inletsOf returns an actor's inlets, and makes them when they are first needed. Owner only.
func inletsOf(x *extras) *inlets {
	l, ok := x.inlets.(*inlets)
	if !ok {
		l = &inlets{}
		x.inlets = l
	}
	return l
}

// add takes up one more, and returns what is closed at the ends of those that come before it. Owner
// only.
func (l *inlets) add(o openInlet) (before []chan struct{}) {
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

// stop ends one inlet. Any goroutine.
func (l *inlets) stop(o openInlet) {
	l.lock.Lock()
	l.left = append(l.left, o) // before it knows: whoever comes behind this call finds it there
	l.lock.Unlock()
	close(o.stopped)
}

func isGone(o openInlet) bool { return isClosed(o.gone) }
