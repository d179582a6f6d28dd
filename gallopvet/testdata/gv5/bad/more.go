package bad

import (
	"context"
	"time"

	"cases/step"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

type desk struct{}

func (*desk) Get(_ *actor.Context, _ int) (int, error)  { return 0, nil }
func (*desk) Got(_ *actor.Context, _ actor.Result[int]) {}
func (*desk) Do(c *actor.Context, what string)          { deskCalls[what](c) }

var (
	deskType = actor.NewType[desk]("desk")
	get      = actor.DeclareAsk[int, int](deskType, "get")
	got      = actor.Declare[actor.Result[int]](deskType, "got")
	do       = actor.Declare[string](deskType, "do")
	_        = deskType.Table(get.Handle((*desk).Get), got.Handle((*desk).Got),
		do.Handle((*desk).Do))
	fullType = actor.NewType[counter]("full", actor.WithBound(1, actor.OverflowRefuse))
	put      = actor.Declare[int](fullType, "put")
	_        = fullType.Table(put.Handle((*counter).Add))

	deskCalls = map[string]func(c *actor.Context){}
)

// inBehaviour has f run in a behaviour.
func inBehaviour(name, want string, f func(c *actor.Context)) {
	deskCalls[name] = f
	step.Case("gv5/"+name, want, func() {
		sys := step.Start()
		do.Send(sys, deskType.Spawn(sys, desk{}), name)
		_ = sys.Run()
	})
}

func init() {
	step.Case("gv5/zero request", "a zero AskBehaviour", func() {
		var b actor.AskBehaviour[desk, int, int]
		_, _ = b.Ask(context.Background(), deskType.Spawn(step.Start(), desk{}), 1) // want `AskBehaviour.Ask is given a zero AskBehaviour and panics`
	})
	step.Case("gv5/zero deferred", "a zero Deferred", func() {
		var d actor.Deferred[int]
		d.Reply(step.Start(), 1, nil) // want `Deferred.Reply is given a zero Deferred and panics`
	})
	inBehaviour("nil reply", "AskTo: a nil reply", func(c *actor.Context) {
		get.To(actor.Self[desk](c)).AskTo(c, 1, nil) // want `Asker.AskTo is given a nil Handler and panics`
	})
	inBehaviour("nil variant", "a nil or zero Variant", func(c *actor.Context) {
		actor.Become[desk](c, nil) // want `Become is given a nil Variant and panics`
	})
	inBehaviour("block nothing", "Blocking: a nil function", func(c *actor.Context) {
		c.Blocking(nil) // want `Context.Blocking is given a nil function and panics`
	})
	inBehaviour("shield nothing", "Shield: a nil function", func(c *actor.Context) {
		c.Shield(nil) // want `Context.Shield is given a nil function and panics`
	})
	inBehaviour("from nil channel", "FromChan: a nil channel", func(c *actor.Context) {
		bridge.FromChan(c, nil, do) // want `FromChan is given a nil channel and panics`
	})
	step.Case("gv5/nil clock", "a nil or zero VirtualClock", func() {
		var v *actor.VirtualClock
		v.Jump(time.Second) // want `VirtualClock.Jump is given a nil VirtualClock and panics`
	})
	step.Case("gv5/back in time", "time does not go back", func() {
		actor.NewVirtualClock(time.Now()).Jump(-time.Second) // want `VirtualClock.Jump is given -1000000000, wants at least 0, and panics`
	})
	step.Case("gv5/nil Context", "a nil or zero Context", func() {
		actor.StashLen(nil) // want `StashLen is given a nil Context and panics`
	})
	inBehaviour("negative gas", "want at least 0", func(c *actor.Context) {
		c.Gas(-1) // want `Context.Gas is given -1, wants at least 0, and panics`
	})
	inBehaviour("empty registration", "Register: an empty name", func(c *actor.Context) {
		_ = c.Register("") // want `Context.Register is given an empty name and panics`
	})
	inBehaviour("pipe of nothing", "Pipe: a nil function", func(c *actor.Context) {
		actor.Pipe[desk, int](c, got, nil) // want `Pipe is given a nil function and panics`
	})
	step.Case("gv5/keep of nothing", "WithKeep: a nil function", func() {
		actor.NewType[desk]("t", actor.WithKeep[desk](nil)) // want `WithKeep is given a nil function and panics`
	})
	step.Case("gv5/status of a zero ref", "Status of a zero Ref", func() {
		actor.Ref[desk]{}.Status() // want `Ref.Status is given a zero Ref and panics`
	})
	inBehaviour("waits to send", "SendWait called from a behaviour", func(c *actor.Context) {
		r := fullType.Spawn(c, counter{})
		for range 100_000 {
			_ = put.SendWait(context.Background(), r, 1) // want `Behaviour.SendWait in a behaviour panics where it would have to wait`
		}
	})
	inBehaviour("stashed twice", "was stashed or deferred already", func(c *actor.Context) {
		do.Stash(c, "stashed twice")
		do.Stash(c, "stashed twice") // want `Behaviour.Stash comes after Behaviour.Stash \(line \d+\), and panics`
	})
	inBehaviour("unstash less than none", "want at least 0", func(c *actor.Context) {
		actor.Unstash(c, -1) // want `Unstash is given -1, wants at least 0, and panics`
	})
	step.Case("gv5/nil System", "a nil or zero System", func() {
		var sys *actor.System
		sys.Stats() // want `System.Stats is given a nil System and panics`
	})
	inBehaviour("every nothing", "want a positive period", func(c *actor.Context) {
		actor.Every(c, 0, do, "") // want `Every is given 0, wants at least 1, and panics`
	})
	step.Case("gv5/nil type", "a nil or zero Type", func() {
		var t *actor.Type[desk]
		t.Spawn(step.Start(), desk{}) // want `Type.Spawn is given a nil Type and panics`
	})
	step.Case("gv5/name of a nil type", "Name of a nil Type", func() {
		var t *actor.Type[desk]
		_ = t.Name() // want `Type.Name is given a nil Type and panics`
	})
}
