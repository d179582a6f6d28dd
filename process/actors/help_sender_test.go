package actors_test

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// sender is an actor that forwards its messages to a process.
type sender struct {
	to   process.Ref[int]
	sent int
}

var (
	senderType = actor.NewType[sender]("sender")
	pass       = actor.Declare[int](senderType, "pass")
	_          = senderType.Table(pass.Handle(func(s *sender, c *actor.Context, n int) {
		s.sent++
		s.to.Send(actors.Env(c), n)
	}))
)
