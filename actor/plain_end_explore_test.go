//go:build gallop_explore

package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/permits"
)

// glade is a stage around an actor that has nothing to do when it stops itself except to close its
// box. It leaves its system queue to senders that come later.
type glade struct {
	stage
	fly    Ref[mayfly]
	friend Ref[mayfly]

	said, ran, dead []int // numbers of words; urgent words are above urgently
	downs, exits    []error
	watches, ties   int
	replies         chan Result[int]
	asked           int
}

// mayfly has no callbacks, so it has no cold state until an operation gives it one.
type mayfly struct{ g *glade }

const urgently = 100

var (
	mayflyType = NewType[mayfly]("mayfly")
	mayflySay  = Declare[int](mayflyType, "say")
	mayflyRush = Declare[int](mayflyType, "rush", Urgent())
	mayflyAct  = Declare[func(*Context)](mayflyType, "act")
	mayflyDown = Declare[Down](mayflyType, "down")
	mayflyExit = Declare[Exit](mayflyType, "exit")
	mayflyAsk  = DeclareAsk[int, int](mayflyType, "ask")
	_          = mayflyType.Table(mayflySay.Handle((*mayfly).say), mayflyRush.Handle((*mayfly).say),
		mayflyAct.Handle((*mayfly).act),
		mayflyDown.Handle((*mayfly).down), mayflyExit.Handle((*mayfly).exit),
		mayflyAsk.Handle((*mayfly).answer))
)

func (m *mayfly) say(_ *Context, n int)                 { m.g.ran = append(m.g.ran, n) }
func (m *mayfly) act(c *Context, f func(*Context))      { f(c) }
func (m *mayfly) down(_ *Context, d Down)               { m.g.downs = append(m.g.downs, d.Reason) }
func (m *mayfly) exit(_ *Context, e Exit)               { m.g.exits = append(m.g.exits, e.Reason) }
func (m *mayfly) answer(_ *Context, n int) (int, error) { return 2 * n, nil }

func newGlade(p *explore.Program) *glade {
	g := &glade{replies: make(chan Result[int], 2)}
	g.stage = newStage(p, WithHooks(Hooks{DeadLetter: func(d DeadLetter) {
		if n, ok := d.Message.(int); ok && d.Behaviour != "ask" {
			g.dead = append(g.dead, n)
		}
	}}))
	g.fly, g.friend = mayflyType.Spawn(g.sys, mayfly{g}), mayflyType.Spawn(g.sys, mayfly{g})
	mayflyAct.Send(g.sys, g.friend, func(c *Context) { TrapExit(c, mayflyExit) })
	g.tidyUp()
	mayflyAct.Send(g.sys, g.fly, func(c *Context) { c.Stop() })
	return g
}

// gladeOps are the operations of others on the mayfly meanwhile.
var gladeOps = []struct {
	name string
	do   func(g *glade, i int)
}{
	{"send", func(g *glade, i int) { g.said = append(g.said, i); mayflySay.Send(g.sys, g.fly, i) }},
	{"rush", func(g *glade, i int) {
		g.said = append(g.said, i+urgently)
		mayflyRush.Send(g.sys, g.fly, i+urgently)
	}},
	{"try", func(g *glade, i int) {
		if i == 1 {
			g.try(g.sys, i)
			return
		}
		mayflyAct.Send(g.sys, g.friend, func(c *Context) { g.try(c, i) })
	}},
	{"ask", func(g *glade, i int) {
		g.asked++
		askInto(context.Background(), mayflyAsk, g.fly, i, g.replies)
	}},
	{"watch", func(g *glade, _ int) {
		g.watches++
		mayflyAct.Send(g.sys, g.friend, func(c *Context) { Watch(c, g.fly, mayflyDown) })
	}},
	{"link", func(g *glade, _ int) {
		g.ties++
		mayflyAct.Send(g.sys, g.friend, func(c *Context) { Link(c, g.fly) })
	}},
	{"stop", func(g *glade, _ int) { Stop(g.sys, g.fly) }},
	{"kill", func(g *glade, _ int) { Kill(g.sys, g.fly) }},
	{"wait", func(g *glade, i int) {
		f := g.fly.target().FlowOf()
		g.p.Await(func() bool { return f.Permits.TakeFree(g.fly.target(), permits.ToWait) })
		m := kernel.AnyBehaviour(mayflySay).Descriptor().Size.TakeOne()
		if *kernel.PayloadOf[int](m) = i; kernel.AnyBehaviour(mayflySay).Descriptor().TryDeliver(nil, g.sys.kernel(), g.fly.target(), m) == nil {
			g.said = append(g.said, i)
		}
	}},
}

