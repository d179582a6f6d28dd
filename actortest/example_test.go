package actortest_test

import (
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
	actortest.Run(t, twoClients, actortest.Strategies(actortest.PCT(3)), actortest.Runs(1000))
	// Output:
	// 1 of 2 answers
	// replay: go test -run '^TestCache$' -gallop.replay=path2-3.1
}

func ExampleR_Advance() {
	var t printer
	actortest.Run(t, func(r *actortest.R) {
		late := actortest.NewProbe[string](r, "late")
		with(r, func(c *actor.Context) {
			actor.After(c, 3*time.Second, do, func(c *actor.Context) { late.Handler().Send(c, "after 3 s") })
		})
		r.Quiet()
		fmt.Println(late.Got())
		r.Advance(3 * time.Second)
		fmt.Println(late.Got())
	}, actortest.Strategies(actortest.Exhaustive(0)), actortest.Runs(1))
	// Run looks whether the first run repeats itself, so it prints twice.
	// Output:
	// []
	// [after 3 s]
	// []
	// [after 3 s]
}

func ExampleFault() {
	var t printer
	table := []actortest.Fault{{Type: "puppet", Behaviour: "do", At: 2, Do: actortest.Panic}}
	actortest.Run(t, func(r *actortest.R) {
		p := with(r, func(*actor.Context) {})
		do.Send(r.System(), p, func(*actor.Context) {})
		_, err := ask.Ask(r.Context(), r.System(), p, func(*actor.Context) {})
		if err == nil {
			r.Errorf("the second message did not panic")
		}
	}, actortest.Faults(table...))
	var what actortest.Action = table[0].Do
	fmt.Println(what == actortest.Panic, actortest.InjectedPanic{Fault: table[0]})
	// Output:
	// true gallop: actortest: injected panic in puppet.do
}

func ExampleOption() {
	var t printer
	thorough := []actortest.Option{actortest.Runs(500), actortest.Workers(8), actortest.Seed(1)}
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
