package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// A Basket can be shown: it says of itself what is no secret.
type Basket struct {
	goods []string
	card  string
}

func (b *Basket) Put(_ *actor.Context, what string) {
	if what == "" {
		panic("nothing to put")
	}
	b.goods = append(b.goods, what)
}

func (b *Basket) Inspect() any { return len(b.goods) }

var (
	BasketType = actor.NewType[Basket]("basket")
	Put        = actor.Declare[string](BasketType, "put")
	_          = BasketType.Table(Put.Handle((*Basket).Put))
	_          = inspect.Inspector((*Basket)(nil))
)

// quietly starts a system that logs nothing.
func quietly(opts ...actor.Option) *actor.System {
	return actor.Start(append(opts, actor.WithWorkers(1),
		actor.WithLogger(slog.New(slog.DiscardHandler)))...)
}

// State asks an actor, between two messages, what it says of itself.
func Example() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	b := BasketType.Spawn(sys, Basket{card: "4012…"})
	Put.Send(sys, b, "tea")
	Put.Send(sys, b, "milk")
	_ = sys.Wait(ctx)
	s, err := inspect.State(ctx, b.Any())
	fmt.Println(s.GoType, s.Value, err)
	// Output: inspect_test.Basket 2 <nil>
}

func ExampleSnapshot() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	b := BasketType.Spawn(sys, Basket{goods: []string{"tea"}})
	var s inspect.Snapshot
	s, _ = inspect.State(ctx, b.Any())
	fmt.Println(s.Actor.Type, s.Actor.Status, s.Bytes > 0, s.Value)
	// Output: basket idle true 1
}

func ExampleInspector() {
	var i inspect.Inspector = &Basket{goods: []string{"tea"}, card: "4012…"}
	fmt.Println(i.Inspect())
	// Output: 1
}

func ExampleTypes() {
	sys := quietly()
	defer sys.Stop()
	BasketType.Spawn(sys, Basket{})
	for _, t := range inspect.Types(sys) {
		fmt.Println(t.Name, t.Behaviours, t.StateBytes > 0)
	}
	// Output: basket [put] true
}

func ExampleType() {
	fmt.Println(inspect.Type{Name: "basket", Behaviours: []string{"put"}, StateBytes: 40}.Name)
	// Output: basket
}

func ExampleNames() {
	sys := quietly()
	defer sys.Stop()
	_, _ = BasketType.SpawnNamed(sys, "bob", Basket{})
	for _, n := range inspect.Names(sys) {
		fmt.Println(n.Name, n.Actor)
	}
	// Output: bob basket#1
}

func ExampleNamed() {
	fmt.Println(inspect.Named{Name: "bob", Actor: inspect.Actor{Type: "basket", ID: 1}})
	// Output: {bob basket#1}
}

func ExampleActor() {
	sys := quietly()
	defer sys.Stop()
	a := inspect.Describe(BasketType.Spawn(sys, Basket{}).Any())
	fmt.Println(a, a.Status, a.Queued, a.Muted)
	// Output: basket#1 idle 0 false
}

func ExampleWorkers() {
	sys := quietly()
	defer sys.Stop()
	for _, w := range inspect.Workers(sys)[:sys.Workers()] {
		fmt.Println(w.ID, w.State)
	}
	// Output: 0 idle
}

func ExampleWorker() {
	w := inspect.Worker{ID: 1, State: inspect.WorkerRunning, Type: "basket", Behaviour: "put"}
	fmt.Println(w.ID, w.State, w.Type+"."+w.Behaviour)
	// Output: 1 running basket.put
}

func ExampleWorkerState() {
	fmt.Println(inspect.WorkerIdle, inspect.WorkerRunning, inspect.WorkerBlocking)
	// Output: idle running blocking
}

// A profile says which actors keep the workers busy.
func ExampleProfile() {
	sys := quietly()
	defer sys.Stop()
	p := inspect.Profile(sys, time.Millisecond)
	defer p.Stop()
	for _, b := range p.Actors(10) {
		fmt.Printf("%s#%d is in %s for %.0f %%\n", b.Type, b.Actor, b.Behaviour, 100*b.Share)
	}
	// Output:
}

func ExampleProfiler() {
	sys := quietly()
	defer sys.Stop()
	var p *inspect.Profiler = inspect.Profile(sys, 0)
	p.Stop()
	p.Reset()
	fmt.Println(p.Samples())
	// Output: 0 0
}

func ExampleBusy() {
	b := inspect.Busy{Type: "basket", Behaviour: "put", Samples: 90, Share: 0.9}
	fmt.Printf("%s.%s: %.0f %%\n", b.Type, b.Behaviour, 100*b.Share)
	// Output: basket.put: 90 %
}

