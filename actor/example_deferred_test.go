package actor_test

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// An accounts actor knows balances.
type accounts struct{ balance map[string]int }

func (l *accounts) Balance(_ *actor.Context, who string) (int, error) { return l.balance[who], nil }

// A teller is asked for balances and has to ask the accounts actor first. So it defers its replies.
type teller struct {
	accounts actor.Ref[accounts]
	waiting  []actor.Deferred[string] // in the order in which the accounts actor was asked
}

func (t *teller) Tell(c *actor.Context, who string) (text string, err error) {
	t.waiting = append(t.waiting, actor.Defer(c, tell))
	actor.AskTo(c, balance, t.accounts, who, balanced)
	return text, err // ignored: the reply was deferred
}

func (t *teller) Balanced(c *actor.Context, r actor.Result[int]) {
	first := t.waiting[0]
	t.waiting = t.waiting[1:]
	first.Reply(c, fmt.Sprintf("you have %d", r.Value), r.Err)
}

var (
	accountsType = actor.NewType[accounts]("accounts")
	balance      = actor.DeclareAsk[string, int](accountsType, "balance")
	_            = accountsType.Table(balance.Handle((*accounts).Balance))

	tellerType = actor.NewType[teller]("teller")
	tell       = actor.DeclareAsk[string, string](tellerType, "tell")
	balanced   = actor.Declare[actor.Result[int]](tellerType, "balanced")
	_          = tellerType.Table(tell.Handle((*teller).Tell), balanced.Handle((*teller).Balanced))
)

func ExampleDefer() {
	sys := actor.Start()
	defer sys.Stop()
	l := accountsType.Spawn(sys, accounts{map[string]int{"ann": 12}})
	t := tellerType.Spawn(sys, teller{accounts: l})
	fmt.Println(tell.Ask(context.Background(), t, "ann"))
	// Output: you have 12 <nil>
}

func ExampleDeferred() {
	gateType := actor.NewType[[]actor.Deferred[string]]("gate")
	enter := actor.DeclareAsk[struct{}, string](gateType, "enter")
	open := actor.Declare[struct{}](gateType, "open")
	gateType.Table(
		enter.Handle(func(waiting *[]actor.Deferred[string], c *actor.Context, _ struct{}) (s string,
			err error) {
			*waiting = append(*waiting, actor.Defer(c, enter))
			if len(*waiting) == 2 {
				open.Send(c, actor.Self[[]actor.Deferred[string]](c), struct{}{})
			}
			return s, err
		}),
		open.Handle(func(waiting *[]actor.Deferred[string], c *actor.Context, _ struct{}) {
			for i, w := range *waiting {
				w.Reply(c, fmt.Sprintf("number %d of %d", i+1, len(*waiting)), nil)
			}
			*waiting = nil
		}))

	sys := actor.Start()
	defer sys.Stop()
	g := gateType.Spawn(sys, nil)
	replies, err := bridge.AskAll(context.Background(), enter,
		[]actor.Ref[[]actor.Deferred[string]]{g, g}, struct{}{})
	fmt.Println(replies, err)
	// Output: [number 1 of 2 number 2 of 2] <nil>
}
