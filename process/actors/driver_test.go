package actors_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// Processes in runs of package actortest: what is a choice of the driver, and where.

// flood is a scenario: an actor floods a process with a bound, which mutes it, and which selects
// among its messages and a channel on which two others send.
func flood(match func(int) bool) func(r *actortest.R) {
	return func(r *actortest.R) {
		sys, got := r.System(), 0
		procs, c := actors.Join(sys), process.NewChan[int](0)
		to := process.Spawn(procs, func(self *process.Self[int]) {
			var n int
			for range 12 {
				process.Select(self, self.Receives(&n, match), process.RecvFrom(c, &n, nil))
				got++
			}
		}, process.WithBound(1), actors.WithMuting())
		s := senderType.Spawn(sys, sender{to: to})
		in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			for n := range 6 {
				pass.Send(c, s, n)
			}
		})
		for range 2 {
			process.Go(procs, func(p *process.Proc) {
				for n := range 3 {
					c.Send(p, n)
				}
			})
		}
		r.Quiet()
		if got != 12 {
			r.Errorf("received %d: %v", got, procs.Blocked())
		}
	}
}

// TestDriver_SelectOfMessages: no order of a flood hangs in which a process selects among messages
// and channels. Taking a message makes room, of which the process tells, and that is a choice of
// the driver: it is made after the locks of the channels were given back.
func TestDriver_SelectOfMessages(t *testing.T) {
	actortest.Run(t, flood(nil), actortest.WithRuns(300))
	actortest.Run(t, flood(func(int) bool { return true }), actortest.WithRuns(50))
}

// TestDriver_CodeInSelect: a match, and the try of a When, are called while no lock is held: they
// may use the channels of the same Select. Nothing is lost, whichever case is chosen.
func TestDriver_CodeInSelect(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, c, e := actors.Join(sys), process.NewChan[int](1), process.Event{}
		tries, got := 0, map[string]int{}
		to := process.Spawn(procs, func(self *process.Self[int]) {
			for range 6 {
				var n int
				switch process.Select(self,
					self.Receives(&n, func(int) bool { return c.Len() >= 0 }),
					process.RecvFrom(c, &n, nil),
					process.When(&e, func() bool {
						if c.Len() == 0 && tries > 0 {
							tries--
							return true
						}
						return false
					})) {
				case 0:
					got["message"]++
				case 1:
					got["value"]++
				case 2:
					got["event"]++
				}
			}
		})
		for n := range 2 {
			equal(t, "reason", run(t, sys, func(p *process.Proc) {
				to.Send(p, n)
				c.Send(p, n)
			}), error(nil))
			equal(t, "reason", run(t, sys, func(p *process.Proc) {
				tries++
				e.Notify(p)
			}), error(nil))
		}
		quiet(t, sys)
		equal(t, "received", got, map[string]int{"message": 2, "value": 2, "event": 2})
	})
}
