package group_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// parser is a worker that panics at input that it does not understand.
type parser struct{}

var (
	parserType = actor.NewType[parser]("parser")
	parse      = actor.Declare[string](parserType, "parse")
	length     = actor.DeclareAsk[string, int](parserType, "length")
	_          = parserType.Table(
		parse.Handle(func(_ *parser, _ *actor.Context, s string) {
			if s == "" {
				panic("nothing to parse")
			}
			fmt.Println("parsed", s)
		}),
		length.Handle(func(_ *parser, _ *actor.Context, s string) (int, error) { return len(s), nil }))
)

// A pool can start its members itself. One that fails is restarted after a while, and the others do
// its work until then.
func ExampleNewPoolOf() {
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) { fmt.Println("fell:", r.Value) }}))
	p := group.NewPoolOf(group.RoundRobin[string](), 2, parse,
		group.MemberSpec[parser]{Type: parserType}).Start(sys)
	for _, s := range []string{"one", "", "two", "three"} {
		p.Send(sys, s)
	}
	_ = sys.Run()
	// Unordered output:
	// parsed one
	// fell: nothing to parse
	// parsed two
	// parsed three
}

// A MemberSpec says how the members are started and restarted.
func ExampleMemberSpec() {
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	p := group.NewPoolOf(group.RoundRobin[string](), 2, parse, group.MemberSpec[parser]{
		Type: parserType, Backoff: supervise.NoBackoff, // they are restarted at once
		Intensity: supervise.Intensity{Restarts: 2, Within: time.Second}, // but no more often than that
	}).Start(sys)
	for range 3 {
		p.Send(sys, "")
		_ = sys.Wait(context.Background())
	}
	down, _ := actor.Join(context.Background(), p.Any())
	fmt.Println(errors.Is(down.Reason, supervise.ErrIntensity))
	sys.Stop()
	// Output: true
}

// An AskPool is asked as an actor is, and can take the place of one.
func ExampleAskPool() {
	sys := actor.Start()
	p := group.NewAskPoolOf(group.LeastLoaded[string](), 4, length,
		group.MemberSpec[parser]{Type: parserType}).Start(sys)
	var anyone actor.Asker[string, int] = p
	fmt.Println(anyone.Ask(context.Background(), "gallop"))
	p.Stop(sys)
	_ = sys.Run()
	// Output: 6 <nil>
}

// A policy of one's own: the first member that keeps up.
func ExampleMembers() {
	first := group.PolicyOf(func() func(string, group.Members) int {
		return func(_ string, among group.Members) int {
			for i := range among.Len() {
				if among.Status(i) < actor.StatusOverloaded {
					return i
				}
			}
			return 0
		}
	})
	sys := actor.Start()
	p := group.NewPool(first,
		read.To(readerType.Spawn(sys, reader{"Ada"})),
		read.To(readerType.Spawn(sys, reader{"Bob"}))).Start(sys)
	p.Send(sys, "page 1")
	p.Send(sys, "page 2")
	_ = sys.Run()
	// Output:
	// Ada reads page 1
	// Ada reads page 2
}

// The actor of a pool can be the child of a supervisor. So can the actors of a Topic, a Registry
// and an AskPool.
func ExamplePool_Child() {
	ctx, sys := context.Background(), actor.Start()
	parsers := group.NewPoolOf(group.LeastLoaded[string](), 2, parse,
		group.MemberSpec[parser]{Type: parserType})
	child := parsers.Child("parsers")
	child.Stop = supervise.DrainWithin(time.Minute) // at the end, all is parsed
	root, err := supervise.StartWait(ctx, sys, supervise.Spec{Name: "app",
		Children: []supervise.Child{child}})
	if err != nil {
		fmt.Println(err)
	}
	parsers.Send(sys, "one")
	_ = actor.DrainWait(ctx, root)
	_ = sys.Run()
	// Output: parsed one
}
