package actor

import (
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// needFence waits until biases are possible, and skips the test on machines where they are not.
func needFence(t *testing.T) {
	t.Helper()
	if ask := seam.PrepareFence(); ask != nil {
		ask()
	}
	for end := time.Now().Add(time.Second); !seam.CanFence(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Skip("there are no biases here") // since the kernel has no such fence
		}
	}
}

// tenant is an actor that runs the functions that are sent to it.
type tenant struct{}

func newTenantType(name string, opts ...TypeOption) (*Type[tenant],
	Behaviour[tenant, func(*Context)]) {
	typ := NewType[tenant](name, opts...)
	act := Declare[func(*Context)](typ, "act")
	typ.Table(act.Handle(func(_ *tenant, c *Context, f func(*Context)) { f(c) }))
	return typ, act
}

var (
	tenantType, tenantAct = newTenantType("tenant")
	tenantPinned, _       = newTenantType("pinned tenant", WithPinnedThread())
	tenantBounded, _      = newTenantType("bounded tenant", WithBound(4, OverflowMute))
	tenantCounted, _      = newTenantType("counted tenant", WithWatermarks(20, 5))
)

// TestBias_NotForAll: actors that only one worker runs, and actors whose mail is counted or bounded
// when it is pushed, are biased to no worker.
func TestBias_NotForAll(t *testing.T) {
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	for typ, want := range map[*Type[tenant]]bool{tenantType: true, tenantPinned: false,
		tenantBounded: false, tenantCounted: false} {
		if got := typ.Spawn(sys, tenant{}).target().Shared().Biased; got != want {
			t.Errorf("%s: biased: %v, want %v", infoOf(typ).Name, got, want)
		}
	}
}

// TestBias_Given: a worker that wakes an actor leaves its mark in the mailbox, and its next
// messages do not change the mailbox. The mark gets into no cache of messages, even if it is
// recycled.
func TestBias_Given(t *testing.T) {
	needFence(t)
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	a, b := tenantType.Spawn(sys, tenant{}), tenantType.Spawn(sys, tenant{})
	why := "it has panicked"
	ran := make(chan struct{})
	tenantAct.Send(sys, a, func(c *Context) {
		defer close(ran)
		mark := c.kernel().Bias.Mark()
		c.grantBias(true)
		for range 3 {
			tenantAct.Send(c, b, func(*Context) {})
		}
		left, some := b.target().Box.Head() != mark, b.target().In.HasAppended() &&
			msg.Distance(b.target().In.Pending(), nil) == 1
		c.kernel().Recycle(mark)
		switch {
		case left:
			why = "there is no mark"
		case !some:
			why = "nothing was appended"
		case mark.Next != nil:
			why = "the mark is in a cache"
		default:
			why = ""
		}
	})
	if <-ran; why != "" {
		t.Error(why)
	}
}

// grantBias is a review with a given outcome. Earlier steals do not count.
func (c *Context) grantBias(ok bool) {
	c.kernel().Bias.Review(0, true)
	c.kernel().Bias.Allow(ok, c.kernel().W.Overflows())
}

// TestBias_FansOut: a behaviour that wakes thousands of actors has biases only of the actors that
// fit into its worker's queue. Each of the others would cost a fence when another worker runs it.
func TestBias_FansOut(t *testing.T) {
	needFence(t)
	const queue = 1024 + 256
	sys := Start(WithWorkers(2))
	defer sys.Stop()
	hub := tenantType.Spawn(sys, tenant{})
	var many [4 * queue]Ref[tenant]
	for i := range many {
		many[i] = tenantType.Spawn(sys, tenant{})
	}
	biased := 0
	tenantAct.Send(sys, hub, func(c *Context) {
		c.grantBias(true)
		for _, r := range many {
			if tenantAct.Send(c, r, func(*Context) {}); r.target().Box.Head() == c.kernel().Bias.Mark() {
				biased++
			}
		}
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if biased == 0 || biased > 2*queue {
		t.Errorf("%d of %d are biased", biased, len(many))
	}
}

// TestBias_MutedLeaves: an actor that is muted while another worker is awake keeps no bias.
// Otherwise the worker that releases it would pay for a fence. Mutant: park without Leave.
func TestBias_MutedLeaves(t *testing.T) {
	needFence(t)
	sys := Start(WithWorkers(2))
	defer sys.Stop()
	other, pressed := tenantType.Spawn(sys, tenant{}), tenantType.Spawn(sys, tenant{})
	friend, a := tenantType.Spawn(sys, tenant{}), tenantType.Spawn(sys, tenant{})
	tenantAct.Send(sys, pressed, func(c *Context) { c.ApplyPressure() })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	at, stay, had := make(chan struct{}), make(chan struct{}), false
	tenantAct.Send(sys, other, func(*Context) { close(at); <-stay })
	<-at
	tenantAct.Send(sys, friend, func(c *Context) {
		c.grantBias(true)
		tenantAct.Send(c, a, func(c *Context) {
			had = a.target().In.Tail() == c.kernel().Bias.Mark()
			tenantAct.Send(c, pressed, func(*Context) {})
			for c.kernel().W.Alone() {
				runtime.Gosched()
			}
		})
	})
	for end := time.Now().Add(time.Minute); !a.target().BlockedOn.Parked(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("it is not muted")
		}
	}
	if !had || a.target().In.MustRevoke(&mpsc.NoBias) {
		t.Errorf("it had a bias: %v, and has one: %v", had, a.target().In.MustRevoke(&mpsc.NoBias))
	}
	close(stay)
	tenantAct.Send(sys, pressed, func(c *Context) { c.ReleasePressure() })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestBias_DetachedWaits: a worker that takes over from a blocking worker may be surplus at first.
// Then the actors that it makes runnable go to other workers. So it holds no biases before its
// first review.
func TestBias_DetachedWaits(t *testing.T) {
	needFence(t)
	typ := NewType[struct{}]("biased")
	do := Declare[func(*Context)](typ, "do")
	typ.Table(do.Handle(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	may := make(map[bool]bool)
	do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
		may[c.kernel().W.ID() > 0] = sys.kernel().NewContext(c.kernel().W).Bias.Allowed()
		c.Blocking(func() {
			done := make(chan struct{})
			do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
				may[c.kernel().W.ID() > 0] = sys.kernel().NewContext(c.kernel().W).Bias.Allowed()
				close(done)
			})
			<-done
		})
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if free, ok := may[true]; !ok || free || !may[false] {
		t.Errorf("whether a worker may hold biases, by whether it is a spare: %v", may)
	}
}
