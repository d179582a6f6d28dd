package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/capability"
)

var (
	countType = actor.NewType[counter]("count")
	add       = actor.Declare[int](countType, "add")
	_         = countType.Table(add.Handle((*counter).Add))
)

type counter struct{ n int }

func (s *counter) Add(_ *actor.Context, by int) { s.n += by }

func init() {
	step.Case("gv5/interceptor without functions", "without functions", func() {
		actor.NewType[counter]("t", actor.WithInterceptor(actor.Interceptor{})) // want `WithInterceptor is given a zero Interceptor and panics`
	})
	step.Case("gv5/empty type name", "NewType: empty name", func() {
		actor.NewType[counter]("") // want `NewType is given an empty name and panics`
	})
	step.Case("gv5/empty behaviour name", "without a name", func() {
		actor.Declare[int](actor.NewType[counter]("t"), "") // want `Declare is given an empty name and panics`
	})
	step.Case("gv5/nil method", "a nil method", func() {
		add.Handle(nil) // want `Behaviour.Handle is given a nil function and panics`
	})
	step.Case("gv5/nil start function", "a nil function", func() {
		actor.NewType[counter]("t").OnStart(nil) // want `Type.OnStart is given a nil function and panics`
	})
	step.Case("gv5/nil init", "SpawnFunc: a nil function", func() {
		countType.SpawnFunc(step.Start(), nil) // want `Type.SpawnFunc is given a nil function and panics`
	})
	step.Case("gv5/batch of none", "WithBatch(0)", func() {
		actor.NewType[counter]("t", actor.WithBatch(0)) // want `WithBatch is given 0, wants at least 1, and panics`
	})
	step.Case("gv5/gas of none", "WithGas(0)", func() {
		actor.NewType[counter]("t", actor.WithGas(0)) // want `WithGas is given 0, wants at least 1, and panics`
	})
	step.Case("gv5/stash of none", "WithStashLimit(0)", func() {
		actor.WithStashLimit(0) // want `WithStashLimit is given 0`
	})
	step.Case("gv5/bound of none", "WithBound(0", func() {
		actor.WithBound(0, actor.OverflowRefuse) // want `WithBound is given 0`
	})
	step.Case("gv5/zero ref", "sent to a zero Ref", func() {
		var nowhere actor.Ref[counter]
		add.Send(step.Start(), nowhere, 1) // want `Behaviour.Send is given a zero Ref and panics`
	})
	step.Case("gv5/stop of a zero ref", "of a zero Ref", func() {
		actor.Stop(step.Start(), actor.AnyRef{}) // want `Stop is given a zero Target and panics`
	})
	step.Case("gv5/zero behaviour", "a zero Behaviour", func() {
		var b actor.Behaviour[counter, int]
		sys := step.Start()
		b.Send(sys, countType.Spawn(sys, counter{}), 1) // want `Behaviour.Send is given a zero Behaviour and panics`
	})
	step.Case("gv5/nil sender", "a nil sender", func() {
		sys := step.Start()
		add.Send(nil, countType.Spawn(sys, counter{}), 1) // want `Behaviour.Send is given a nil Sender and panics`
	})
	step.Case("gv5/nil context", "with a nil context", func() {
		_ = step.Start().Wait(nil) // want `System.Wait is given a nil context.Context and panics`
	})
	step.Case("gv5/nil channel", "ToChan: a nil channel", func() {
		bridge.ToChan[int](step.Start(), nil) // want `ToChan is given a nil channel and panics`
	})
	step.Case("gv5/empty name", "SpawnNamed: an empty name", func() {
		_, _ = countType.SpawnNamed(step.Start(), "", counter{}) // want `Type.SpawnNamed is given an empty name and panics`
	})
	step.Case("gv5/get of nothing", "panic", func() {
		var v capability.Val[int]
		_ = v.Get() // want `Val.Get is given a zero Val and panics`
	})
}
