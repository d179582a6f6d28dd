package actor_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// hamlet is a supervised actor with a supervisor and another actor that is tied to it, for two
// operations that race.
type hamlet struct {
	t                  testing.TB
	sys                *actor.System
	super, child, peer actor.Ref[mortal]
	dead               atomic.Int64 // dead letters of behaviour say
	said, ran          atomic.Int64
	downs, watches     atomic.Int64
	named              atomic.Int64 // actors that have the name, at a time
	final              int          // final reports to the supervisor
}

const childName = "child's"

// lifeOps are the operations. Every pair of them is tried. Each runs in a goroutine of its own,
// before, after or during the other one.
var lifeOps = []struct {
	name string
	do   func(h *hamlet)
}{
	{"spawn", func(h *hamlet) {
		doAct.Send(h.sys, h.child, func(_ *mortal, c *actor.Context) {
			mortalType.SpawnChild(c, mortal{})
		})
	}},
	{"send", func(h *hamlet) {
		for range 5 {
			h.said.Add(1)
			say.Send(h.sys, h.child, "")
		}
	}},
	{"urgent", func(h *hamlet) { rush.Send(h.sys, h.child, nothing) }},
	{"ask", func(h *hamlet) {
		_, err := fetch.Ask(soon(h.t), h.child, func(*mortal) int { return 1 })
		if err != nil && !errors.Is(err, actor.ErrStopped) {
			h.t.Errorf("ask: %v", err)
		}
	}},
	{"link", func(h *hamlet) {
		doAct.Send(h.sys, h.peer, func(_ *mortal, c *actor.Context) {
			actor.TrapExit(c, onExit)
			actor.Link(c, h.child)
		})
	}},
	{"unlink", func(h *hamlet) {
		doAct.Send(h.sys, h.peer, func(_ *mortal, c *actor.Context) {
			actor.Link(c, h.child)
			actor.Unlink(c, h.child)
		})
	}},
	{"monitor", func(h *hamlet) {
		doAct.Send(h.sys, h.peer, func(_ *mortal, c *actor.Context) {
			h.watches.Add(1)
			actor.Watch(c, h.child, onDown)
		})
	}},
	{"stop", func(h *hamlet) { actor.Stop(h.sys, h.child) }},
	{"drain", func(h *hamlet) { actor.Drain(h.sys, h.child) }},
	{"kill", func(h *hamlet) { actor.Kill(h.sys, h.child) }},
	{"panic", func(h *hamlet) {
		doAct.Send(h.sys, h.child, func(*mortal, *actor.Context) { panic("on purpose") })
	}},
	{"suspend", func(h *hamlet) { actor.Suspend(h.sys, h.child) }},
	{"restart", func(h *hamlet) { actor.Restart(h.sys, h.child) }},
	{"name", func(h *hamlet) {
		doAct.Send(h.sys, h.child, func(_ *mortal, c *actor.Context) {
			if c.Register(childName) == nil {
				c.Unregister(childName)
				_ = c.Register(childName)
			}
		})
		if r, err := mortalType.SpawnNamed(h.sys, childName, mortal{}); err == nil {
			if n := h.named.Add(1); n > 1 {
				h.t.Errorf("%d have the name", n)
			}
			_, _ = actor.Lookup[mortal](h.sys, childName)
			h.named.Add(-1)
			actor.Stop(h.sys, r)
		}
	}},
}

func newHamlet(t testing.TB) *hamlet {
	h := &hamlet{t: t}
	h.sys = actor.Start(actor.WithWorkers(3),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}), actor.WithHooks(
			actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
				if d.Behaviour == "say" {
					h.dead.Add(1)
				}
			}}))
	h.super = mortalType.Spawn(h.sys, mortal{onFell: func(_ *mortal, c *actor.Context,
		f actor.ChildDown) {
		if f.Final {
			h.final++
		} else {
			actor.Restart(c, f.Ref)
		}
	}})
	h.peer = mortalType.Spawn(h.sys, mortal{onDown: func(*mortal, *actor.Context, actor.Down) {
		h.downs.Add(1)
	}})
	in(t, h.super, func(_ *mortal, c *actor.Context) {
		h.child = actor.SpawnSupervised(c, mortalType, func(m *mortal) {
			m.onSay = func() { h.ran.Add(1) }
		}, onFell)
	})
	return h
}

// race runs the operations at once, a few yields apart.
func (h *hamlet) race(round int, ops ...func(*hamlet)) {
	var wg sync.WaitGroup
	for i, op := range ops {
		wg.Go(func() {
			if i == round%2 {
				for range round / 2 % 8 {
					runtime.Gosched()
				}
			}
			op(h)
		})
	}
	wg.Wait()
}

// end ends all actors, and checks the conditions that hold after any order.
func (h *hamlet) end() {
	h.t.Helper()
	quiet(h.t, h.sys)
	must(h.t, actor.StopWait(soon(h.t), h.super))
	quiet(h.t, h.sys)
	equal(h.t, "monitors that were told", h.downs.Load(), h.watches.Load())
	equal(h.t, "run or dead", h.ran.Load()+h.dead.Load(), h.said.Load())
	must(h.t, actor.StopWait(soon(h.t), h.peer))
	quiet(h.t, h.sys)
	if h.final > 1 {
		h.t.Errorf("%d final words", h.final)
	}
	st := h.sys.Stats()
	equal(h.t, "ended", st.Stopped, st.Spawned)
	equal(h.t, "left over", actor.LeftoversOf(h.sys), actor.Leftovers{})
	h.sys.Stop()
}

// TestLife_Pairs: every pair of operations on the life of an actor (spawn, send, urgent send, ask,
// link, unlink, monitor, stop, drain, kill, panic, suspend, restart, name), each with itself too,
// at once. Nothing hangs, nothing is lost, each observer is told once, and nothing is left.
func TestLife_Pairs(t *testing.T) {
	rounds := nightly(6, 300)
	for i, a := range lifeOps {
		for _, b := range slices.Concat(lifeOps[i:]) {
			t.Run(a.name+"-"+b.name, func(t *testing.T) {
				for round := range rounds {
					h := newHamlet(t)
					h.race(round, a.do, b.do)
					h.end()
				}
			})
		}
	}
}