// try is TrySend of an urgent word. It must return an error if the mayfly has ended.
func (g *glade) try(from Sender, i int) {
	over := g.fly.target().Ended()
	err := mayflyRush.TrySend(from, g.fly, i+urgently)
	switch {
	case err == nil && over:
		g.p.Errorf("TrySend to the ended says nothing")
	case err == nil:
		g.said = append(g.said, i+urgently)
	case !errors.Is(err, ErrStopped):
		g.p.Errorf("TrySend: %v", err)
	}
}

// judge checks the result when nothing is left to do.
func (g *glade) judge() error {
	if err := g.resting(); err != nil {
		return err
	}
	slices.Sort(g.said)
	if got := slices.Sorted(slices.Values(slices.Concat(g.ran, g.dead))); !slices.Equal(got, g.said) {
		return fmt.Errorf("said %v, run %v, dead %v", g.said, g.ran, g.dead)
	}
	if !g.fly.target().Ended() || !g.fly.target().System.IsEmpty() && !g.fly.target().System.Closed() {
		return errors.New("it has not ended, or its lane has something nobody will see")
	}
	if len(g.replies) != g.asked || len(g.downs) != g.watches ||
		len(g.exits) < min(g.ties, 1) || len(g.exits) > g.ties { // each link to an ended actor tells
		return fmt.Errorf("%d of %d asks answered, %d of %d monitors told, %d of %d links",
			len(g.replies), g.asked,
			len(g.downs), g.watches, len(g.exits), g.ties)
	}
	for _, why := range slices.Concat(g.downs, g.exits) {
		if why != g.fly.target().Cold.Reason {
			return fmt.Errorf("told %v, ended for %v", why, g.fly.target().Cold.Reason)
		}
	}
	g.sys.kernel().Sched.WakeAll()
	Stop(g.sys, g.friend)
	g.tidyUp()
	if err := g.resting(); err != nil {
		return err
	}
	return g.over()
}

// over checks that after the end of the system the ended actors still have their reasons.
func (g *glade) over() error {
	why := g.fly.target().Cold.Reason
	if err := g.sys.Shutdown(context.Background()); err != nil {
		return err
	}
	if got := g.fly.target().TerminatedRecord().Reason; got != why {
		return fmt.Errorf("after the end of the system it had ended for %v, not %v", got, why)
	}
	return g.allEnded()
}

// TestPlainEnd_Explored: an actor stops itself while two others send to it, ask, watch, link, stop
// or kill it. Whichever comes first, each message runs once or is a dead letter. Each monitor, link
// and caller is told once, although the actor never looks at its system queue again.
//
// Mutants: internal/mutants/life_explored.json.
func TestPlainEnd_Explored(t *testing.T) {
	for i, a := range gladeOps {
		for _, b := range gladeOps[i:] {
			t.Run(a.name+"-"+b.name, func(t *testing.T) {
				explore.PortfolioOf(t, 1200, 250, func(p *explore.Program) {
					g := newGlade(p)
					p.Go(func() { a.do(g, 1) })
					p.Go(func() { b.do(g, 2) })
					g.man()
					p.After(g.judge)
				})
			})
		}
	}
}
