package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestStash: "puts what is in the running actor's stash in front of its mailbox, in the
// order in which it was sent".
func TestStash(t *testing.T) {
	for _, behind := range []int{0, 2, 150} { // mail behind the message that unstashes: none, some, more than a batch
		var d diary
		sys := start(t, actor.Workers(1))
		r := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
		inside(t, sys, func(c *actor.Context) {
			doAct.Send(c, r, func(_ *mortal, c *actor.Context) { actor.UnstashAll(c); actor.Become(c, stashing) }) // of nothing
			for _, s := range []string{"1", "2", "3"} {
				say.Send(c, r, s)
			}
			doAct.Send(c, r, func(m *mortal, c *actor.Context) {
				m.note("act")
				actor.Unbecome(c)
				actor.UnstashAll(c)
				actor.UnstashAll(c)
			})
			for range behind {
				doAct.Send(c, r, func(m *mortal, c *actor.Context) { m.n++ })
			}
			say.Send(c, r, "last")
		})
		quiet(t, sys)
		d.says(t, "a: start", "a: act", "a: 1", "a: 2", "a: 3", "a: last")
		equal(t, "messages", int(sys.Stats().Messages), 1+7+behind-1)
	}
}

// TestStash_Ask: "its asker goes on waiting".
func TestStash_Ask(t *testing.T) {
	sys := start(t, actor.Workers(2))
	r := mortalType.Spawn(sys, mortal{n: 7})
	asked := make(chan struct{})
	later := mortalType.Variant(fetch.Do(func(_ *mortal, c *actor.Context, q func(*mortal) int) (int, error) {
		defer close(asked)
		return fetch.Stash(c, q)
	}))
	in(t, sys, r, func(_ *mortal, c *actor.Context) { actor.Become(c, later) })
	answer := make(chan int, 1)
	go func() {
		n, err := fetch.Ask(soon(t), sys, r, func(m *mortal) int { return m.n })
		if err != nil {
			t.Error(err)
		}
		answer <- n
	}()
	receive(t, "the request", asked)
	in(t, sys, r, func(m *mortal, c *actor.Context) { m.n = 8; actor.Unbecome(c) })
	equal(t, "answers", len(answer), 0)
	in(t, sys, r, func(_ *mortal, c *actor.Context) { actor.UnstashAll(c) })
	equal(t, "answer", receive(t, "the answer", answer), 8)
}

// TestStash_Ends: "When the actor ends, what is in its stash becomes dead letters,
// before what is in its mailbox"; also when only its system does.
func TestStash_Ends(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[mortal]){
		"Stop":   func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) },
		"Drain":  func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) },
		"Kill":   func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) },
		"System": func(sys *actor.System, _ actor.Ref[mortal]) { sys.Stop() },
		"Run":    func(sys *actor.System, _ actor.Ref[mortal]) { must(t, sys.Run()) },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.Workers(2), dead.option())
			r := mortalType.Spawn(sys, mortal{})
			in(t, sys, r, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
			for range 1000 {
				say.Send(sys, r, "")
			}
			quiet(t, sys)
			equal(t, "dead letters before", dead.n.Load(), 0)
			end(sys, r)
			if name != "System" && name != "Run" {
				quiet(t, sys)
			}
			equal(t, "dead letters", dead.n.Load(), 1000)
		})
	}
}

// TestBecome: "from its next message on, until it becomes something else".
func TestBecome(t *testing.T) {
	var d diary
	sys := start(t, actor.Workers(1))
	loud := mortalType.Variant(say.Do(func(m *mortal, _ *actor.Context, s string) { m.note("%s!", s) }))
	r, other := mortalType.Spawn(sys, mortal{name: "a", diary: &d, born: true}), mortalType.Spawn(sys, mortal{name: "b", diary: &d, born: true})
	inside(t, sys, func(c *actor.Context) {
		say.Send(c, r, "1")
		doAct.Send(c, r, func(m *mortal, c *actor.Context) { actor.Become(c, loud); m.note("the rest of the table stays") })
		say.Send(c, r, "2")
		doAct.Send(c, r, func(m *mortal, c *actor.Context) { actor.Unbecome(c) })
		say.Send(c, r, "3")
	})
	quiet(t, sys)
	say.Send(sys, other, "4")
	quiet(t, sys)
	d.says(t, "a: 1", "a: the rest of the table stays", "a: 2!", "a: 3", "b: 4")
	inside(t, sys, func(c *actor.Context) { panics(t, "cannot become", func() { actor.Become(c, loud) }) })
}

// TestUnstash_Muted: an actor that unstashes and meets a gate in the same behaviour is
// muted all the same, and so is the next one on that worker that meets the gate.
func TestUnstash_Muted(t *testing.T) {
	sys := start(t, actor.Workers(1))
	free, err := sys.Hold() // as who waits for a socket does
	must(t, err)
	r := press(t, sys)
	var d diary
	a := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
	b := puppetType.Spawn(sys, puppet{})
	inside(t, sys, func(c *actor.Context) {
		doAct.Send(c, a, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
		say.Send(c, a, "1")
		doAct.Send(c, a, func(_ *mortal, c *actor.Context) {
			actor.Unbecome(c)
			actor.UnstashAll(c)
			count.Send(c, r, 1)
		})
		do.Send(c, b, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	})
	eventually(t, "the one that unstashed is muted", func() bool { return actor.Muted(a) })
	eventually(t, "the next one is muted", func() bool { return actor.Muted(b) })
	d.says(t, "a: start")
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	free()
	quiet(t, sys)
	d.says(t, "a: start", "a: 1")
}
