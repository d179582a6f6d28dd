package group_test

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

type reader struct{ name string }

func (r *reader) Read(_ *actor.Context, news string) { fmt.Println(r.name, "reads", news) }

var (
	readerType = actor.NewType[reader]("reader")
	read       = actor.Declare[string](readerType, "read")
	_          = readerType.Table(read.Handle((*reader).Read))
)

// A topic passes each published message on to all subscribers.
func ExampleTopic() {
	sys := actor.Start(actor.WithWorkers(1))
	news := group.NewTopic[string]().Start(sys)
	news.Subscribe(sys, read.To(readerType.Spawn(sys, reader{"Ada"})))
	news.Publish(sys, "the first issue")
	_ = sys.Wait(context.Background())
	news.Subscribe(sys, read.To(readerType.Spawn(sys, reader{"Bob"})))
	news.Publish(sys, "the second issue")
	_ = sys.Wait(context.Background())
	fmt.Println(news.Len(context.Background()))
	sys.Stop()
	// Unordered output:
	// Ada reads the first issue
	// Ada reads the second issue
	// Bob reads the second issue
	// 2 <nil>
}

// A pool gives each message to one of its members.
func ExamplePool() {
	sys := actor.Start(actor.WithWorkers(1))
	p := group.NewPool(group.RoundRobin[string](),
		read.To(readerType.Spawn(sys, reader{"Ada"})),
		read.To(readerType.Spawn(sys, reader{"Bob"}))).Start(sys)
	for _, page := range []string{"page 1", "page 2", "page 3"} {
		p.Send(sys, page)
		_ = sys.Wait(context.Background())
	}
	sys.Stop()
	// Output:
	// Ada reads page 1
	// Bob reads page 2
	// Ada reads page 3
}

// desk is a member with a bound: it mutes the pool when four letters wait for it.
var (
	deskType = actor.NewType[reader]("desk", actor.WithBound(4, actor.OverflowMute))
	letter   = actor.Declare[string](deskType, "letter")
	_        = deskType.Table(letter.Handle((*reader).Read))
)

// A goroutine that feeds a pool is held back by SendWait; Send would never wait.
func ExamplePool_SendWait() {
	ctx, sys := context.Background(), actor.Start()
	p := group.NewPool(group.LeastLoaded[string](),
		letter.To(deskType.Spawn(sys, reader{"Ada"}))).Start(sys)
	for _, page := range []string{"page 1", "page 2", "page 3"} {
		if err := p.SendWait(ctx, page); err != nil {
			fmt.Println(err) // ctx has ended, or the pool, or the system
		}
	}
	_ = sys.Run()
	// Output:
	// Ada reads page 1
	// Ada reads page 2
	// Ada reads page 3
}

// A policy chooses the member: the member with the least to do, or always the same member for the
// same key.
func ExamplePolicy() {
	sys := actor.Start()
	a, b := readerType.Spawn(sys, reader{"a"}), readerType.Spawn(sys, reader{"b"})
	policies := []group.Policy[string]{
		group.LeastLoaded[string](),
		group.Hash(func(page string) uint64 { return uint64(len(page)) }),
	}
	for _, policy := range policies {
		p := group.NewPool(policy, read.To(a), read.To(b)).Start(sys)
		fmt.Println(p.Len(context.Background()))
	}
	sys.Stop()
	// Output:
	// 2 <nil>
	// 2 <nil>
}
