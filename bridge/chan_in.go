package bridge

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// FromChan sends the values that it receives from ch to the running actor, as messages for
// b. It returns at once. It panics if ch is nil or b belongs to another type than the
// running actor.
//
// FromChan receives until
//
//   - ch is closed;
//   - the actor ends or is restarted;
//   - the system refuses messages from outside;
//   - stop is called. Further calls of stop do nothing.
//
// After that no more values are received, except for one value that is on its way at that
// moment. If the actor takes no mail any more, since it drains or its OnStop runs, FromChan
// receives nothing.
//
// One goroutine receives from ch. While the actor is overloaded, the goroutine receives at
// most one value, so that senders to ch wait. For an urgent b, which ignores overload, it
// continues. Each value that was received runs or becomes a dead letter.
//
// If FromChan is called again for the same behaviour, after a stop or a restart, it
// receives nothing until the value that was on its way is in the mailbox. So values keep
// the order of the channel.
//
// An open channel holds the system, since more values may come: close ch after the last
// value.
func FromChan[T, M any](c *actor.Context, ch <-chan M, b actor.Behaviour[T, M]) (stop func()) {
	d := kernel.AnyBehaviour(b).Descriptor().Made()
	turn := kernel.TurnFor(c, d.Name)
	turn.MustOwn(d)
	if ch == nil {
		panic("gallop: FromChan: a nil channel for " + d.FullName())
	}
	if turn.Self.TakesNoMail() {
		return func() {}
	}
	all := bridgesOf(turn.Self)
	in := chanSource[M]{ch: ch, openSource: openSource{to: turn.Self, d: d,
		stopped: make(chan struct{}), ended: all.Chan(), gone: make(chan struct{})}}
	in.before = all.sources.add(in.openSource)
	turn.Sys.Bridge(kernel.FromChanErrand, turn.Self, in.flow)
	var once sync.Once
	return func() { once.Do(func() { all.sources.stop(in.openSource) }) }
}

// chanSource is a channel that leads to an actor.
type chanSource[M any] struct {
	openSource
	ch     <-chan M
	before []chan struct{} // gone of the channel sources whose values come first
}

func (in chanSource[M]) flow() {
	defer close(in.gone)
	if !in.waitTurn() {
		return
	}
	for {
		if in.to.Sys().Sim != nil {
			if v, ok, came := in.await(); came {
				if !ok {
					return
				}
				in.deliver(v)
				continue
			}
		}
		// Before the select, which chooses by chance among ready cases.
		if in.isDone() {
			return
		}
		select {
		case <-in.stopped:
			return
		case <-in.ended:
			return
		case <-in.to.Sys().Closing:
			return
		case v, ok := <-in.ch:
			if !ok {
				return
			}
			in.deliver(v)
		}
	}
}

// waitTurn waits until the earlier channel sources in before are gone, and reports whether this one
// may receive now. It reports false if this channel source has ended meanwhile. A later channel
// source waits for this one and also for those in before that are not gone.
func (in chanSource[M]) waitTurn() bool {
	sys := in.to.Sys()
	for _, gone := range in.before {
		if sys.Sim != nil {
			sys.Sched.Await(sys.Done.Context(), func() bool { return kernel.IsClosed(gone) || in.isDone() })
			if !kernel.IsClosed(gone) {
				// This source has ended, or no other goroutine can go on.
				return false
			}
			continue
		}
		select {
		case <-gone:
		case <-in.stopped:
			return false
		case <-in.ended:
			return false
		case <-sys.Closing:
			return false
		}
	}
	if invariant.On {
		verifyTurn(in.openSource, in.before)
	}
	return true
}

// isDone reports whether the channel source must not receive any more.
func (in chanSource[M]) isDone() bool {
	return kernel.IsClosed(in.stopped) || kernel.IsClosed(in.ended) || kernel.IsClosed(in.to.Sys().Closing)
}

// await waits in a deterministic system for a value, as in v, ok = <-ch. came is false if the
// channel source has ended, or nothing can happen any more. await checks its conditions in the same
// order each time.
func (in chanSource[M]) await() (v M, ok, came bool) {
	sys := in.to.Sys()
	sys.Sched.Await(sys.Done.Context(), func() bool {
		if in.isDone() {
			return true
		}
		select {
		case v, ok = <-in.ch:
			came = true
		default:
		}
		return came
	})
	return v, ok, came
}

// deliver sends v to the actor, or makes a dead letter of it.
func (in chanSource[M]) deliver(v M) {
	m := in.d.Size.TakeOne()
	m.ID = in.d.ID
	*kernel.PayloadOf[M](m) = v
	sys := in.to.Sys()
	sys.Sim.Comes(m, sim.ByChannel, in.to)
	err := in.push(m, sys)
	if err != nil {
		kernel.CountLost(sys)
		kernel.MakeDeadLetter(sys, in.to, m, err)
	}
}

// push waits until the actor can take more, unless b is urgent, and pushes m.
func (in chanSource[M]) push(m *kernel.Message, sys *kernel.System) error {
	if in.d.Urgent {
		m.From = 0
		return kernel.PushUrgent(sys, in.to, m, in.d)
	}
	if in.to.AcquirePermit(sys.Done.Context()) != nil {
		return actor.ErrSystemStopped
	}
	return kernel.Place(sys, in.to, m)
}

// openSource is the part of a channel source that its actor keeps. It has no reference to the
// channel, which can be freed when it is no longer read.
type openSource struct {
	to             *kernel.Cell
	d              *kernel.Descriptor
	stopped, ended chan struct{}
	// Closed when the channel source has ended and has delivered its last value.
	gone chan struct{}
}

// chanSources has the channel sources of an actor. Sources that may be open are in open. Sources
// that were stopped, or are of an earlier life, are in left: they may have a value on its way. A
// new source for the same behaviour waits for the sources in left. With two lists, opening another
// source does not go through thousands of open ones.
type chanSources struct {
	life chan struct{} // the life of the sources in open; closed when it ends
	open []openSource  // owner only
	many int           // the length at which open is tidied; owner only
	lock sync.Mutex    // guards left: any goroutine may call stop
	left []openSource
}

// actorBridges is the part with the bridges of an actor.
type actorBridges struct {
	kernel.LifeDone
	sources chanSources
}

// bridgesOf returns the bridges of an actor. The first call makes the part. Owner only.
func bridgesOf(a *kernel.Cell) *actorBridges {
	return kernel.PartOf[actorBridges](a.MakeCold(), kernel.BridgesPart)
}

// add adds o, and returns the channels gone of the sources for which o has to wait. Owner only.
func (l *chanSources) add(o openSource) (before []chan struct{}) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.life != o.ended { // the sources in open were of an earlier life
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
	l.left = append(l.left, o) // before the close: the next source finds it there
	close(o.stopped)
}

func isGone(o openSource) bool { return kernel.IsClosed(o.gone) }

// verifyTurn checks a channel source that may receive, since the sources before it are gone.
func verifyTurn(o openSource, before []chan struct{}) {
	invariant.Check(!kernel.IsClosed(o.gone), "a bridge of %v is gone before it has begun", o.to)
	for _, gone := range before {
		invariant.Check(kernel.IsClosed(gone), "a bridge of %v overtakes another", o.to)
	}
}

// verifyOpen checks the channel sources in open: they are of the present life, which has not ended.
func verifyOpen(l *chanSources) {
	for _, o := range l.open {
		invariant.Check(o.ended == l.life, "a bridge of %v is open, of another life", o.to)
		invariant.Check(!kernel.IsClosed(o.ended), "a bridge of %v is open, of a life that is over", o.to)
	}
}
