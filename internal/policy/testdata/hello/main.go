package main

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
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
	Hello.Send(sys, GreeterType.Spawn(sys, Greeter{"Hello,"}), "world")
	_ = sys.Run() // until nothing is left to do
}
