package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// holders waits until a system has come to rest and has exactly the holders in want.
func holders(t *testing.T, sys *actor.System, want string) {
	t.Helper()
	got := func() string {
		var words []string
		for _, h := range sys.Why() {
			words = append(words, h.String())
		}
		return strings.Join(words, ", ")
	}
	last := ""
	for end := time.Now().Add(testLimit); time.Now().Before(end); runtime.Gosched() {
		if last = got(); last == want {
			return
		}
	}
	t.Fatalf("the system is held by\n%s, want\n%s", last, want)
}

// TestWhy: "Why returns the reasons why the system is not quiescent at this moment".
func TestWhy(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	holders(t, sys, "")
	stay := make(chan struct{})
	defer close(stay)
	r, err := puppetType.SpawnNamed(sys, "front", puppet{})
	must(t, err)
	other := puppetType.Spawn(sys, puppet{})
	fetch := func(context.Context) (int, error) { <-stay; return 0, nil }
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, reply, fetch)
		actor.Pipe(c, reply, fetch)
		for range 3 {
			actor.After(c, time.Hour, count, 1)
		}
	})
	do.Send(sys, other, func(_ *puppet, c *actor.Context) {
		actor.Every(c, time.Hour, count, 1)
		bridge.FromChan(c, make(chan int), count)
	})
	release, err := sys.Hold()
	must(t, err)
	front, plain := fmt.Sprintf("puppet#%d (front)", r.ID()), fmt.Sprintf("puppet#%d", other.ID())
	holders(t, sys,
		"2 Pipes of "+front+", 1 FromChan of "+plain+", 3 timers of "+front+
			", 1 timer of "+plain+", 1 Hold")
	release()
	actor.Stop(sys, r)
	holders(t, sys, "2 Pipes of "+front+", 1 FromChan of "+plain+", 1 timer of "+plain)
	actor.Stop(sys, other)
	holders(t, sys, "2 Pipes of "+front)
}

// TestWhy_Many: "For each reason Why names up to three actors of a type; more of them are counted in
// one Holder."
func TestWhy_Many(t *testing.T) {
	sys := start(t)
	for range 1000 { // more than are counted under one lock
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			actor.After(c, time.Hour, count, 1)
			actor.After(c, time.Hour, count, 1).Cancel(c)
		})
	}
	holders(t, sys, "1000 timers of puppet")
	equal(t, "in the struct", sys.Why()[0], actor.Holder{What: "timer", Count: 1000,
		Actor: actor.ActorName{Type: "puppet"}})
}

// TestWhy_Turns: a behaviour that blocks, a behaviour that asks it, and actors that are muted for
// it.
func TestWhy_Turns(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	muted := o.mute(t, sys)
	asks := puppetType.Spawn(sys, puppet{})
	do.Send(sys, asks, func(_ *puppet, c *actor.Context) {
		_, _ = slowTry.Ask(soon(t), o.ref, func(*puppet, *actor.Context) (any, error) { return nil, nil })
	})
	holders(t, sys,
		fmt.Sprintf("1 running turn of puppet#%d for slow#%d, 1 running turn of slow#%[2]d, 1 mute of "+
			"puppet#%d for slow#%[2]d",
			asks.ID(), o.ref.ID(), muted.ID()))
	o.release()
	holders(t, sys, "")
}

// TestWhy_Lives: actors that wait for their children or their supervisor, and deferred replies.
func TestWhy_Lives(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	k := clerkType.Spawn(sys, clerk{})
	outcome := wanting(t, k, 2)
	holders(t, sys, fmt.Sprintf("2 put-off replies of clerk#%d", k.ID()))
	inClerk(t, k, func(k *clerk, c *actor.Context) { k.next().Reply(c, 1, nil) })
	inClerk(t, k, func(k *clerk, c *actor.Context) { k.next().Reply(c, 2, nil) })
	equal(t, "outcomes", outcome().Value+outcome().Value, 3)
	holders(t, sys, "")

	parent := mortalType.Spawn(sys, mortal{name: "p"})
	stay, stuck := make(chan struct{}), make(chan struct{})
	var child actor.Ref[mortal]
	in(t, parent, func(_ *mortal, c *actor.Context) {
		child = mortalType.SpawnChild(c, mortal{name: "c"})
		doAct.Send(c, child, func(*mortal, *actor.Context) { close(stuck); <-stay })
	})
	receive(t, "the child to get stuck", stuck)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() { failed <- actor.StopWait(ctx, parent) }()
	held := fmt.Sprintf("1 running turn of mortal#%d, 1 pending stop of mortal#%d for mortal#%[1]d",
		child.ID(), parent.ID())
	holders(t, sys, held)
	cancel()
	err := receive(t, "its error", failed)
	wants(t, err, context.Canceled)
	equal(t, "error", err.Error(), fmt.Sprintf("gallop: StopWait of mortal#%d: context canceled: %s",
		parent.ID(), held))
	close(stay)
	quiet(t, sys)
	holders(t, sys, "")
}

