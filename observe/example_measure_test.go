package observe_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// A sample says how many actors there are, without a list of all of them.
func ExamplePopulation() {
	sys := actor.Start()
	defer sys.Stop()
	observe.Population(sys) // begins with the sample
	var all []actor.Ref[Clerk]
	for range 100_000 {
		all = append(all, ClerkType.Spawn(sys, Clerk{}))
	}
	n := observe.Population(sys)["clerk"]
	fmt.Println(n > 60_000 && n < 140_000)
	runtime.KeepAlive(all)
	// Output: true
}

// A profile says which types keep the workers busy.
func ExampleProfiler() {
	sys := actor.Start()
	defer sys.Stop()
	var p *observe.Profiler = observe.Profile(sys, time.Millisecond)
	defer p.Stop()
	all, byType := p.Looks()
	for typ, n := range byType {
		fmt.Printf("%s takes %.0f %% of the workers' time\n", typ, 100*float64(n)/float64(all))
	}
	// Output:
}

func ExampleMailboxDelays() {
	sys := actor.Start()
	defer sys.Stop()
	stop := observe.MailboxDelays(sys, 0, func(typ string, d time.Duration) { fmt.Println(typ, d) })
	stop() // at once: nothing is measured yet
	// Output:
}

// Basket has an Inspect method that returns a part of its state.
type Basket struct {
	goods []string
	card  string // not shown
}

// Inspect implements observe.Inspector.
func (b *Basket) Inspect() any { return b.goods }

func ExampleInspector() {
	var state observe.Inspector = &Basket{goods: []string{"tea"}, card: "4012…"}
	fmt.Println(state.Inspect())
	// Output: [tea]
}

var (
	LookType = actor.NewType[Clerk]("clerk")
	Look     = actor.Declare[string](LookType, "look")
	_        = LookType.Table(Look.Handle(func(_ *Clerk, c *actor.Context, key string) {
		lookUp(c.Context(), key)
	}))
)

// lookUp is a function of a library that knows no actors.
func lookUp(ctx context.Context, key string) {
	log.InfoContext(ctx, "looked up", "key", key)
}

var log *slog.Logger

// A record that a library logs with the context of a behaviour says for which actor it was.
func ExampleLogHandler() {
	untimed := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log = slog.New(observe.LogHandler(slog.NewTextHandler(os.Stdout,
		&slog.HandlerOptions{ReplaceAttr: untimed})))
	sys := actor.Start()
	defer sys.Stop()
	r, _ := LookType.SpawnNamed(sys, "bob", Clerk{})
	Look.Send(sys, r, "k1")
	_ = sys.Wait(context.Background())
	// Output: level=INFO msg="looked up" key=k1 actor=1 type=clerk name=bob
}
