package actors_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestSender_ProxyKilled: a message of a process to an actor under pressure is sent even if the
// proxy of the process was killed. Mutant: an errand that drops a lost message.
func TestSender_ProxyKilled(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		in(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure() })
		quiet(t, sys)
		p := process.Go(actors.Join(sys), func(p *process.Proc) {
			s := actors.Sender(p)
			defer func() { take.Send(s, r, 1) }()
			process.NewChan[int](0).Recv(p)
		})
		quiet(t, sys)
		actor.Kill(sys, actors.Ref(sys, p))
		quiet(t, sys)
		reason, over := p.Result()
		equal(t, "over", over, true)
		equal(t, "reason", reason, process.ErrKilled)
		in(sys, r, func(p *puppet, _ *actor.Context) { equal(t, "got", p.got, []int{1}) })
		quiet(t, sys)
	})
}
