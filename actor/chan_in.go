package actor

import (
	"context"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
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
func FromChan[T, M any](c *Context, ch <-chan M, b Behaviour[T, M]) (stop func()) {
	turn := c.kernel()
	turn.mustOwn(b.d.made())
	if ch == nil {
		panic("gallop: FromChan: a nil channel for " + b.d.fullName())
	}
	if turn.self.takesNoMail() {
		return func() {}
	}
	all := bridgesOf(turn.self.makeCold())
	in := chanSource[M]{ch: ch, openSource: openSource{
		to: turn.self, d: b.d, stopped: make(chan struct{}), ended: all.untilLifeDone(), gone: make(
			chan struct{}),
	}}
	in.before = all.sources.add(in.openSource)
	turn.sys.bridge(aFromChan, turn.self, in.flow)
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
		if in.to.sys().sim != nil {
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
		case <-in.to.sys().closing:
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
	sys := in.to.sys()
	for _, gone := range in.before {
		if sys.sim != nil {
			sys.sched.Await(sys.done.context(), func() bool { return isClosed(gone) || in.isDone() })
			if !isClosed(gone) {
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
		case <-sys.closing:
			return false
		}
	}
	if invariant.On {
		verifySourceTurn(in.openSource, in.before)
	}
	return true
}

// isDone reports whether the channel source must not receive any more.
func (in chanSource[M]) isDone() bool {
	return isClosed(in.stopped) || isClosed(in.ended) || isClosed(in.to.sys().closing)
}

// await waits in a deterministic system for a value, as in v, ok = <-ch. came is false if the
// channel source has ended, or nothing can happen any more. await checks its conditions in the same
// order each time.
func (in chanSource[M]) await() (v M, ok, came bool) {
	sys := in.to.sys()
	sys.sched.Await(sys.done.context(), func() bool {
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
	m := in.d.size.TakeOne()
	m.ID = in.d.id
	*payloadOf[M](m) = v
	sys := in.to.sys()
	sys.sim.comes(m, sim.ByChannel, in.to)
	err := in.push(m, sys)
	if err != nil {
		countLost(sys)
		deadLetter(sys, in.to, m, err)
	}
}

// push waits until the actor can take more, unless b is urgent, and pushes m.
func (in chanSource[M]) push(m *message, sys *kernelSystem) error {
	if in.d.urgent {
		m.From = 0
		return pushUrgent(sys, in.to, m, in.d)
	}
	if in.to.acquirePermit(sys.done.context()) != nil {
		return ErrSystemStopped
	}
	return place(sys, in.to, m)
}

// openSource is the part of a channel source that its actor keeps. It has no reference to the
// channel, which can be freed when it is no longer read.
type openSource struct {
	to             *cell
	d              *descriptor
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
	// Closed when the life or the actor ends; nil: no bridge waits for it. Owner only.
	lifeDone chan struct{}
	sources  chanSources
}

// bridgesOf returns the bridges of an actor. The first call makes the part. Owner only.
func bridgesOf(x *coldState) *actorBridges {
	return partOf[actorBridges](x, bridgesPart)
}

// ends implements part. It closes the channel of untilLifeDone, with the life or with the actor.
func (b *actorBridges) ends(_ *cell, _ env, at ending, _ error) {
	if b.lifeDone != nil && (at == atLifeEnd || at == atClose) {
		close(b.lifeDone)
		b.lifeDone = nil
	}
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

func isGone(o openSource) bool { return isClosed(o.gone) }

// bridges are the goroutines between a system's actors and channels. When the system stops they end
// soon, and the stop waits for them; the values that they have received become dead letters.
// Bridges are begun only in turns, and all turns have ended when the stop waits.
//
// The functions that Pipe runs are not bridges: they are the user's, and may go on for long, or
// stop the system themselves.
type bridges struct {
	sys  *kernelSystem
	all  sync.WaitGroup
	left seam.Count // the number of goroutines in all
}

// bridge runs f in a goroutine that holds the system until f returns. The system's stop waits for
// the goroutine. In a turn only: then the stop is not yet waiting.
func (s *kernelSystem) bridge(what errandClass, of *cell, f func()) {
	b := s.makeBridges()
	b.all.Add(1)
	b.left.Add(1)
	release := s.holdFor(what, of)
	s.sched.Go(func() {
		defer b.all.Done()
		defer b.left.Add(-1)
		defer release()
		guard.Unlabel()
		f()
	})
}

// makeBridges returns the bridges of the system. The first call makes them. Any worker.
func (s *kernelSystem) makeBridges() *bridges {
	if l := s.bridges.Load(); l != nil {
		return l
	}
	s.bridges.CompareAndSwap(nil, &bridges{sys: s}) // publishes them
	return s.bridges.Load()
}

// finish waits for the goroutines. The messages that they send meanwhile become dead letters at
// once. In a deterministic system the goroutines go on only while the caller waits in Await.
func (b *bridges) finish() {
	if b.sys.sim != nil {
		b.sys.sched.Await(context.Background(), func() bool { return b.left.Load() == 0 })
	}
	b.all.Wait()
}

// untilLifeDone returns a channel that is closed when the actor, or its present life, ends. The
// next life has a channel of its own. Owner only.
func (b *actorBridges) untilLifeDone() chan struct{} {
	if b.lifeDone == nil {
		b.lifeDone = make(chan struct{})
	}
	return b.lifeDone
}

// verifySourceTurn checks a channel source that may receive, since the sources before it are gone.
func verifySourceTurn(o openSource, before []chan struct{}) {
	invariant.Check(!isClosed(o.gone), "a bridge of %v is gone before it has begun", o.to)
	for _, gone := range before {
		invariant.Check(isClosed(gone), "a bridge of %v overtakes another", o.to)
	}
}

// verifyOpen checks the channel sources in open: they are of the present life, which has not ended.
func verifyOpen(l *chanSources) {
	for _, o := range l.open {
		invariant.Check(o.ended == l.life, "a bridge of %v is open, of another life", o.to)
		invariant.Check(!isClosed(o.ended), "a bridge of %v is open, of a life that is over", o.to)
	}
}