// Nobody lists a million actors; a sample says how many there are, and how sure that is.
func ExamplePopulation() {
	sys := quietly()
	defer sys.Stop()
	inspect.Begin(sys)
	b := BasketType.Spawn(sys, Basket{})
	c := inspect.Population(sys)
	fmt.Println(c.Total.Low <= 1, c.Total.High >= 1, c.Before)
	actor.Stop(sys, b)
	// Output: true true 0
}

func ExampleCensus() {
	c := inspect.Census{Total: inspect.Estimate{Seen: 976, Living: 976 * inspect.OneIn}}
	fmt.Println(c.Total.Seen, c.Total.Living)
	// Output: 976 999424
}

func ExampleEstimate() {
	e := inspect.Estimate{Type: "basket", Seen: 100, Living: 102400, Low: 78000, High: 132000}
	fmt.Printf("%s: %d–%d\n", e.Type, e.Low, e.High)
	// Output: basket: 78000–132000
}

func ExampleGraph() {
	sys := quietly()
	defer sys.Stop()
	var g inspect.WaitGraph = inspect.Graph(sys)
	fmt.Println(len(g.Mutes), len(g.Asks), len(g.Circles))
	// Output: 0 0 0
}

func ExampleEdge() {
	e := inspect.Edge{From: inspect.Actor{Type: "reader", ID: 2},
		To: inspect.Actor{Type: "log", ID: 3}, AtLeast: 2 * time.Second}
	fmt.Println(e.From, "waits for", e.To, "for", e.AtLeast)
	// Output: reader#2 waits for log#3 for 2s
}

func ExampleWaitGraph() {
	g := inspect.WaitGraph{Circles: [][]inspect.Actor{{{Type: "a", ID: 1}, {Type: "b", ID: 2}}}}
	fmt.Println(g.Circles)
	// Output: [[a#1 b#2]]
}

// A hold that is never released keeps a program from its end.
func ExampleHolds() {
	sys := quietly()
	defer sys.Stop()
	inspect.Begin(sys)
	release, _ := sys.Hold()
	defer release()
	for _, h := range inspect.Holds(sys) {
		fmt.Println(strings.Contains(h.At, "ExampleHolds"))
	}
	// Output: true
}

func ExampleHeld() {
	fmt.Println(inspect.Held{At: "main.serve main.go:12", For: time.Minute})
	// Output: {main.serve main.go:12 1m0s}
}

func ExampleDelay() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	b := BasketType.Spawn(sys, Basket{}).Any()
	d, err := inspect.Delay(ctx, b)
	fmt.Println(d > 0, err)
	_, err = inspect.Delay(ctx, b)
	fmt.Println(errors.Is(err, inspect.ErrTooManyProbes))
	// Output:
	// true <nil>
	// true
}

// A probe sees every message of the types that it watches, until stop.
func ExampleWatch() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	stop := inspect.Watch(sys, inspect.Probe{Before: func(c *actor.Context, m inspect.Message) {
		fmt.Println(m.Type, m.Behaviour, m.From)
	}}, "basket")
	b := BasketType.Spawn(sys, Basket{})
	Put.Send(sys, b, "tea")
	_ = sys.Wait(ctx)
	stop()
	Put.Send(sys, b, "milk")
	_ = sys.Wait(ctx)
	// Output: basket put 0
}

func ExampleProbe() {
	p := inspect.Probe{After: func(*actor.Context, inspect.Message) {}}
	fmt.Println(p.Before == nil, p.After == nil)
	// Output: true false
}

func ExampleMessage() {
	m := inspect.Message{Type: "basket", Behaviour: "put", From: 7}
	fmt.Printf("%s.%s from %d\n", m.Type, m.Behaviour, m.From)
	// Output: basket.put from 7
}

func ExampleCount() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	var k *inspect.Counts = inspect.Count(sys, "basket")
	b := BasketType.Spawn(sys, Basket{})
	Put.Send(sys, b, "tea")
	Put.Send(sys, b, "milk")
	_ = sys.Wait(ctx)
	k.Stop()
	for _, r := range k.Ran() {
		fmt.Println(r.Type, r.Behaviour, r.Messages, r.Outside)
	}
	// Output: basket put 2 2
}

func ExampleCounts() {
	sys := quietly()
	defer sys.Stop()
	k := inspect.Count(sys)
	k.Stop()
	fmt.Println(k.Ran())
	// Output: []
}

func ExampleRan() {
	fmt.Println(inspect.Ran{Type: "basket", Behaviour: "put", Messages: 3, Outside: 1})
	// Output: {basket put 3 1}
}

