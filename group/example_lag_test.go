package group_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// client is a connection of a user who may not read its messages.
type client struct{ name string }

var (
	clientType   = actor.NewType[client]("client", actor.WithBound(2, actor.OverflowMute))
	clientSay    = actor.Declare[string](clientType, "say")
	clientWait   = actor.Declare[func()](clientType, "wait")
	clientLagged = actor.Declare[group.Lagged](clientType, "lagged")
	_            = clientType.Table(
		clientSay.Handle(func(u *client, _ *actor.Context, line string) {
			fmt.Println(u.name, "hears", line)
		}),
		clientWait.Handle(func(_ *client, _ *actor.Context, f func()) { f() }),
		clientLagged.Handle(func(u *client, _ *actor.Context, _ group.Lagged) {
			fmt.Println(u.name, "has lost the room")
		}))
)

// hang makes a client that reads nothing until read is closed, with a mailbox that is full.
func hang(sys *actor.System, name string) (c actor.Ref[client], read chan struct{}) {
	c, read = clientType.Spawn(sys, client{name}), make(chan struct{})
	stuck := make(chan struct{})
	clientWait.Send(sys, c, func() { close(stuck); <-read })
	<-stuck
	clientWait.Send(sys, c, func() {})
	clientWait.Send(sys, c, func() {})
	return c, read
}

// With LagDrop a subscriber that does not read loses messages, which are counted as dead letters,
// and no other client waits for it.
func ExampleLag() {
	sys := actor.Start(actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			fmt.Println("dropped:", d.Message, errors.Is(d.Reason, actor.ErrOverloaded))
		}}))
	room := group.NewTopic[string](group.WithLag(group.LagDrop)).Start(sys)
	mallory, read := hang(sys, "Mallory")
	room.Subscribe(sys, clientSay.To(mallory))
	room.Publish(sys, "hello")
	fmt.Println(room.Len(context.Background()))
	close(read)
	_ = sys.Run()
	// Output:
	// dropped: hello true
	// 1 <nil>
}

// An option of the topic is the policy for all slow subscribers, and an option of the subscription
// the policy for this one.
func ExampleTopicOption() {
	sys := actor.Start()
	room := group.NewTopic[string](group.WithLag(group.LagUnsubscribe)).Start(sys)
	logger := clientType.Spawn(sys, client{"the log"})
	room.Subscribe(sys, clientSay.To(logger), group.WithLag(group.LagWait)) // it must hear all
	room.Publish(sys, "hello")
	_ = sys.Run()
	// Output: the log hears hello
}

// With LagUnsubscribe the subscriber is told that it has missed something, once.
func ExampleLagged() {
	sys := actor.Start(actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	room := group.NewTopic[string](group.WithLag(group.LagUnsubscribe)).Start(sys)
	mallory, read := hang(sys, "Mallory")
	room.Subscribe(sys, clientSay.To(mallory), group.WithNotify(clientLagged.To(mallory)))
	room.Publish(sys, "hello")
	room.Publish(sys, "hello again")
	fmt.Println(room.Len(context.Background()))
	close(read)
	_ = sys.Run()
	// Output:
	// 0 <nil>
	// Mallory has lost the room
}

// A subscription has options of its own.
func ExampleSubscribeOption() {
	sys := actor.Start()
	room := group.NewTopic[string]().Start(sys)
	opts := []group.SubscribeOption{group.WithLag(group.LagDrop)}
	room.Subscribe(sys, clientSay.To(clientType.Spawn(sys, client{"Eve"})), opts...)
	room.Publish(sys, "hello")
	_ = sys.Run()
	// Output: Eve hears hello
}
