//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/sched"
)

// tenancy is a glade where workers hold biases. A friend of the mayfly sends to it from one worker,
// the other worker may steal it from there, and another goroutine pushes from outside. Nodes that
// the workers have made are used again at once.
type tenancy struct {
	*glade
	decoy       Ref[mayfly]
	now         int
	begun, done map[int]int // the times at which the sending of each word began and ended
}

func newTenancy(p *explore.Program) *tenancy {
	l := &tenancy{glade: newQuietGlade(p), begun: map[int]int{}, done: map[int]int{}}
	l.decoy = mayflyType.Spawn(l.sys, mayfly{l.glade})
	for _, w := range l.crew {
		contextOf(w.Local().(*kernel.Turn)).furnish()
	}
	return l
}

// newQuietGlade is a glade whose mayfly was not told to stop.
func newQuietGlade(p *explore.Program) *glade {
	g := &glade{}
	g.stage = newStage(p, WithHooks(Hooks{DeadLetter: func(d DeadLetter) {
		if n, ok := d.Message.(int); ok {
			g.dead = append(g.dead, n)
		}
	}}))
	g.fly, g.friend = mayflyType.Spawn(g.sys, mayfly{g}), mayflyType.Spawn(g.sys, mayfly{g})
	return g
}

// furnish makes a worker use its nodes again, and hold biases. The worker starts with enough nodes
// of each size class, so that it takes none from Go's pools.
func (c *Context) furnish() {
	c.kernel().Cache.Furnish(12)
	c.kernel().Dry = false
	c.grantBias(true)
}

// say sends words to the mayfly, and records the times.
func (l *tenancy) say(from Sender, words ...int) {
	for _, n := range words {
		l.said = append(l.said, n)
		l.now++
		l.begun[n] = l.now
		mayflySay.Send(from, l.fly, n)
		l.now++
		l.done[n] = l.now
	}
}

// distract wakes the decoy, which stays in the worker's next-slot. So an actor that the turn wakes
// next can be stolen.
func (l *tenancy) distract(c *Context) { mayflyAct.Send(c, l.decoy, func(*Context) {}) }

// from makes the friend send words to the mayfly in one turn, which wakes the mayfly.
func (l *tenancy) from(words ...int) {
	mayflyAct.Send(l.sys, l.friend, func(c *Context) {
		l.distract(c)
		l.say(c, words...)
	})
}

// inOrder checks the order of each two words, of which one was sent before the sending of the other
// began. The first runs before the second; if one of them is a dead letter, it is the second. This
// holds for words of different senders, so the order is causal.
func (l *tenancy) inOrder() error {
	place := map[int]int{}
	for i, n := range slices.Concat(l.ran, l.dead) {
		place[n] = i
	}
	for a, done := range l.done {
		for b, begun := range l.begun {
			if done < begun && place[a] > place[b] &&
				!(slices.Contains(l.dead, a) && slices.Contains(l.dead, b)) {
				return fmt.Errorf("%d was sent before %d; run %v, dead %v", a, b, l.ran, l.dead)
			}
		}
	}
	return nil
}

// judge checks that all words have run once or are dead letters, in order, and that nothing is
// left.
func (l *tenancy) judge() error {
	if err := l.resting(); err != nil {
		return err
	}
	if got := slices.Sorted(slices.Values(slices.Concat(l.ran, l.dead))); !slices.Equal(got,
		slices.Sorted(slices.Values(l.said))) {
		return fmt.Errorf("said %v, run %v, dead %v", l.said, l.ran, l.dead)
	}
	if box := &l.fly.target().Box; !box.Idle() && !box.Closed() || l.fly.target().In.HasAppended() ||
		l.fly.target().In.Pending() != nil {
		return errors.New("the mayfly rests, and has mail")
	}
	for _, w := range l.crew {
		if w.Local().(*kernel.Turn).Bias.WindowOpen() {
			return errors.New("a window was left open")
		}
	}
	return l.inOrder()
}

// biasScenes has the operations during which a worker appends.
var biasScenes = []struct {
	name string
	set  func(l *tenancy)
}{
	{"stolen", func(l *tenancy) { l.from(1, 2, 3, 4) }},
	{"pushed", func(l *tenancy) {
		l.from(1, 2, 3)
		l.p.Go(func() { l.say(l.sys, 11, 12) })
	}},
	{"answered", func(l *tenancy) { // an actor that gets an append pushes, and answers the worker
		learnt := false
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			l.say(c, 1, 2)
			learnt = true
			l.say(c, 3, 4)
		})
		l.p.Go(func() {
			l.p.Await(func() bool { return learnt })
			l.say(l.sys, 11)
		})
	}},
	{"mutual", func(l *tenancy) { // both workers send to it, and wake it
		other := mayflyType.Spawn(l.sys, mayfly{l.glade})
		l.tidyUp()
		l.from(1, 2, 3)
		mayflyAct.Send(l.sys, other, func(c *Context) { l.say(c, 21, 22, 23) })
	}},
	{"itself", func(l *tenancy) { // and it sends to itself, on either worker
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			mayflyAct.Send(c, l.fly, func(c *Context) { l.say(c, 31, 32) })
			l.say(c, 1, 2)
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}},
	{"stops", func(l *tenancy) {
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			l.say(c, 1)
			mayflyAct.Send(c, l.fly, func(c *Context) { c.Stop() })
			l.say(c, 2, 3)
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}},
	{"stops itself", func(l *tenancy) { // and has just sent to itself
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			mayflyAct.Send(c, l.fly, func(c *Context) { l.say(c, 31); c.Stop() })
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}},
	{"leaves", func(l *tenancy) { // as an actor does that is muted, and runs on elsewhere
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			mayflyAct.Send(c, l.fly, func(c *Context) {
				c.kernel().Bias.Leave(&l.fly.target().Box, &l.fly.target().In)
				l.say(c, 31)
			})
			l.say(c, 1, 2)
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}},
	{"killed", func(l *tenancy) {
		l.from(1, 2, 3)
		l.p.Go(func() { Kill(l.sys, l.fly) })
	}},
	{"yields", func(l *tenancy) {
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			mayflyAct.Send(c, l.fly, func(c *Context) { Yield(c, mayflyAct, func(*Context) {}) })
			l.say(c, 1, 2, 3)
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}},
}

