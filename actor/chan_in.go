package actor

import (
	"sync"

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
func FromChan[T, M any](c *Context, ch <-chan M, b Behaviour[T, M]) (stop func()) {
	turn := c.kernel()
	turn.MustOwn(b.desc().Made())
	if ch == nil {
		panic("gallop: FromChan: a nil channel for " + b.desc().FullName())
	}
	if turn.Self.TakesNoMail() {
		return func() {}
	}
	all := kernel.BridgesOf(turn.Self.MakeCold())
	in := chanSource[M]{ch: ch, OpenSource: kernel.OpenSource{
		To: turn.Self, D: b.desc(), Stopped: make(chan struct{}), Ended: all.UntilLifeDone(), Gone: make(
			chan struct{}),
	}}
	in.before = all.Sources.Add(in.OpenSource)
	turn.Sys.Bridge(kernel.FromChanErrand, turn.Self, in.flow)
	var once sync.Once
	return func() { once.Do(func() { all.Sources.Stop(in.OpenSource) }) }
}

// chanSource is a channel that leads to an actor.
type chanSource[M any] struct {
	kernel.OpenSource
	ch     <-chan M
	before []chan struct{} // gone of the channel sources whose values come first
}

func (in chanSource[M]) flow() {
	defer close(in.Gone)
	if !in.waitTurn() {
		return
	}
	for {
		if in.To.Sys().Sim != nil {
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
		case <-in.Stopped:
			return
		case <-in.Ended:
			return
		case <-in.To.Sys().Closing:
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
	sys := in.To.Sys()
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
		case <-in.Stopped:
			return false
		case <-in.Ended:
			return false
		case <-sys.Closing:
			return false
		}
	}
	if invariant.On {
		kernel.VerifySourceTurn(in.OpenSource, in.before)
	}
	return true
}

// isDone reports whether the channel source must not receive any more.
func (in chanSource[M]) isDone() bool {
	return kernel.IsClosed(in.Stopped) || kernel.IsClosed(in.Ended) || kernel.IsClosed(in.To.Sys().Closing)
}

// await waits in a deterministic system for a value, as in v, ok = <-ch. came is false if the
// channel source has ended, or nothing can happen any more. await checks its conditions in the same
// order each time.
func (in chanSource[M]) await() (v M, ok, came bool) {
	sys := in.To.Sys()
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
	m := in.D.Size.TakeOne()
	m.ID = in.D.ID
	*kernel.PayloadOf[M](m) = v
	sys := in.To.Sys()
	sys.Sim.Comes(m, sim.ByChannel, in.To)
	err := in.Push(m, sys)
	if err != nil {
		kernel.CountLost(sys)
		kernel.MakeDeadLetter(sys, in.To, m, err)
	}
}

// Push waits until the actor can take more, unless b is urgent, and pushes m.
func (in chanSource[M]) Push(m *kernel.Message, sys *kernel.System) error {
	if in.D.Urgent {
		m.From = 0
		return kernel.PushUrgent(sys, in.To, m, in.D)
	}
	if in.To.AcquirePermit(sys.Done.Context()) != nil {
		return ErrSystemStopped
	}
	return kernel.Place(sys, in.To, m)
}
