package actors_test

import (
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestSender_IsSuspended: "A process that sends to an overloaded actor is suspended until an actor
// in its place would not be muted": the mailbox of an actor that is behind stays short.
func TestSender_IsSuspended(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		const senders, each = 10, 2000
		sent := make([]int, senders)
		for i := range senders {
			process.Go(actors.Join(sys), func(p *process.Proc) {
				s := actors.Sender(p)
				for n := range each {
					in := i*each + n
					do.Send(s, r, func(p *puppet, _ *actor.Context) { p.got = append(p.got, in) })
					sent[i]++
				}
			})
		}
		quiet(t, sys)
		in(sys, r, func(p *puppet, _ *actor.Context) {
			equal(t, "messages", len(p.got), senders*each)
			last := [senders]int{}
			for _, n := range p.got {
				if from, n := n/each, n%each; n != last[from] {
					t.Fatalf("message %d of %d comes as the %dth", n, from, last[from])
				} else {
					last[from]++
				}
			}
		})
		quiet(t, sys)
		equal(t, "dead letters", sys.Stats().DeadLetters, uint64(0))
	})
}

// TestSender_Pressure: an actor under pressure keeps a process suspended until it has none; the
// message has come by then. TrySend is refused meanwhile.
func TestSender_Pressure(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		release, err := sys.Hold() // a pressure that nothing can end is ended by the runtime
		equal(t, "error", err, error(nil))
		in(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure() })
		if _, err := double.Ask(t.Context(), r, 1); err != nil {
			t.Fatal(err)
		}
		var refused error
		p := process.Go(actors.Join(sys), func(p *process.Proc) {
			s := actors.Sender(p)
			refused = take.TrySend(s, r, 1)
			take.Send(s, r, 2)
			take.Send(s, r, 3)
		})
		for sys.Stats().Mutes == 0 {
			if _, err := double.Ask(t.Context(), r, 1); err != nil {
				t.Fatal(err)
			}
		}
		in(sys, r, func(p *puppet, c *actor.Context) {
			c.ReleasePressure()
		})
		release()
		quiet(t, sys)
		equal(t, "refused", refused, actor.ErrOverloaded)
		reason, over := p.Result()
		equal(t, "over", over, true)
		equal(t, "reason", reason, error(nil))
		in(sys, r, func(p *puppet, c *actor.Context) { equal(t, "got", p.got, []int{2, 3}) })
		quiet(t, sys)
	})
}

var (
	boundedType = actor.NewType[puppet]("bounded", actor.WithBound(10, actor.OverflowMute))
	put         = actor.Declare[int](boundedType, "put")
	_           = boundedType.Table(put.Handle(func(p *puppet, c *actor.Context, n int) {
		p.got = append(p.got, n)
	}))
)

// TestSender_Bounded: an actor with a bound holds a process back as it holds back an actor.
func TestSender_Bounded(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := boundedType.Spawn(sys, puppet{})
		run(t, sys, func(p *process.Proc) {
			s := actors.Sender(p)
			for n := range 1000 {
				put.Send(s, r, n)
			}
		})
		equal(t, "dead letters", sys.Stats().DeadLetters, uint64(0))
	})
}

// TestSender_TryInShutdown: "is not refused while the system is in Shutdown": neither by an actor
// with a bound nor by another. A goroutine outside is.
func TestSender_TryInShutdown(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		bounded, other := boundedType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		asked := puppetType.Spawn(sys, puppet{})
		var errs, outside []error
		p := process.Go(actors.Join(sys), func(p *process.Proc) {
			s := actors.Sender(p)
			// This loops until Shutdown refuses calls from outside. A full mailbox refuses for
			// another reason.
			for !errors.Is(take.TrySend(sys, asked, 0), actor.ErrSystemStopped) {
				p.Yield()
			}
			for range 2 {
				errs = append(errs, put.TrySend(s, bounded, 1), take.TrySend(s, other, 1))
			}
		})
		equal(t, "error", sys.Shutdown(t.Context()), error(nil))
		outside = append(outside, put.TrySend(sys, bounded, 1), take.TrySend(sys, other, 1))
		for _, err := range errs {
			equal(t, "error of a process", err, error(nil))
		}
		for _, err := range outside {
			equal(t, "error outside", err, actor.ErrSystemStopped)
		}
		_, over := p.Result()
		equal(t, "over", over, true)
		equal(t, "tried", len(errs), 4)
	})
}