// TestWhy_Restart: an actor that waits for its supervisor is a pending restart.
func TestWhy_Restart(t *testing.T) {
	sys := start(t)
	parent := mortalType.Spawn(sys, mortal{name: "parent",
		onFell: func(*mortal, *actor.Context, actor.ChildDown) {}})
	var child actor.Ref[mortal]
	in(t, parent, func(_ *mortal, c *actor.Context) {
		child = actor.SpawnSupervised(c, mortalType, func(m *mortal) { m.name = "child" }, onFell)
	})
	actor.Suspend(sys, child)
	holders(t, sys, fmt.Sprintf("1 pending restart of mortal#%d", child.ID()))
	actor.Restart(sys, child)
	holders(t, sys, "")
}

// TestShutdown_SaysWhy: Shutdown's error "wraps ctx's error and names the reasons why the
// system was not quiescent".
func TestShutdown_SaysWhy(t *testing.T) {
	sys := start(t)
	r := puppetType.Spawn(sys, puppet{})
	stay := make(chan struct{})
	defer close(stay)
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, reply, func(context.Context) (int, error) { <-stay; return 0, nil })
		actor.After(c, time.Hour, count, 1)
		actor.After(c, time.Hour, count, 1)
	})
	held := fmt.Sprintf("1 Pipe of puppet#%d, 2 timers of puppet#%[1]d", r.ID())
	holders(t, sys, held)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := sys.Shutdown(ctx)
	wants(t, err, context.DeadlineExceeded)
	equal(t, "error", err.Error(), "gallop: Shutdown: context deadline exceeded: "+held)
	var why *actor.ShutdownError
	if !errors.As(err, &why) || len(why.Holders) != 2 || why.Holders[0].Actor.ID != r.ID() ||
		why.Err != context.DeadlineExceeded {
		t.Errorf("%+v", why)
	}
}

// TestHolder_String: one holder and several.
func TestHolder_String(t *testing.T) {
	who := actor.ActorName{Type: "room", ID: 3, Name: "hall"}
	for want, h := range map[string]actor.Holder{
		"1 Hold": {What: "Hold", Count: 1},
		"2 put-off replies of desk": {What: "put-off reply", Count: 2,
			Actor: actor.ActorName{Type: "desk"}},
		"1 Pipe of room#3 (hall)": {What: "Pipe", Count: 1, Actor: who},
		"1 mute of x#1 for room#3 (hall)": {What: "mute", Count: 1,
			Actor: actor.ActorName{Type: "x", ID: 1}, For: who},
		"3 FromChans of room#3 (a/b)": {What: "FromChan", Count: 3,
			Actor: actor.ActorName{Type: "room", ID: 3, Name: "hall", Path: "a/b"}},
	} {
		equal(t, "in words", h.String(), want)
	}
}

// TestWhy_Queued: actors that are queued. Why may be called in a behaviour.
func TestWhy_Queued(t *testing.T) {
	// One worker and a seed: otherwise another worker may stand in for one that the machine has
	// halted here.
	sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
	inside(t, sys, func(c *actor.Context) {
		for range 5 {
			count.Send(c, puppetType.Spawn(c, puppet{}), 1)
		}
		all := c.System().Why()
		if len(all) != 2 || all[0].String() != fmt.Sprintf("1 running turn of puppet#%d", c.ActorID()) {
			t.Fatalf("%v", all)
		}
		if q := all[1]; q.What != "queued turn" || q.Count < 3 || q.Count > 5 ||
			q.Actor != (actor.ActorName{}) {
			t.Errorf("%+v", q)
		}
	})
}