func biasScene(set func(*tenancy)) func(*explore.Program) {
	return func(p *explore.Program) {
		l := newTenancy(p)
		set(l)
		l.man()
		p.After(l.judge)
	}
}

// TestBias_Explored: a worker wakes an actor and continues to send to it. Meanwhile another worker
// steals and runs it, another goroutine pushes, and it stops, is killed, yields or sends to itself.
// Each message runs once or is a dead letter. A message that was sent before another one runs
// before it, also if different workers have sent them.
//
// Mutants: internal/mutants/bias.json.
func TestBias_Explored(t *testing.T) {
	for _, s := range biasScenes {
		t.Run(s.name, func(t *testing.T) { explore.PortfolioOf(t, 1200, 250, biasScene(s.set)) })
	}
}

// TestBias_Exhaustive: one worker sends, another steals the actor, and another goroutine pushes;
// every schedule with at most two preemptions, and with three without the push.
func TestBias_Exhaustive(t *testing.T) {
	for _, c := range []struct {
		name        string
		preemptions int
		set         func(*tenancy)
	}{
		{"stolen", 3, func(l *tenancy) { l.from(1, 2, 3) }},
		{"pushed", 2, func(l *tenancy) {
			l.from(1, 2)
			l.p.Go(func() { l.say(l.sys, 11) })
		}},
	} {
		res := explore.Run(t, explore.Config{Strategy: explore.Bounded(c.preemptions, 0), Name: c.name},
			biasScene(c.set))
		if !res.Exhausted {
			t.Error(c.name, res)
		}
	}
}

// append sends a word to the mayfly with AppendSlowly.
func (l *tenancy) append(c *Context, n int) {
	to, m, d := l.fly.target(), c.kernel().Alloc(kernel.AnyBehaviour(mayflySay).Descriptor().Size.ID), kernel.AnyBehaviour(mayflySay).Descriptor().Made()
	*kernel.PayloadOf[int](m) = n
	m.ID, m.From = d.ID, c.kernel().Self.ID
	l.said = append(l.said, n)
	l.now++
	l.begun[n] = l.now
	done, alone := c.kernel().Bias.AppendSlowly(&to.Box, &to.In, m, l.p.Point)
	if !alone {
		l.p.Errorf("what was appended was touched in the middle of an append")
	}
	if !done {
		c.kernel().SendPushSlow(to, m)
	}
	l.now++
	l.done[n] = l.now
}

// TestBias_WindowExplored: a worker that takes an actor over accesses no field of it before the
// worker that appends to it has finished.
func TestBias_WindowExplored(t *testing.T) {
	explore.PortfolioOf(t, 1500, 250, biasScene(func(l *tenancy) {
		mayflyAct.Send(l.sys, l.friend, func(c *Context) {
			l.distract(c)
			l.say(c, 1)
			l.append(c, 2)
			l.append(c, 3)
		})
		l.p.Go(func() { l.say(l.sys, 11) })
	}))
}

// TestBias_TerminatedExplored: the system has ended, and a goroutine terminates an actor while a
// late worker still sends to it.
func TestBias_TerminatedExplored(t *testing.T) {
	explore.PortfolioOf(t, 1000, 250, func(p *explore.Program) {
		l := newTenancy(p)
		l.from(1, 2, 3)
		var found *sched.Task
		at := 0 // when it was terminated
		p.Go(func() { l.crew[0].Step() })
		p.Go(func() {
			p.Await(func() bool { return l.crew[1].HasTask() && l.begun[1] != 0 })
			if found = l.crew[1].Take(); found == &l.fly.target().Task {
				at = l.now
				l.fly.target().Shared().TaskTerminated(nil, found, sched.ErrStopped)
			}
		})
		p.After(func() error {
			if found == nil || found != &l.fly.target().Task {
				return nil
			}
			if !slices.Equal(slices.Sorted(slices.Values(l.dead)), l.said) || len(l.ran) != 0 {
				return fmt.Errorf("said %v, run %v, dead %v", l.said, l.ran, l.dead)
			}
			left := slices.DeleteFunc(slices.Clone(l.dead), func(n int) bool { return l.done[n] > at })
			if !slices.IsSorted(left) {
				return fmt.Errorf("left were %v", left)
			}
			return nil
		})
	})
}
