package inspect_test

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/internal/kernel"
)

// pack stands for a pool of package group, which is on the same floor as this one. The tests of
// package observe have real ones.
type pack struct{ members int }

func (p *pack) Inspect() any {
	return kernel.GroupLook{What: "topic", Of: "int", Members: p.members, Down: 1, Keys: 2}
}

var (
	packType = actor.NewType[pack]("pool")
	packDo   = actor.Declare[func()](packType, "do")
	_        = packType.Table(packDo.Handle(func(_ *pack, _ *actor.Context, f func()) { f() }))
)

// listGroups lists actors as groups.
func listGroups(refs ...actor.Ref[pack]) {
	for _, r := range refs {
		kernel.Groups.Add(kernel.AnyRef(r))
	}
}

// "It asks all of them at the same time … and waits for the answers until ctx ends": one is busy,
// and is Silent; one has ended, and is gone.
func TestGroups(t *testing.T) {
	sys := start(t)
	a, b, c := packType.Spawn(sys, pack{3}), packType.Spawn(sys, pack{4}), packType.Spawn(sys, pack{5})
	listGroups(a, b, c)
	actor.Stop(sys, c)
	quiet(t, sys)
	runs, stay := make(chan struct{}), make(chan struct{})
	packDo.Send(sys, b, func() { close(runs); <-stay })
	<-runs
	ctx, cancel := context.WithCancel(soon(t))
	// The busy one answers when the other has: it is looked at until then, and not for long.
	packDo.Send(sys, a, cancel)
	all, leftOut := inspect.Groups(ctx, sys, []actor.AnyRef{a.Any()})
	close(stay)
	if len(all) != 2 || leftOut != 0 {
		t.Fatalf("%+v, %d left out", all, leftOut)
	}
	equal(t, "of the busy one", all[1].Silent, true)
	equal(t, "what of the busy one", all[1].What, "pool")
	equal(t, "number", all[0].Actor.ID, a.ID())
	quiet(t, sys)
	all, _ = inspect.Groups(soon(t), sys, nil)
	for i, members := range []int{3, 4} {
		g := all[i]
		g.Actor = inspect.Actor{}
		equal(t, "group", g, inspect.Group{What: "topic", Of: "int", Members: members, Down: 1,
			Keys: 2})
	}
}

// In a deterministic system no group is asked, since that would change the order.
func TestGroups_Deterministic(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	listGroups(packType.Spawn(sys, pack{3}))
	all, _ := inspect.Groups(soon(t), sys, nil)
	if len(all) != 1 || !all[0].Silent || all[0].What != "pool" {
		t.Errorf("%+v", all)
	}
}

// "of more than MaxGroups it returns … the oldest", and says how many are left out.
func TestGroups_Many(t *testing.T) {
	sys := start(t)
	var refs []actor.Ref[pack]
	for range inspect.MaxGroups + 7 {
		refs = append(refs, packType.Spawn(sys, pack{}))
	}
	listGroups(refs...)
	all, leftOut := inspect.Groups(soon(t), sys, nil)
	if len(all) != inspect.MaxGroups || leftOut != 7 || all[0].Actor.ID != refs[0].ID() {
		t.Errorf("%d, %d left out", len(all), leftOut)
	}
}
