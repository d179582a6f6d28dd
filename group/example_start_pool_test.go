package group_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
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
func ExampleStartPool() {
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) { fmt.Println("fell:", r.Value) }}))
	p := group.StartPool(sys, group.RoundRobin[string](), 2, parse,
		group.MemberSpec[parser]{Type: parserType})
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

// A crew says how the members are started and restarted.
func ExampleMemberSpec() {
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	p := group.StartPool(sys, group.RoundRobin[string](), 2, parse, group.MemberSpec[parser]{
		Type: parserType, Backoff: -1, // they are restarted at once
		Restarts: 2, Within: 1e9, // but no more than twice in a second
	})
	for range 3 {
		p.Send(sys, "")
		_ = sys.Wait(context.Background())
	}
	down, _ := actor.Join(context.Background(), p)
	fmt.Println(errors.Is(down.Reason, group.ErrRestarts))
	sys.Stop()
	// Output: true
}

// An AskPool is asked as an actor is, and can take the place of one.
func ExampleAskPool() {
	sys := actor.Start()
	p := group.StartAskPool(sys, group.LeastLoaded[string](), 4, length,
		group.MemberSpec[parser]{Type: parserType})
	var anyone actor.Asker[string, int] = p
	fmt.Println(anyone.Ask(context.Background(), "gallop"))
	p.Stop(sys)
	_ = sys.Run()
	// Output: 6 <nil>
}

// The actor of an AskPool can be the child of a supervisor. Here any actor stands in for
// supervise.Worker, which is told the same type and Init.
func ExampleMemberSupervisor() {
	sys := actor.Start()
	p := group.AskPoolForSupervisor(group.Random[string](), 2, length,
		group.MemberSpec[parser]{Type: parserType})
	var crew actor.Ref[group.MemberSupervisor] = p.Type().SpawnFunc(sys, p.Init)
	_ = sys.Wait(context.Background())
	fmt.Println(p.Ask(context.Background(), "gallop"))
	fmt.Println(p.Any() == crew.Any())
	sys.Stop()
	// Output:
	// 6 <nil>
	// true
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
	p := group.NewPool(sys, first,
		read.To(readerType.Spawn(sys, reader{"Ada"})),
		read.To(readerType.Spawn(sys, reader{"Bob"})))
	p.Send(sys, "page 1")
	p.Send(sys, "page 2")
	_ = sys.Run()
	// Output:
	// Ada reads page 1
	// Ada reads page 2
}

// A topic and a pool can be the children of a supervisor, which is given their type and Init:
//
//	supervise.Worker[group.TopicActor[string]]{Name: "news",
//		Type: group.TopicType[string](), Init: group.TopicInit[string]()}
func ExampleTopicActor() {
	sys := actor.Start()
	var child actor.Ref[group.TopicActor[string]] = group.TopicType[string]().SpawnFunc(sys,
		group.TopicInit[string]())
	news := group.AsTopic(child)
	news.Subscribe(sys, read.To(readerType.Spawn(sys, reader{"Ada"})))
	news.Publish(sys, "the first issue")
	_ = sys.Run()
	// Output: Ada reads the first issue
}

// See the example of TopicActor.
func ExamplePoolActor() {
	sys := actor.Start()
	init := group.StartPoolInit(group.LeastLoaded[string](), 2, parse,
		group.MemberSpec[parser]{Type: parserType})
	var child actor.Ref[group.PoolActor[string]] = group.PoolType[string]().SpawnFunc(sys, init)
	group.AsPool(child).Send(sys, "one")
	_ = sys.Run()
	// Output: parsed one
}
