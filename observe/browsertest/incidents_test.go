package browsertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// "a scripted incident in each of six programs … is found from the page alone: the page names the
// culprit in its lints within 10 s". The ten seconds count on an idle machine only.
func TestIncidents(t *testing.T) {
	for _, in := range []struct {
		name string
		// begin makes the incident, and returns its end and the texts that the page must show.
		begin       func(t *testing.T, sys *actor.System) (end func(), rule, culprit string)
		page, there string // a further page, and a text on it
	}{
		{"slow-actor", slowActor, "longturns", "slow"},
		{"flood", flood, "actors", "1,000+"},
		{"circle-of-mutes", circleOfMutes, "mutes", "sink"},
		{"ask-of-itself", askOfItself, "asks", "order"},
		{"restart-loop", restartLoop, "panics", "no disk"},
		{"hold-not-released", holdNotReleased, "why", "holdNotReleased"},
	} {
		t.Run(in.name, func(t *testing.T) {
			sys := quietly(t)
			b := open(t, sys)
			b.goTo("")
			end, rule, culprit := in.begin(t, sys)
			defer end()
			begin := time.Now()
			b.wait(fmt.Sprintf(`[...document.querySelectorAll('.lint')].some((e) => e.innerText.includes(%q) && e.innerText.includes(%q))`,
				rule, culprit))
			took := time.Since(begin)
			b.shoot("incident-" + in.name)
			if figures && took > 10*time.Second {
				t.Errorf("found after %v", took)
			}
			t.Logf("%s by %s: found after %v", in.name, rule, took.Round(100*time.Millisecond))
			b.goTo(in.page)
			b.wait(fmt.Sprintf(`document.getElementById('main').innerText.includes(%q)`, in.there))
			b.shoot("incident-" + in.name + "-" + in.page)
		})
	}
}

// ticks sends a message now and then until its end.
func ticks(every time.Duration, f func()) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// One of eight clerks takes a quarter of a second for each message.
func slowActor(_ *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	typ, do := itemType("clerk")
	var refs []actor.Ref[item]
	for i := range 8 {
		refs = append(refs, named(sys, typ, fmt.Sprint("clerk-", i)))
	}
	slow := named(sys, typ, "slow")
	n := 0
	end = ticks(20*time.Millisecond, func() {
		n++
		do.Send(sys, refs[n%8], func(*item, *actor.Context) {})
		if n%10 == 0 {
			// The turn is long; nothing in the test waits for it.
			do.Send(sys, slow, func(*item, *actor.Context) { time.Sleep(250 * time.Millisecond) })
		}
	})
	return end, "long-turn", "slow"
}

// A goroutine outside writes faster than a logger logs.
func flood(_ *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	typ, do := itemType("logger")
	ref := named(sys, typ, "access-log")
	slowly := func(*item, *actor.Context) {
		for begin := time.Now(); time.Since(begin) < 200*time.Microsecond; {
		}
	}
	end = ticks(time.Millisecond, func() {
		for range 10 {
			do.Send(sys, ref, slowly)
		}
	})
	return end, "queue-grows", "access-log"
}

// A sink applies pressure. The message that would end it is in the mailbox of a source that waits
// for the sink.
func circleOfMutes(_ *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	typ, do := itemType("stage")
	sink, source := named(sys, typ, "sink"), named(sys, typ, "source")
	nothing := func(*item, *actor.Context) {}
	do.Send(sys, sink, func(_ *item, c *actor.Context) {
		c.ApplyPressure()
		do.Send(c, source, func(_ *item, c *actor.Context) { do.Send(c, sink, nothing) })
	})
	// The runtime lets the source go on for the mail that it has: each further message mutes it anew.
	end = ticks(20*time.Millisecond, func() {
		do.Send(sys, source, func(_ *item, c *actor.Context) { do.Send(c, sink, nothing) })
	})
	return end, "pressure", "sink"
}

// An order asks the warehouse in its turn. The warehouse answers when it has heard from the order.
func askOfItself(_ *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	typ, do := itemType("order")
	order := named(sys, typ, "order-7")
	warehouse := actor.NewType[item]("warehouse")
	reserve := actor.DeclareAsk[int, int](warehouse, "reserve")
	warehouse.Table(reserve.Handle(func(_ *item, c *actor.Context, n int) (int, error) {
		d := actor.Defer(c, reserve)
		do.Send(c, order, func(_ *item, c *actor.Context) { d.Reply(c, n, nil) })
		return 0, nil
	}))
	asked := warehouse.Spawn(sys, item{})
	ctx, cancel := context.WithCancel(context.Background())
	do.Send(sys, order, func(*item, *actor.Context) { _, _ = reserve.Ask(ctx, asked, 1) })
	return cancel, "ask", "order-7"
}

// A child panics at its first message, each time.
func restartLoop(t *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	typ, do := itemType("disk")
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[item]{Name: "disk", Type: typ, Backoff: supervise.NoBackoff,
			Intensity: supervise.Intensity{Restarts: 1_000_000, Within: time.Hour}}}})
	if err := root.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	disk, err := supervise.Find[item](t.Context(), root, "disk")
	if err != nil {
		t.Fatal(err)
	}
	end = ticks(300*time.Millisecond, func() {
		do.Send(sys, disk, func(*item, *actor.Context) { panic("no disk") })
	})
	return end, "restart-loop", "app/disk"
}

func holdNotReleased(t *testing.T, sys *actor.System) (end func(), rule, culprit string) {
	release, err := sys.Hold()
	if err != nil {
		t.Fatal(err)
	}
	return release, "hold", "holdNotReleased"
}
