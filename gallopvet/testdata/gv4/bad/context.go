// Package bad has what GV4 must report. Each case is a data race, or panics.
package bad

import (
	"context"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type keeper struct {
	n    int
	c    *actor.Context
	all  map[string]*actor.Context
	tags map[string]int
}

var global *actor.Context

// use does what behaviours do with a context.
func use(from actor.Sender, r actor.Ref[keeper]) {
	for range 100 {
		nothing.Send(from, r, 1)
	}
}

// Nothing does nothing.
func (*keeper) Nothing(_ *actor.Context, _ int) {}

func (s *keeper) Goroutine(c *actor.Context, r actor.Ref[keeper]) {
	go func() {
		step.Meet(1)
		use(c, r) // want `GV4: the Context is used in a goroutine: a Context is valid only in its behaviour`
		step.Meet(1)
	}()
	step.Meet(0)
	use(c, r)
	step.Meet(0)
}

func (s *keeper) Argument(c *actor.Context, r actor.Ref[keeper]) {
	go meetAndUse(c, r) // want `the Context is used in a goroutine`
	step.Meet(0)
	use(c, r)
	step.Meet(0)
}

func meetAndUse(c *actor.Context, r actor.Ref[keeper]) {
	step.Meet(1)
	use(c, r)
	step.Meet(1)
}

func (s *keeper) Sender(c *actor.Context, r actor.Ref[keeper]) {
	go func(from actor.Sender) { // want `the Context is used in a goroutine`
		step.Meet(1)
		use(from, r)
		step.Meet(1)
	}(c)
	step.Meet(0)
	use(c, r)
	step.Meet(0)
}

func (s *keeper) Pipe(c *actor.Context, r actor.Ref[keeper]) {
	actor.Pipe(c, done, func(context.Context) (int, error) {
		step.Meet(1)
		use(c, r) // want `the Context is used in a function that Pipe runs elsewhere`
		step.Meet(1)
		return 0, nil
	})
	step.Meet(0)
	use(c, r)
	step.Meet(0)
}

func (s *keeper) Done(*actor.Context, actor.Result[int]) {}

func (s *keeper) Method(c *actor.Context, _ actor.Ref[keeper]) {
	go c.Stop() // want `the Context is used in a goroutine`
	go c.Stop() // want `the Context is used in a goroutine`
	c.Stop()
	for range 1000 {
		c.Stop()
	}
}

func (s *keeper) Keep(c *actor.Context, _ actor.Ref[keeper]) {
	s.c = c // want `the Context is kept`
}

func (s *keeper) Use(*actor.Context, actor.Ref[keeper]) {
	sys := step.Start()
	r := keeperType.Spawn(sys, keeper{})
	go func() {
		use(s.c, r)
		step.Meet(1)
	}()
	use(s.c, r)
	step.Meet(0)
}

func (s *keeper) Global(c *actor.Context, _ actor.Ref[keeper]) {
	global = c // want `the Context is kept`
}

func (s *keeper) Map(c *actor.Context, _ actor.Ref[keeper]) {
	if s.all == nil {
		s.all = map[string]*actor.Context{}
	}
	s.all["me"] = c // want `the Context is kept in a map`
}

func (s *keeper) Chan(c *actor.Context, _ actor.Ref[keeper]) {
	contexts <- c // want `the Context is sent into a channel`
}

func (s *keeper) Send(c *actor.Context, r actor.Ref[keeper]) {
	take.Send(c, r, c) // want `the Context is sent in a message`
	step.Meet(0)
	use(c, r)
	step.Meet(0)
}

func (s *keeper) Take(_ *actor.Context, c *actor.Context) {
	step.Meet(1)
	nothing.Send(c, actor.Self[keeper](c), 1)
	step.Meet(1)
}

var contexts = make(chan *actor.Context, 1)

type behaviour = actor.Behaviour[keeper, actor.Ref[keeper]]

var (
	keeperType = actor.NewType[keeper]("keeper")
	nothing    = actor.Declare[int](keeperType, "nothing")
	goroutine  = actor.Declare[actor.Ref[keeper]](keeperType, "goroutine")
	argument   = actor.Declare[actor.Ref[keeper]](keeperType, "argument")
	sender     = actor.Declare[actor.Ref[keeper]](keeperType, "sender")
	pipe       = actor.Declare[actor.Ref[keeper]](keeperType, "pipe")
	done       = actor.Declare[actor.Result[int]](keeperType, "done")
	method     = actor.Declare[actor.Ref[keeper]](keeperType, "method")
	keep       = actor.Declare[actor.Ref[keeper]](keeperType, "keep")
	keptInMap  = actor.Declare[actor.Ref[keeper]](keeperType, "map")
	inGlobal   = actor.Declare[actor.Ref[keeper]](keeperType, "global")
	inChan     = actor.Declare[actor.Ref[keeper]](keeperType, "chan")
	send       = actor.Declare[actor.Ref[keeper]](keeperType, "send")
	take       = actor.Declare[*actor.Context](keeperType, "take")
	_          = keeperType.Table(
		nothing.Handle((*keeper).Nothing), goroutine.Handle((*keeper).Goroutine),
		argument.Handle((*keeper).Argument), sender.Handle((*keeper).Sender), pipe.Handle((*keeper).Pipe),
		done.Handle((*keeper).Done), method.Handle((*keeper).Method), keep.Handle((*keeper).Keep),
		keptInMap.Handle((*keeper).Map), inGlobal.Handle((*keeper).Global), inChan.Handle((*keeper).Chan),
		send.Handle((*keeper).Send), take.Handle((*keeper).Take),
	)
)

func init() {
	for name, b := range map[string]behaviour{
		"goroutine": goroutine, "argument": argument, "sender": sender, "pipe": pipe,
		"method": method, "send": send,
	} {
		step.Case("gv4/"+name, step.Race, func() {
			sys := step.Start()
			b.Send(sys, keeperType.Spawn(sys, keeper{}), keeperType.Spawn(sys, keeper{}))
			_ = sys.Run()
		})
	}
	for name, b := range map[string]behaviour{"global": inGlobal, "chan": inChan} {
		step.Case("gv4/"+name, "whose behaviour has returned", func() {
			sys := step.Start()
			b.Send(sys, keeperType.Spawn(sys, keeper{}), actor.Ref[keeper]{})
			_ = sys.Wait(context.Background())
			c := global
			if c == nil {
				c = <-contexts
			}
			actor.Self[keeper](c)
		})
	}
	for name, b := range map[string]behaviour{"keep": keep, "map": keptInMap} {
		step.Case("gv4/"+name, "whose behaviour has returned", func() {
			sys, s := step.Start(), (*keeper)(nil)
			r := keeperType.SpawnFunc(sys, func(k *keeper) { s = k })
			b.Send(sys, r, actor.Ref[keeper]{})
			_ = sys.Wait(context.Background())
			c := s.c
			if c == nil {
				c = s.all["me"]
			}
			actor.Self[keeper](c)
		})
	}
}
