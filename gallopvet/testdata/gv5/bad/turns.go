package bad

import (
	"context"
	"time"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type waiter struct{ other actor.Ref[counter] }

func (*waiter) Run(c *actor.Context, _ struct{}) {
	_ = c.System().Run() // want `System.Run in a behaviour would wait for the behaviour itself, and panics`
}

func (*waiter) Wait(c *actor.Context, _ struct{}) {
	sys := c.System()
	_ = sys.Wait(context.Background()) // want `System.Wait in a behaviour would wait for the behaviour itself`
}

func (*waiter) Stop(c *actor.Context, _ struct{}) {
	stop(c)
}

func stop(c *actor.Context) {
	c.System().Stop() // want `System.Stop in a behaviour \(stops → stop\) would wait for the behaviour itself`
}

func (s *waiter) Join(c *actor.Context, _ struct{}) {
	_, _ = actor.Join(context.Background(), s.other) // want `Join in a behaviour panics where it would have to wait: use Watch`
}

func (s *waiter) StopWait(c *actor.Context, _ struct{}) {
	_ = actor.StopWait(context.Background(), s.other) // want `StopWait in a behaviour panics`
}

func (s *waiter) Self(c *actor.Context, _ struct{}) {
	_ = actor.Self[counter](c) // want `Self wants the state of the running actor, which is bad.waiter and not bad.counter, and panics`
}

func (s *waiter) Yields(c *actor.Context, _ struct{}) {
	actor.Yield(c, yields, struct{}{})
	actor.Yield(c, yields, struct{}{}) // want `Yield comes after Yield \(line \d+\), and panics`
}

func (s *waiter) After(c *actor.Context, _ struct{}) {
	actor.After(c, time.Second, add, 1) // want `After wants a behaviour of the running actor, whose state is bad.waiter; this one is for bad.counter, and it panics`
}

func (s *waiter) Becomes(c *actor.Context, _ struct{}) {
	actor.Become(c, strange) // want `Become wants a behaviour of the running actor, whose state is bad.waiter; this one is for bad.counter`
}

var strange = countType.Variant(add.Handle((*counter).Add))

func (s *waiter) Ask(c *actor.Context, _ struct{}) (int, error) {
	n, err := asks.Ask(context.Background(), actor.Self[waiter](c), struct{}{}) // want `AskBehaviour.Ask of the running actor itself fails with ErrDeadlock: use AskTo`
	if err != nil {
		panic(err)
	}
	return n, nil
}

var (
	waiterType = actor.NewType[waiter]("waiter")
	runs       = actor.Declare[struct{}](waiterType, "runs")
	waits      = actor.Declare[struct{}](waiterType, "waits")
	stops      = actor.Declare[struct{}](waiterType, "stops")
	joins      = actor.Declare[struct{}](waiterType, "joins")
	stopWaits  = actor.Declare[struct{}](waiterType, "stopWaits")
	selfs      = actor.Declare[struct{}](waiterType, "selfs")
	yields     = actor.Declare[struct{}](waiterType, "yields")
	afters     = actor.Declare[struct{}](waiterType, "afters")
	becomes    = actor.Declare[struct{}](waiterType, "becomes")
	asks       = actor.DeclareAsk[struct{}, int](waiterType, "asks")
	_          = waiterType.Table(
		runs.Handle((*waiter).Run), waits.Handle((*waiter).Wait), stops.Handle((*waiter).Stop),
		joins.Handle((*waiter).Join), stopWaits.Handle((*waiter).StopWait), selfs.Handle((*waiter).Self),
		yields.Handle((*waiter).Yields), afters.Handle((*waiter).After),
		asks.Handle((*waiter).Ask), becomes.Handle((*waiter).Becomes),
	)
)

func init() {
	for name, b := range map[string]struct {
		b    actor.Behaviour[waiter, struct{}]
		want string
	}{
		"runs":      {runs, "Run called from a behaviour"},
		"waits":     {waits, "Wait called from a behaviour"},
		"stops":     {stops, "Stop called from a behaviour"},
		"joins":     {joins, "Join called from a behaviour"},
		"stopWaits": {stopWaits, "StopWait called from a behaviour"},
		"selfs":     {selfs, "Self: the running actor is"},
		"yields":    {yields, "Yield: called twice"},
		"afters":    {afters, "is not one of"},
		"becomes":   {becomes, "cannot become a variant of"},
	} {
		step.Case("gv5/"+name, b.want, func() {
			sys := step.Start()
			b.b.Send(sys, waiterType.Spawn(sys, waiter{countType.Spawn(sys, counter{})}), struct{}{})
			_ = sys.Run()
		})
	}
	step.Case("gv5/asks", "actor asks itself", func() {
		sys := step.Start()
		_, _ = asks.Ask(context.Background(), waiterType.Spawn(sys, waiter{}), struct{}{})
	})
}
