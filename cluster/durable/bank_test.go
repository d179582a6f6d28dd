package durable_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
)

// Account is the state of the tests: a balance that is made of deposits and withdrawals.
type Account struct {
	durable.Actor
	Balance int
	Marks   map[string]int
	heard   actor.Handler[int] `durable:"-"`
}

type (
	Deposited struct{ Amount int }
	Withdrawn struct{ Amount int }
	Marked    struct{ Name string }
)

func (a *Account) deposited(e Deposited) { a.Balance += e.Amount }
func (a *Account) withdrawn(e Withdrawn) { a.Balance -= e.Amount }
func (a *Account) marked(e Marked) {
	if a.Marks == nil {
		a.Marks = map[string]int{}
	}
	a.Marks[e.Name]++
}

var errFunds = errors.New("not enough")

func (a *Account) Deposit(t *durable.Turn[Account], n int) (int, error) {
	deposited.Emit(t, Deposited{n})
	if a.heard != nil {
		balance := a.Balance
		t.Then(func(c *actor.Context) { a.heard.Send(c, balance) })
	}
	return a.Balance, nil
}

func (a *Account) Withdraw(t *durable.Turn[Account], n int) (int, error) {
	if a.Balance < n {
		return 0, fmt.Errorf("%w: %d", errFunds, a.Balance)
	}
	withdrawn.Emit(t, Withdrawn{n})
	return a.Balance, nil
}

func (a *Account) Read(*durable.Turn[Account], struct{}) (int, error) { return a.Balance, nil }

func (a *Account) Mark(t *durable.Turn[Account], name string) { marked.Emit(t, Marked{name}) }

func (a *Account) ReadMarks(_ *durable.Turn[Account], name string) (int, error) {
	return a.Marks[name], nil
}

func (a *Account) RemindIn(t *durable.Turn[Account], d time.Duration) { t.Remind(d.String(), d) }

func (a *Account) Forget(t *durable.Turn[Account], d time.Duration) { t.Forget(d.String()) }

func (a *Account) Reminded(t *durable.Turn[Account], name string) { marked.Emit(t, Marked{name}) }

var (
	accounts  = durable.NewType[Account]("account")
	deposited = durable.DeclareEvent(accounts, "deposited", (*Account).deposited)
	withdrawn = durable.DeclareEvent(accounts, "withdrawn", (*Account).withdrawn)
	marked    = durable.DeclareEvent(accounts, "marked", (*Account).marked)
	deposit   = actor.DeclareAsk[int, int](accounts.Type, "deposit")
	withdraw  = actor.DeclareAsk[int, int](accounts.Type, "withdraw")
	read      = actor.DeclareAsk[struct{}, int](accounts.Type, "read")
	mark      = actor.Declare[string](accounts.Type, "mark")
	readMarks = actor.DeclareAsk[string, int](accounts.Type, "read marks")
	remindIn  = actor.Declare[time.Duration](accounts.Type, "remind in")
	forget    = actor.Declare[time.Duration](accounts.Type, "forget")
	_         = accounts.OnReminder((*Account).Reminded).Table(
		durable.HandleAsk(deposit, (*Account).Deposit),
		durable.HandleAsk(withdraw, (*Account).Withdraw),
		durable.HandleAsk(read, (*Account).Read),
		durable.Handle(mark, (*Account).Mark),
		durable.HandleAsk(readMarks, (*Account).ReadMarks),
		durable.Handle(remindIn, (*Account).RemindIn),
		durable.Handle(forget, (*Account).Forget),
	)
)

// account returns the state with which an account of that key is spawned.
func account(s durable.Store, key string) Account { return Account{Actor: durable.On(s, key)} }
