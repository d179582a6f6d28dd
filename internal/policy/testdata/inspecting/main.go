package main

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/internal/inspect"
)

type Greeter struct{ greeting string }

func (g *Greeter) Hello(_ *actor.Context, name string) { fmt.Println(g.greeting, name) }

var (
	GreeterType = actor.NewType[Greeter]("greeter")
	Hello       = actor.Declare[string](GreeterType, "hello")
	_           = GreeterType.Table(Hello.Handle((*Greeter).Hello))
)

func main() {
	sys := actor.Start()
	inspect.Begin(sys)
	defer inspect.Around(sys, inspect.Probe{After: func(*actor.Context, inspect.Message) {}})()
	defer inspect.DeadLetters(sys).Close()
	defer inspect.Profile(sys, 0).Stop()
	if rec, err := flight.Start(sys); err == nil {
		defer rec.Close()
	}
	Hello.Send(sys, GreeterType.Spawn(sys, Greeter{"Hello,"}), "world")
	_ = sys.Run() // until nothing is left to do
}
