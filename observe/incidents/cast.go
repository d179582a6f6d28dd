package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

// A thing is the state of the actors that take part in incidents.
type thing struct{ kept [][]byte }

// work is a message: the code that the actor runs.
type work = func(*thing, *actor.Context)

// A kind is a type of things with one behaviour and one request.
type kind struct {
	typ *actor.Type[thing]
	do  actor.Behaviour[thing, work]
	ask actor.AskBehaviour[thing, work, int]
	// heard is the behaviour for outcomes of asks.
	heard actor.Behaviour[thing, actor.Result[int]]
}

func newKind(name, behaviour string, opts ...actor.TypeOption) kind {
	t := actor.NewType[thing](name, opts...)
	k := kind{t, actor.Declare[work](t, behaviour), actor.DeclareAsk[work, int](t, "ask"),
		actor.Declare[actor.Result[int]](t, "outcome")}
	t.Table(
		k.do.Handle(func(s *thing, c *actor.Context, f work) { f(s, c) }),
		k.ask.Handle(func(s *thing, c *actor.Context, f work) (int, error) { f(s, c); return 1, nil }),
		k.heard.Handle(func(*thing, *actor.Context, actor.Result[int]) {}))
	return k
}

func (k kind) spawn(s *service) actor.Ref[thing] { return k.typ.Spawn(s.sys, thing{}) }

func (k kind) named(s *service, name string) actor.Ref[thing] {
	ref, err := k.typ.SpawnNamed(s.sys, name, thing{})
	if err != nil {
		panic(err)
	}
	return ref
}

// supervised starts an actor as a child of the root supervisor "shop".
func (k kind) supervised(s *service, w supervise.Worker[thing]) actor.Ref[thing] {
	w.Type = k.typ
	any, err := supervise.StartChild.Ask(context.Background(), s.root.Ref, supervise.Child(w))
	if err != nil {
		panic(err)
	}
	ref, _ := actor.As[thing](any)
	return ref
}

func nothing(*thing, *actor.Context) {}

// napping is work that keeps its worker without using it, as a call of a database does.
func napping(d time.Duration) work { return func(*thing, *actor.Context) { time.Sleep(d) } }

// burning is work that computes.
func burning(d time.Duration) work { return func(*thing, *actor.Context) { burn(d) } }

func burn(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// never is a channel that nothing comes from.
var never = make(chan int)

func blocked(*thing, *actor.Context) { <-never }

var errUpstream = errors.New("connection refused")

// numbered is the name of one of several actors.
func numbered(name string, i int) string { return fmt.Sprintf("%s/%d", name, i) }

// perSecond calls f so many times a second, for ever.
func perSecond(n int, f func()) {
	go func() {
		begin, done := time.Now(), 0
		for now := range time.Tick(max(time.Second/time.Duration(n), 5*time.Millisecond)) {
			for due := int(now.Sub(begin).Seconds() * float64(n)); done < due; done++ {
				f()
			}
		}
	}()
}

// mailed sends an actor the same work so many times a second, from outside.
func (k kind) mailed(s *service, n int, to actor.Ref[thing], w work) {
	perSecond(n, func() { k.do.Send(s.sys, to, w) })
}

// start starts a process of a type with a mailbox.
func start(s *service, typ string, f func(self *process.Self[int])) process.Ref[int] {
	return process.Spawn(s.procs, f, process.WithType(typ))
}
