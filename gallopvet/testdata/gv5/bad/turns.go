package bad

import (
	"context"

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

func (s *waiter) Yields(c *actor.Context, _ struct{}) {
	actor.Yield(c, yields, struct{}{})
	actor.Yield(c, yields, struct{}{}) // want `Yield comes after Yield \(line \d+\), and panics`
}

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
	yields     = actor.Declare[struct{}](waiterType, "yields")
	asks       = actor.DeclareAsk[struct{}, int](waiterType, "asks")
	_          = waiterType.Table(
		runs.Handle((*waiter).Run), waits.Handle((*waiter).Wait), stops.Handle((*waiter).Stop),
		joins.Handle((*waiter).Join), stopWaits.Handle((*waiter).StopWait),
		yields.Handle((*waiter).Yields),
		asks.Handle((*waiter).Ask),
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
		"yields":    {yields, "Yield: called twice"},
	} {
		step.Case("gv5/"+name, b.want, func() {
			sys := step.Start()
			b.b.Send(sys, waiterType.Spawn(sys, waiter{countType.Spawn(sys, counter{})}), struct{}{})
			_ = sys.Run()
		})
	}
	step.Case("gv5/asks", "ask would wait for itself", func() {
		sys := step.Start()
		_, _ = asks.Ask(context.Background(), waiterType.Spawn(sys, waiter{}), struct{}{})
	})
}
