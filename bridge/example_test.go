package bridge_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// An account has a balance.
type account struct{ balance int }

func (a *account) Withdraw(_ *actor.Context, n int) (left int, err error) {
	if n > a.balance {
		return 0, errors.New("not enough")
	}
	a.balance -= n
	return a.balance, nil
}

var (
	accountType = actor.NewType[account]("account")
	withdraw    = actor.DeclareAsk[int, int](accountType, "withdraw")
	_           = accountType.Table(withdraw.Handle((*account).Withdraw))
)

// FromChan sends the values of a channel to the running actor.
func ExampleFromChan() {
	type gauge struct{ sum int }
	gaugeType := actor.NewType[gauge]("gauge")
	read := actor.Declare[<-chan int](gaugeType, "read")
	show := actor.Declare[int](gaugeType, "show")
	gaugeType.Table(
		show.Handle(func(g *gauge, _ *actor.Context, n int) { g.sum += n; fmt.Println("sum", g.sum) }),
		read.Handle(func(_ *gauge, c *actor.Context, ch <-chan int) { bridge.FromChan(c, ch, show) }))

	sys := actor.Start()
	ch := make(chan int)
	read.Send(sys, gaugeType.Spawn(sys, gauge{}), ch)
	for i := range 3 {
		ch <- i
	}
	close(ch) // it held the system until now
	_ = sys.Run()
	// Output:
	// sum 0
	// sum 1
	// sum 3
}

// ToChan returns a handler that sends its messages to a channel.
func ExampleToChan() {
	sys := actor.Start()
	ch := make(chan string)
	out := bridge.ToChan(sys, ch)
	go func() {
		out.Send(sys, "one")
		out.Send(sys, "two")
	}()
	fmt.Println(<-ch, <-ch)
	_ = sys.Run()
	// Output: one two
}

// AskAll asks several actors the same question, and gives up at the first error.
func ExampleAskAll() {
	sys := actor.Start()
	var all []actor.Ref[account]
	for _, balance := range []int{10, 20, 30} {
		all = append(all, accountType.Spawn(sys, account{balance}))
	}
	fmt.Println(bridge.AskAll(context.Background(), withdraw, all, 5))
	fmt.Println(bridge.AskAll(context.Background(), withdraw, all, 10))
	sys.Stop()
	// Output:
	// [5 15 25] <nil>
	// [] not enough
}

// Replies yields each reply as it comes in, with the actor that was asked.
func ExampleReplies() {
	sys := actor.Start()
	all := []actor.Ref[account]{accountType.Spawn(sys, account{1}), accountType.Spawn(sys, account{2})}
	left := map[actor.Ref[account]]int{}
	for a, res := range bridge.Replies(context.Background(), withdraw, all, 1) {
		left[a] = res.Value
	}
	fmt.Println(left[all[0]], left[all[1]])
	sys.Stop()
	// Output: 0 1
}
