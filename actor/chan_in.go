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

// FromChan sends the running actor the values that come out of ch, as messages for b.
// It returns at once. It panics if ch is nil or b belongs to another type than the
// running actor.
//
// FromChan reads ch until ch is closed, the actor ends or is restarted, the system
// refuses what comes from outside, or stop is called, which may be more than once.
// After that nothing more is taken out of ch, except for one value that is on its way
// at that moment. If the actor takes no mail any more, since it drains or its OnStop
// runs, nothing is taken out of ch.
//
// One goroutine stands between ch and the actor. While the actor is overloaded, the
// goroutine takes at most one value out of ch, so that those who write to ch wait; but
// for an urgent b, which ignores overload, it goes on. What it has taken runs
// or becomes a dead letter.
//
// If FromChan is called again for the same behaviour, after a stop or a restart, it
// takes nothing before the value that was on its way is mail, so values keep the order
// of the channel.
//
// An open channel holds the system, since more may come: close ch when there is no
// more.
func FromChan[T, M any](c *Context, ch <-chan M, b Behaviour[T, M]) (stop func()) {
	c.mustOwn(b.d.made())
	if ch == nil {
		panic("gallop: FromChan: a nil channel for " + b.d.fullName())
	}
	if c.self.takesNoMail() {
		return func() {}
	}
	all := bridgesOf(c.self.makeCold())
	in := chanSource[M]{ch: ch, openSource: openSource{
		to: c.self, d: b.d, stopped: make(chan struct{}), ended: all.untilLifeDone(), gone: make(
			chan struct{}),
	}}
	in.before = all.sources.add(in.openSource)
	c.sys.bridge(aFromChan, c.self, in.flow)
	var once sync.Once
	return func() { once.Do(func() { all.sources.stop(in.openSource) }) }
}

// chanSource is a channel that leads to an actor.
type chanSource[M any] struct {
	openSource
	ch     <-chan M
	before []chan struct{} // whose values come first
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
		// Before the channel is asked: of two ready cases select takes any.
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

// waitTurn waits for the channel sources before this one, and reports whether this one may take
// something now: not if it is over meanwhile. A channel source behind it waits for those before it
// as well, as long as they are not gone.
func (in chanSource[M]) waitTurn() bool {
	sys := in.to.sys()
	for _, gone := range in.before {
		if sys.sim != nil {
			sys.sched.Await(sys.done.context(), func() bool { return isClosed(gone) || in.isDone() })
			if !isClosed(gone) {
				// Over, or orphaned: the baton is in hand, so no other goroutine can go on.
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

// isDone reports whether nothing more is to be taken out of the channel.
func (in chanSource[M]) isDone() bool {
	return isClosed(in.stopped) || isClosed(in.ended) || isClosed(in.to.sys().closing)
}

// await waits in a deterministic system, and reports what has come out of the channel.
// The order of its questions is always the same.
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

// deliver brings the actor what has come, or makes a dead letter of it.
func (in chanSource[M]) deliver(v M) {
	m := in.d.size.TakeOne()
	m.ID = in.d.id
	*payloadOf[M](m) = v
	sys := in.to.sys()
	sys.sim.comes(m, sim.ByChannel, in.to)
	err := in.push(m, sys)
	if err != nil {
		sys.countLost()
		deadLetter(sys, in.to, m, err)
	}
}

// push waits until the actor can take more, unless b is urgent, and pushes m.
func (in chanSource[M]) push(m *message, sys *System) error {
	if in.d.urgent {
		m.From = 0
		return pushUrgent(sys, in.to, m, in.d)
	}
	if in.to.acquirePermit(sys.done.context()) != nil {
		return ErrSystemStopped
	}
	return in.to.policy().place(sys, in.to, m)
}

// openSource is what an actor knows of a channel source. It does not keep a channel that is read
// no more.
type openSource struct {
	to             *cell
	d              *descriptor
	stopped, ended chan struct{}
	// Closed when what it took out of the channel has been delivered.
	gone chan struct{}
}

// chanSources are those of an actor that may be open, or have a value on its way. Another
// channel source for the same behaviour waits for the latter, so these are in a list of their own:
// with thousands open, opening one more does not look at each.
type chanSources struct {
	life chan struct{} // open are of the life that closes this
	open []openSource  // owner only; tidied when there are many
	many int
	lock sync.Mutex // of left: any goroutine may call stop
	left []openSource
}

// actorBridges is the part with the bridges of an actor.
type actorBridges struct {
	// Closed when the life ends, or the actor; nil: none waits for it. Owner only.
	lifeDone chan struct{}
	sources  chanSources
}

// bridgesOf returns the bridges of an actor, and makes the part at first. Owner only.
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

// bridges are the goroutines between a system's actors and channels. When the system stops they end
// soon, and it waits for them; what they had in hand becomes dead letters. They are begun in turns,
// all of which have ended when an owner waits.
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
func (s *System) bridge(what errandClass, of *cell, f func()) {
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
func (b *actorBridges) untilLifeDone() chan struct{} {
	if b.lifeDone == nil {
		b.lifeDone = make(chan struct{})
	}
	return b.lifeDone
}

// verifySourceTurn checks a channel source that may take something, now that those before it are
// gone.
func verifySourceTurn(o openSource, before []chan struct{}) {
	invariant.Check(!isClosed(o.gone), "a bridge of %v is gone before it has begun", o.to)
	for _, gone := range before {
		invariant.Check(isClosed(gone), "a bridge of %v overtakes another", o.to)
	}
}

// verifyOpen checks the channel sources that opening another does not look at: they are of the life
// that runs, which has not ended.
func verifyOpen(l *chanSources) {
	for _, o := range l.open {
		invariant.Check(o.ended == l.life, "a bridge of %v is open, of another life", o.to)
		invariant.Check(!isClosed(o.ended), "a bridge of %v is open, of a life that is over", o.to)
	}
}
