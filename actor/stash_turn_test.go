package actor_test

import (
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// What is unstashed runs in the turn that unstashes it, so that it costs no further turn; unless
// the message that does so was put aside itself. Otherwise an actor that puts a message aside and
// takes it back, to try it again later, would spend its batch on that in each turn: it would count
// as overloaded, and others would not get their turns in between.
//
// The actor that runs sends to another one, which gets its turn after this one's.
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