// Dead letters are counted by what they have in common.
func ExampleDeadLetters() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	var f *inspect.Feed = inspect.DeadLetters(sys)
	defer f.Close()
	b := BasketType.Spawn(sys, Basket{})
	_ = actor.StopWait(ctx, b)
	for range 3 {
		Put.Send(sys, b, "late")
	}
	for _, l := range f.Letters() {
		fmt.Println(l.Count, l.Type, l.Behaviour, l.Reason)
	}
	// Output: 3 basket put gallop: actor stopped
}

func ExampleFeed() {
	sys := quietly()
	defer sys.Stop()
	f := inspect.DeadLetters(sys)
	f.Close()
	fmt.Println(f.Total())
	// Output: 0
}

func ExampleLetters() {
	l := inspect.Letters{Type: "basket", Behaviour: "put", Count: 3, Rate: 0.3}
	fmt.Println(l.Type, l.Behaviour, l.Count, l.Rate)
	// Output: basket put 3 0.3
}

func ExampleLetter() {
	l := inspect.Letter{Actor: actor.ActorName{Type: "basket", ID: 1}, Behaviour: "put", From: 7}
	fmt.Println(l.Actor, l.Behaviour, l.From)
	// Output: basket#1 put 7
}

// The last panics are kept with their stacks, whatever the program's own hooks do with them.
func ExamplePanics() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	var r *inspect.Recent[inspect.Panic] = inspect.Panics(sys)
	defer r.Close()
	Put.Send(sys, BasketType.Spawn(sys, Basket{}), "")
	_ = sys.Wait(ctx)
	for _, p := range r.All() {
		fmt.Println(p.Type, p.Behaviour, p.Value, len(p.Stack) > 0)
	}
	// Output: basket put nothing to put true
}

func ExamplePanic() {
	p := inspect.Panic{PanicReport: actor.PanicReport{Type: "basket", Value: "nothing to put"}}
	fmt.Println(p.Type, p.Value)
	// Output: basket nothing to put
}

func ExampleRecent() {
	sys := quietly()
	defer sys.Stop()
	r := inspect.LongTurns(sys)
	r.Close()
	fmt.Println(len(r.All()), r.Total())
	// Output: 0 0
}

func ExampleLongTurn() {
	l := inspect.LongTurn{LongTurnReport: actor.LongTurnReport{Type: "basket", AtLeast: time.Second}}
	fmt.Println(l.Type, l.AtLeast)
	// Output: basket 1s
}

func ExamplePressureDeadlock() {
	sys := quietly()
	defer sys.Stop()
	r := inspect.PressureDeadlocks(sys)
	defer r.Close()
	var all []inspect.PressureDeadlock = r.All()
	fmt.Println(len(all))
	// Output: 0
}

func ExampleSupervisors() {
	ctx, sys := context.Background(), quietly()
	defer sys.Stop()
	basket := supervise.Worker[Basket]{Name: "basket", Type: BasketType}
	shop, err := supervise.StartWait(ctx, sys,
		supervise.Spec{Name: "shop", Children: []supervise.Child{basket}})
	trees, _ := inspect.Supervisors(ctx, sys)
	for _, n := range trees {
		fmt.Println(n.Name, n.Children[0].Name, n.Children[0].State, err)
	}
	runtime.KeepAlive(shop) // a tree to which nothing refers is collected
	// Output: shop basket running <nil>
}

func ExampleGroup() {
	sys := quietly()
	defer sys.Stop()
	all, _ := inspect.Groups(context.Background(), sys, nil)
	for _, g := range all {
		var group inspect.Group = g
		fmt.Println(group.What, group.Of, group.Members)
	}
	fmt.Println(len(all))
	// Output: 0
}

func ExampleProcess() {
	p := inspect.Process{ID: 16, Waits: true, On: "channel receive"}
	fmt.Println(p)
	// Output: process#16 waits: channel receive
}

func ExampleProcessList() {
	sys := quietly()
	defer sys.Stop()
	var l inspect.ProcessList = inspect.Processes(sys)
	fmt.Println(l.Seen, l.More)
	// Output: 0 false
}

func ExampleProcessWaits() {
	l := inspect.ProcessList{Seen: 3, Waits: []inspect.ProcessWaits{{On: "receive", Count: 3}}}
	for _, w := range l.Waits {
		fmt.Println(w.Count, w.On)
	}
	// Output: 3 receive
}

func ExampleDelays() {
	sys := quietly()
	defer sys.Stop()
	stop := inspect.Delays(sys, 0, func(typ string, d time.Duration) { fmt.Println(typ, d) })
	stop()
	// Output:
}
