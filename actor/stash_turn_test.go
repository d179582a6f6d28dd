package actor_test

import (
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestUnstash_InItsTurn: unstashed messages run in the turn that unstashes them, so that they cost
// no further turn. The exception is a running message that was stashed itself. Otherwise an actor
// that stashes a message and takes it back, to try it again later, would spend its batch on that in
// each turn. It would count as overloaded, and other actors would get no turns in between.
//
// The running actor sends to another actor, which gets its turn after this one's.
func TestUnstash_InItsTurn(t *testing.T) {
	for name, x := range map[string]struct {
		want string
		run  func(c *actor.Context, other func())
	}{
		"one that only unstashes": {"kept other", func(c *actor.Context, other func()) {
			actor.Unstash(c, 1)
			other()
		}},
		"one that is put aside after that": {"other kept", func(c *actor.Context, other func()) {
			actor.Unstash(c, 1)
			do.Stash(c, noop)
			other()
		}},
		"one that is put aside before that": {"other kept", func(c *actor.Context, other func()) {
			do.Stash(c, noop)
			actor.Unstash(c, 1)
			other()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			r, o := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			var got []string
			log := func(s string) { got = append(got, s) }
			inside(t, sys, func(c *actor.Context) {
				do.Send(c, r, func(_ *puppet, c *actor.Context) {
					do.Stash(c, func(*puppet, *actor.Context) { log("kept") })
				})
				do.Send(c, r, func(_ *puppet, c *actor.Context) {
					x.run(c, func() {
						do.Send(c, o, func(*puppet, *actor.Context) { log("other") })
					})
				})
			})
			quiet(t, sys)
			equal(t, "the order", strings.Join(got, " "), x.want)
		})
	}
}
