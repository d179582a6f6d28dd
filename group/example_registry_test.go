package group_test

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// A registry has several members under a key. A member that ends leaves by itself.
func ExampleRegistry() {
	sys := actor.Start()
	rooms := group.NewRegistry[string, actor.Ref[reader]]().Start(sys)
	ada, bob := readerType.Spawn(sys, reader{"Ada"}), readerType.Spawn(sys, reader{"Bob"})
	rooms.Join(sys, "library", ada)
	rooms.Join(sys, "library", bob)
	for _, r := range rooms.Members("library") { // no message, no waiting
		read.Send(sys, r, "the rules")
	}
	_ = sys.Wait(context.Background())
	actor.Stop(sys, bob)
	_ = sys.Wait(context.Background())
	fmt.Println(len(rooms.Members("library")), rooms.Keys())
	sys.Stop()
	// Unordered output:
	// Ada reads the rules
	// Bob reads the rules
	// 1 [library]
}

// porch subscribes to a room.
type porch struct{}

var (
	porchType = actor.NewType[porch]("porch")
	porchHear = actor.Declare[group.Change[string, string]](porchType, "hear")
	_         = porchType.Table(porchHear.Handle(func(_ *porch, _ *actor.Context,
		ch group.Change[string, string]) {
		fmt.Printf("%s: joined %v, left %v, now %v\n", ch.Key, ch.Joined, ch.Left, ch.Members)
	}))
)

// A subscriber of a group gets its members, and then each member that joins or leaves.
func ExampleChange() {
	sys := actor.Start()
	rooms := group.NewRegistry[string, string]().Start(sys)
	rooms.Join(sys, "library", "Ada")
	rooms.Subscribe(sys, "library", porchHear.To(porchType.Spawn(sys, porch{})))
	_ = sys.Wait(context.Background())
	rooms.Join(sys, "library", "Bob")
	_ = sys.Wait(context.Background())
	rooms.Leave(sys, "library", "Ada")
	_ = sys.Run()
	// Output:
	// library: joined [Ada], left [], now [Ada]
	// library: joined [Bob], left [], now [Ada Bob]
	// library: joined [], left [Ada], now [Bob]
}

// A registry can be used before its actor, here the child of a supervisor, has started.
func ExampleRegistry_Child() {
	ctx, sys := context.Background(), actor.Start()
	rooms := group.NewRegistry[string, string]()
	rooms.Join(sys, "library", "Ada")
	_, err := supervise.StartWait(ctx, sys, supervise.Spec{Name: "app",
		Children: []supervise.Child{rooms.Child("rooms")}})
	fmt.Println(rooms.Members("library"), err)
	sys.Stop()
	// Output: [Ada] <nil>
}
