package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestPostpone_OfTheMuted: an actor that was muted when it fell behaves in a back-off like any
// other: no sender is muted for it, and mail is kept. This holds even if as many messages had come
// as a muted actor takes. At first such an actor counted as overloaded until its restart: its
// waiting senders went on waiting, and mail became dead letters.
func TestPostpone_OfTheMuted(t *testing.T) {
	for name, crowd := range map[string]int{"below the watermark": 1, "at the watermark": 3} {
		for _, released := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				sys := start(t, actor.WithWorkers(2), actor.Leeway(3),
					actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
						t.Errorf("dead letter: %v", l)
					}}))
				parent := wardenType.Spawn(sys, warden{diary: new(diary),
					fell: func(c *actor.Context, f actor.ChildDown) {
						actor.Postpone(c, f.Ref)
					}})
				var child actor.Ref[puppet]
				wardenIn(t, sys, parent, func(_ *warden, c *actor.Context) {
					child = actor.SpawnUnder(c, puppetType, func(*puppet) {}, actor.Care[warden]{Fell: wardenFell})
				})
				slow := overload(t, sys)
				do.Send(sys, child, func(_ *puppet, c *actor.Context) { slowDo.Send(c, slow.ref, noop) })
				awaitMuted(t, child)
				sender := puppetType.Spawn(sys, puppet{})
				do.Send(sys, sender, func(_ *puppet, c *actor.Context) {
					for range crowd {
						count.Send(c, child, 1)
					}
				})
				if crowd == 3 {
					awaitMuted(t, sender)
				}
				actor.Suspend(sys, child)
				eventually(t, "the back-off", func() bool { return actor.InBackoff(child) })
				eventually(t, "the sender to be let go", func() bool { return !actor.Muted(sender) })
				said := make(chan struct{})
				do.Send(sys, sender, func(_ *puppet, c *actor.Context) { count.Send(c, child, 1); close(said) })
				receive(t, "the sender", said)
				equal(t, "mutes", sys.Stats().Mutes, uint64(1+crowd/3))
				if released {
					slow.release()
					quiet(t, sys)
				}
				actor.Restart(sys, child)
				n, err := value.Ask(soon(t), child, struct{}{})
				must(t, err)
				equal(t, "messages run", n, crowd+1)
				if !released {
					slow.release()
				}
				allUnmuted(t, sys)
			})
		}
	}
}

// TestDecide_ResumeMutes: an actor that sends to an overloaded actor is muted when its behaviour
// returns, even if the behaviour has asked for its end and Decide resumes it.
func TestDecide_ResumeMutes(t *testing.T) {
	t.Run("Exit", func(t *testing.T) { resumeMutes(t, func(c *actor.Context) { c.Exit(errUser) }) })
	t.Run("Panic", func(t *testing.T) { resumeMutes(t, func(*actor.Context) { panic(errUser) }) })
}

func resumeMutes(t *testing.T, fall func(c *actor.Context)) {
	sys := start(t, actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	parent := wardenType.Spawn(sys, warden{diary: new(diary)})
	var child actor.Ref[puppet]
	wardenIn(t, sys, parent, func(_ *warden, c *actor.Context) {
		child = actor.SpawnUnder(c, puppetType, func(*puppet) {}, actor.Care[warden]{Fell: wardenFell,
			Decide: func(error) actor.Decision { return actor.DecideResume }})
	})
	slow := overload(t, sys)
	do.Send(sys, child, func(_ *puppet, c *actor.Context) { slowDo.Send(c, slow.ref, noop); fall(c) })
	awaitMuted(t, child)
	slow.release()
	allUnmuted(t, sys)
}
