package bad

import (
	"cases/step"

	"github.com/gallop-go/gallop/actor"
)

type counter struct{ n int }

func (s *counter) Add(_ *actor.Context, by int)  { s.n += by }
func (s *counter) Sub(_ *actor.Context, by int)  { s.n -= by }
func (s *counter) Begin(_ *actor.Context) error  { return nil }
func (s *counter) End(_ *actor.Context, _ error) {}

var (
	forgetful = actor.NewType[counter]("forgetful")
	remember  = actor.Declare[int](forgetful, "remember")
	forget    = actor.Declare[int](forgetful, "forget") // want `forget has no method: give it one in the Table of forgetful`
	_         = forgetful.Table(remember.Handle((*counter).Add))
)

func init() {
	step.Case("gv5/no method", "has no method", func() {
		sys := step.Start()
		forget.Send(sys, forgetful.Spawn(sys, counter{}), 1)
	})
	step.Case("gv5/no method of a local behaviour", "has no method", func() {
		t := actor.NewType[counter]("local")
		add := actor.Declare[int](t, "add") // want `add has no method: the spawn of local panics`
		sys := step.Start()
		add.Send(sys, t.Spawn(sys, counter{}), 1)
	})
	step.Case("gv5/two methods", "got two methods", func() {
		t := actor.NewType[counter]("two")
		add := actor.Declare[int](t, "add")
		t.Table(
			add.Handle((*counter).Add),
			add.Handle((*counter).Sub), // want `add gets a second method \(the first is in line \d+\): Table panics`
		)
	})
	step.Case("gv5/two methods in two tables", "got two methods", func() {
		t := actor.NewType[counter]("two")
		add := actor.Declare[int](t, "add")
		t.Table(add.Handle((*counter).Add))
		t.Table(add.Handle((*counter).Sub)) // want `add gets a second method`
	})
	step.Case("gv5/entry of another type", "was declared for another type", func() {
		mine, other := actor.NewType[counter]("mine"), actor.NewType[counter]("other")
		add := actor.Declare[int](other, "add")
		mine.Table(add.Handle((*counter).Add)) // want `add was declared for other: the Table of mine panics`
	})
	step.Case("gv5/name twice", "was declared twice", func() {
		t := actor.NewType[counter]("twins")
		actor.Declare[int](t, "add")
		actor.Declare[int](t, "add") // want `twins has a behaviour "add" already: Declare panics`
	})
	step.Case("gv5/hook twice", "was set twice", func() {
		t := actor.NewType[counter]("hooked")
		t.OnStart((*counter).Begin)
		t.OnStart((*counter).Begin) // want `hooked has such a function already: Type.OnStart panics`
	})
	step.Case("gv5/declared too late", "was declared after the first spawn", func() {
		t, sys := actor.NewType[counter]("late"), step.Start()
		t.Spawn(sys, counter{})
		actor.Declare[int](t, "add") // want `Declare comes after the first spawn of its type \(line \d+\), and panics`
	})
	step.Case("gv5/hook too late", "was set after the first spawn", func() {
		t, sys := actor.NewType[counter]("late"), step.Start()
		t.Spawn(sys, counter{})
		t.OnStop((*counter).End) // want `Type.OnStop comes after the first spawn of its type`
	})
	step.Case("gv5/actor of another type", "which is of another type with the same state", func() {
		mine, other := actor.NewType[counter]("mine"), actor.NewType[counter]("other")
		add := actor.Declare[int](mine, "add")
		mine.Table(add.Handle((*counter).Add))
		sys := step.Start()
		r := other.Spawn(sys, counter{})
		add.Send(sys, r, 1) // want `add is a behaviour of mine and is sent to an actor of other: Behaviour.Send panics`
	})
	step.Case("gv5/keep of another state", "WithKeep of another state", func() {
		actor.NewType[counter]("kept", actor.WithKeep(func(*int) {})) // want `WithKeep for the state int in a type of bad.counter: NewType panics`
	})
	step.Case("gv5/bound and watermarks", "has both watermarks and a bound", func() {
		actor.NewType[counter]("both", actor.WithBound(8, actor.OverflowRefuse), actor.WithWatermarks(8, 4)) // want `a type with a bound and with watermarks: NewType panics`
	})
	step.Case("gv5/urgent and dropped", "is urgent and DropOnOverload", func() {
		t := actor.NewType[counter]("both")
		actor.Declare[int](t, "add", actor.Urgent(), actor.DropOnOverload()) // want `a behaviour that is urgent and dropped on overload: Declare panics`
	})
	step.Case("gv5/two methods in a variant", "got two methods", func() {
		t := actor.NewType[counter]("two")
		add := actor.Declare[int](t, "add")
		t.Variant(add.Handle((*counter).Add), add.Handle((*counter).Sub)) // want `add gets a second method \(the first is in line \d+\): Variant panics`
	})
	step.Case("gv5/variant of another type", "was declared for another type", func() {
		mine, other := actor.NewType[counter]("mine"), actor.NewType[counter]("other")
		add := actor.Declare[int](other, "add")
		mine.Variant(add.Handle((*counter).Add)) // want `add was declared for other: the Variant of mine panics`
	})
	step.Case("gv5/zero entry", "an entry without a behaviour", func() {
		forgetful.Table(actor.Entry[counter]{}) // want `an entry without a behaviour: Table panics`
	})
	step.Case("gv5/nil option", "a nil option", func() {
		actor.NewType[counter]("t", nil) // want `NewType is given a nil option and panics`
	})
	step.Case("gv5/nil option of a behaviour", "a nil option", func() {
		actor.Declare[int](forgetful, "more", nil) // want `Declare is given a nil option and panics`
	})
	step.Case("gv5/interceptor without functions", "without functions", func() {
		actor.NewType[counter]("t", actor.WithInterceptor(actor.Interceptor{})) // want `WithInterceptor is given a zero Interceptor and panics`
	})
}
