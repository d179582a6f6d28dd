// Package banking moves money between accounts, after the benchmark of Savina: a teller gives
// orders, and the paying account waits for the receiving account.
package banking

import "github.com/gallop-go/gallop/actor"

// order is one transfer.
type order struct {
	from, to actor.Ref[account]
	amount   int
	teller   actor.Ref[teller]
}

type account struct {
	balance int
	paying  *order
}

func (s *account) pay(c *actor.Context, o *order) {
	if s.paying != nil {
		pay.Stash(c, o)
		return
	}
	s.balance -= o.amount
	s.paying = o
	actor.AskTo(c, receive, o.to, o.amount, received)
}

func (s *account) receive(_ *actor.Context, amount int) (int, error) {
	s.balance += amount
	return s.balance, nil
}

func (s *account) received(c *actor.Context, r actor.Result[int]) {
	o := s.paying
	s.paying = nil
	if r.Err != nil {
		s.balance += o.amount
	}
	done.Send(c, o.teller, r.Err == nil)
	actor.Unstash(c, 1)
}

func (s *account) look(*actor.Context, struct{}) (int, error) { return s.balance, nil }

type teller struct {
	accounts  []actor.Ref[account]
	left, bad int
}

func (s *teller) begin(c *actor.Context, transfers int) {
	s.left = transfers
	me := actor.Self[teller](c)
	for range transfers {
		i, j := c.Rand().IntN(len(s.accounts)), c.Rand().IntN(len(s.accounts)-1)
		if j >= i {
			j++
		}
		o := &order{s.accounts[i], s.accounts[j], 1 + c.Rand().IntN(100), me}
		pay.Send(c, o.from, o)
	}
}

func (s *teller) done(_ *actor.Context, ok bool) {
	s.left--
	if !ok {
		s.bad++
	}
}

var (
	accountType = actor.NewType[account]("account")
	pay         = actor.Declare[*order](accountType, "pay")
	receive     = actor.DeclareAsk[int, int](accountType, "receive")
	received    = actor.Declare[actor.Result[int]](accountType, "received")
	look        = actor.DeclareAsk[struct{}, int](accountType, "look")
	_           = accountType.Table(
		pay.Handle((*account).pay), receive.Handle((*account).receive),
		received.Handle((*account).received),
		look.Handle((*account).look),
	)
	tellerType = actor.NewType[teller]("teller")
	begin      = actor.Declare[int](tellerType, "begin")
	done       = actor.Declare[bool](tellerType, "done")
	_          = tellerType.Table(begin.Handle((*teller).begin), done.Handle((*teller).done))
)

// start makes a bank of n accounts with a thousand each, and gives orders.
func start(sys *actor.System, n, transfers int) []actor.Ref[account] {
	accounts := make([]actor.Ref[account], n)
	for i := range accounts {
		accounts[i] = accountType.Spawn(sys, account{balance: 1000})
	}
	begin.Send(sys, tellerType.Spawn(sys, teller{accounts: accounts}), transfers)
	return accounts
}
