package actortest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// printer stands for the *testing.T of a test: it prints how the test fails.
type printer struct{ testing.TB }

func (printer) Helper()                   {}
func (printer) Name() string              { return "TestCache" }
func (printer) Logf(string, ...any)       {}
func (printer) Failed() bool              { return false }
func (printer) Fatalf(f string, a ...any) { fmt.Printf(f+"\n", a...) }

// A cache forgets one of two clients if their requests come in a rare order. Run finds
// one in which they do, and says how to see it again.
func ExampleRun() {
	var t printer // in a test: func TestCache(t *testing.T)
	actortest.Run(t, twoClients, actortest.WithStrategies(actortest.PCT(3)), actortest.WithRuns(1000))
	// Output:
	// 1 of 2 answers
	// replay: go test -run '^TestCache$' -gallop.replay=path2-3.1
}

func ExampleR_Advance() {
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		late := actortest.NewProbe[string](r, "late")
		with(r, func(c *actor.Context) {
			actor.After(c, 3*time.Second, do,
				func(c *actor.Context) { late.Handler().Send(c, "after 3 s") })
		})
		r.Quiet()
		fmt.Println(late.Got())
		r.Advance(3 * time.Second)
		fmt.Println(late.Got())
	}, actortest.WithStrategies(actortest.Exhaustive(0)), actortest.WithRuns(1))
	// Run looks whether the first run repeats itself, so it prints twice.
	// Output:
	// []
	// [after 3 s]
	// []
	// [after 3 s]
}

func ExampleFault() {
	var t printer
	table := []actortest.Fault{{Type: "puppet", Behaviour: "do", At: 2, Action: actortest.FaultPanic}}
	actortest.Run(t, func(r *actortest.R) {
		p := with(r, func(*actor.Context) {})
		do.Send(r.System(), p, func(*actor.Context) {})
		_, err := ask.Ask(r.Context(), p, func(*actor.Context) {})
		if err == nil {
			r.Errorf("the second message did not panic")
		}
	}, actortest.WithFaults(table...))
	var what actortest.FaultAction = table[0].Action
	fmt.Println(what == actortest.FaultPanic, actortest.InjectedPanic{Fault: table[0]})
	// Output:
	// true gallop: actortest: injected panic in puppet.do
}

func ExampleOption() {
	var t printer
	thorough := []actortest.Option{actortest.WithRuns(500), actortest.WithWorkers(8),
		actortest.WithSeed(1)}
	orders := map[string]bool{}
	actortest.Run(t, func(r *actortest.R) {
		got := actortest.NewProbe[int](r, "got")
		for i := range 3 {
			with(r, func(c *actor.Context) { got.Handler().Send(c, i) })
		}
		r.WhenQuiet(func() { orders[fmt.Sprint(got.Got())] = true })
	}, thorough...)
	fmt.Println(len(orders), "orders of 3 messages")
	// Output:
	// 6 orders of 3 messages
}

func ExampleStrategy() {
	fmt.Println(actortest.Random(), actortest.PCT(3), actortest.Exhaustive(2))
	// Output:
	// random pct3 exhaustive2
}

// A failure that is known: the test passes as long as the cache forgets a client.
func ExampleRunFails() {
	var t talker // in a test: func TestCache(t *testing.T)
	actortest.RunFails(t, "^1 of 2 answers$", twoClients, actortest.WithTrace(0))
	// Output:
	// actortest: found by pct12-0-100; made simpler in 19 runs: 6 choices to 1, 21 events to 21
	// actortest: 21 events
	//   … 21 before; WithTrace(-1) or -gallop.trace shows them
	//
	// actortest: it fails, as expected: 1 of 2 answers
	// replay: go test -run '^TestCache$' -gallop.replay=path-3.1
}

// talker is a printer that prints the log too.
type talker struct{ printer }

func (talker) Logf(f string, a ...any) { fmt.Printf(f+"\n", a...) }

func ExampleIn() {
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		got := actortest.NewProbe[string](r, "reader")
		turn := actortest.In(r, puppetType, puppet{}, func(p *puppet, c *actor.Context) {
			got.Handler().Send(c, "hello")
			c.Stop()
		})
		fmt.Println(got.Got(), turn.Stopped)
	}, actortest.WithRuns(1))
	// Run looks whether the first run repeats itself, so it prints twice.
	// Output:
	// [hello] true
	// [hello] true
}

func ExampleTurn() {
	var turn *actortest.Turn[puppet]
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		turn = actortest.In(r, puppetType, puppet{},
			func(_ *puppet, c *actor.Context) { c.Exit(errPlanted) })
	}, actortest.WithRuns(1))
	fmt.Println(turn.Stopped, turn.Reason, len(turn.Sent))
	// Output:
	// true planted 0
}

func ExampleSent() {
	var sent []actortest.Sent
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		got := actortest.NewProbe[string](r, "reader")
		sent = actortest.In(r, puppetType, puppet{}, func(_ *puppet, c *actor.Context) {
			got.Handler().Send(c, "one")
			tick.Send(c, actor.Self[puppet](c), 2)
			got.Handler().Send(c, "three")
		}).Sent
	}, actortest.WithRuns(1))
	fmt.Println(sent[1].To, sent[1].Behaviour, sent[1].Message)
	fmt.Println(actortest.Of[string](sent))
	// Output:
	// puppet#2 tick 2
	// [one three]
}

func ExampleArmed() {
	var armed []actortest.Armed
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		armed = actortest.In(r, puppetType, puppet{}, func(_ *puppet, c *actor.Context) {
			actor.After(c, time.Minute, tick, 7)
		}).Armed
	}, actortest.WithRuns(1))
	fmt.Println(armed[0].Behaviour, armed[0].After, actortest.Of[int](armed))
	// Output:
	// tick 1m0s [7]
}

// A slow dependency: the double takes an hour of virtual time.
func ExampleWithLatency() {
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		says := actortest.NewProbe[string](r, "customer")
		db := func(context.Context) (int, error) { return 100, nil }
		bill.Send(r.System(), tillType.Spawn(r.System(), till{db: db, says: says.Handler()}),
			time.Minute)
		r.Advance(time.Hour)
		fmt.Println(says.Got())
	}, actortest.WithLatency(2*time.Minute, 3*time.Minute, "till"), actortest.WithRuns(1))
	// Run looks whether the first run repeats itself, so it prints twice.
	// Output:
	// [too late]
	// [too late]
}
