package bad

import (
	"context"
	"time"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type waiter struct{ other actor.Ref[counter] }

func (*waiter) Run(c *actor.Context, _ actor.None) {
	_ = c.System().Run() // want `System.Run in a behaviour would wait for the behaviour itself, and panics`
}

func (*waiter) Wait(c *actor.Context, _ actor.None) {
	sys := c.System()
	_ = sys.Wait(context.Background()) // want `System.Wait in a behaviour would wait for the behaviour itself`
}

func (*waiter) Stop(c *actor.Context, _ actor.None) {
	stop(c)
}

func stop(c *actor.Context) {
	c.System().Stop() // want `System.Stop in a behaviour \(stops comes here by stop\) would wait for the behaviour itself`
}

func (s *waiter) Join(c *actor.Context, _ actor.None) {
	_, _ = actor.Join(context.Background(), c.System(), s.other) // want `Join in a behaviour panics where it would have to wait: use Watch`
}

func (s *waiter) StopWait(c *actor.Context, _ actor.None) {
	_ = actor.StopWait(context.Background(), c.System(), s.other) // want `StopWait in a behaviour panics`
}

func (s *waiter) Self(c *actor.Context, _ actor.None) {
	_ = actor.Self[counter](c) // want `Self wants the state of the running actor, which is bad.waiter and not bad.counter, and panics`
}

func (s *waiter) Yields(c *actor.Context, _ actor.None) {
	actor.Yield(c, yields, actor.None{})
	actor.Yield(c, yields, actor.None{}) // want `Yield comes after Yield \(line \d+\) in one behaviour, and panics`
}

func (s *waiter) After(c *actor.Context, _ actor.None) {
	actor.After(c, time.Second, add, 1) // want `After wants a behaviour of the running actor, whose state is bad.waiter; this one is for bad.counter, and it panics`
}

func (s *waiter) Stashes(c *actor.Context, m actor.None) {
	runs.Stash(c, m) // want `Behaviour.Stash wants the behaviour whose message runs; runs is another one, and it panics`
}

func (s *waiter) Becomes(c *actor.Context, _ actor.None) {
	actor.Become(c, strange) // want `Become wants a behaviour of the running actor, whose state is bad.waiter; this one is for bad.counter`
}

var strange = countType.Variant(add.Do((*counter).Sub))

func (s *waiter) Ask(c *actor.Context, _ actor.None) (int, error) {
	n, err := asks.Ask(context.Background(), c.System(), actor.Self[waiter](c), actor.None{}) // want `AskBehaviour.Ask of the running actor itself fails with ErrSelfAsk: use AskTo`
	if err != nil {
		panic(err)
	}
	return n, nil
}

var (
	waiterType = actor.NewType[waiter]("waiter")
	runs       = actor.Declare[actor.None](waiterType, "runs")
	waits      = actor.Declare[actor.None](waiterType, "waits")
	stops      = actor.Declare[actor.None](waiterType, "stops")
	joins      = actor.Declare[actor.None](waiterType, "joins")
	stopWaits  = actor.Declare[actor.None](waiterType, "stopWaits")
	selfs      = actor.Declare[actor.None](waiterType, "selfs")
	yields     = actor.Declare[actor.None](waiterType, "yields")
	afters     = actor.Declare[actor.None](waiterType, "afters")
	stashes    = actor.Declare[actor.None](waiterType, "stashes")
	becomes    = actor.Declare[actor.None](waiterType, "becomes")
	asks       = actor.DeclareAsk[actor.None, int](waiterType, "asks")
	_          = waiterType.Table(
		runs.Do((*waiter).Run), waits.Do((*waiter).Wait), stops.Do((*waiter).Stop),
		joins.Do((*waiter).Join), stopWaits.Do((*waiter).StopWait), selfs.Do((*waiter).Self),
		yields.Do((*waiter).Yields), afters.Do((*waiter).After), stashes.Do((*waiter).Stashes),
		asks.Do((*waiter).Ask), becomes.Do((*waiter).Becomes),
	)
)

func init() {
	for name, b := range map[string]struct {
		b    actor.Behaviour[waiter, actor.None]
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
		"stashes":   {stashes, "which is not what runs"},
		"becomes":   {becomes, "cannot become a variant of"},
	} {
		step.Case("gv5/"+name, b.want, func() {
			sys := step.Start()
			b.b.Send(sys, waiterType.Spawn(sys, waiter{countType.Spawn(sys, counter{})}), actor.None{})
			_ = sys.Run()
		})
	}
	step.Case("gv5/asks", "actor asks itself", func() {
		sys := step.Start()
		_, _ = asks.Ask(context.Background(), sys, waiterType.Spawn(sys, waiter{}), actor.None{})
	})
}
