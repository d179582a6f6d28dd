package main

import "github.com/gallop-go/gallop/actor"

// Banking: a teller has money moved between random accounts; the debited account asks the credited
// one, and replies to the teller when that has replied.
var bankingAsk = program{
	name: "banking-ask", about: "banking, by ask", n: 120_000,
	gallop: bankingAskGallop, plain: bankingPlain,
}

// bankingStash is the program as the suite has it: an account that waits for another's reply takes
// nothing else meanwhile.
var bankingStash = program{
	name: "banking-stash", about: "banking, by stash", n: 120_000,
	gallop: bankingStashGallop, plain: bankingPlain, message: bankingMessage,
}

// bankingNoStash is the same without the stash: an account serves all messages while it waits for a
// reply. It shows the cost of the stash.
var bankingNoStash = program{
	name: "banking-nostash", about: "banking, where accounts do not wait", n: 120_000,
	gallop: bankingNoStashGallop, plain: bankingPlain,
}

const (
	accounts      = 1000
	initialAmount = 1 << 40
)

// transfer is an order of the teller's.
type transfer struct{ from, to, amount int }

// teller draws the transfers, the same ones on all sides.
type teller struct {
	random
	left int
}

func newTeller(n int) teller { return teller{newRandom(1), n} }

func (t *teller) draw() transfer {
	from := t.below(accounts - 1)
	to := from + 1 + t.below(accounts-1-from)
	return transfer{from, to, t.below(1000)}
}

// weigh is an account's part of the checksum.
func weigh(i, balance int) uint64 { return uint64(i+1) * uint64(balance) }

// askAccount moves money by asks.
type askAccount struct {
	index, balance int
	total          actor.Ref[tally]
}

type credit struct {
	to     actor.Ref[askAccount]
	amount int
	reply  actor.Ref[askTeller]
}

type askTeller struct {
	teller
	done int
	all  []actor.Ref[askAccount]
}

var (
	askAccountType  = actor.NewType[askAccount]("account")
	askAccountMove  = actor.Declare[credit](askAccountType, "move")
	askAccountDebit = actor.DeclareAsk[int, int](askAccountType, "debit")
	askAccountMoved = actor.Declare[actor.Reply[int, actor.Ref[askTeller]]](askAccountType, "moved")
	askAccountShow  = actor.Declare[struct{}](askAccountType, "show")
	_               = askAccountType.Table(
		askAccountMove.Handle((*askAccount).move), askAccountDebit.Handle((*askAccount).debit),
		askAccountMoved.Handle((*askAccount).moved), askAccountShow.Handle((*askAccount).show))

	askTellerType  = actor.NewType[askTeller]("teller")
	askTellerStart = actor.Declare[struct{}](askTellerType, "start")
	askTellerDone  = actor.Declare[struct{}](askTellerType, "done")
	_              = askTellerType.Table(
		askTellerStart.Handle((*askTeller).start), askTellerDone.Handle((*askTeller).oneDone))
)

func (a *askAccount) move(ctx *actor.Context, m credit) {
	a.balance -= m.amount
	actor.AskToWith(ctx, askAccountDebit, m.to, m.amount, askAccountMoved, m.reply)
}

func (a *askAccount) debit(_ *actor.Context, amount int) (int, error) {
	a.balance += amount
	return a.balance, nil
}

func (a *askAccount) moved(ctx *actor.Context, r actor.Reply[int, actor.Ref[askTeller]]) {
	askTellerDone.Send(ctx, r.Mark, struct{}{})
}

func (a *askAccount) show(ctx *actor.Context, _ struct{}) {
	tallyAdd.Send(ctx, a.total, weigh(a.index, a.balance))
}

func (t *askTeller) start(ctx *actor.Context, _ struct{}) {
	for range t.left {
		m := t.draw()
		askAccountMove.Send(ctx, t.all[m.from], credit{t.all[m.to], m.amount, actor.Self[askTeller](ctx)})
	}
}

func (t *askTeller) oneDone(ctx *actor.Context, _ struct{}) {
	if t.done++; t.done == t.left {
		for _, a := range t.all {
			askAccountShow.Send(ctx, a, struct{}{})
		}
	}
}

func bankingAskGallop(sys *actor.System, n int) uint64 {
	total, out := newTally(sys, accounts)
	all := make([]actor.Ref[askAccount], accounts)
	for i := range all {
		all[i] = askAccountType.Spawn(sys, askAccount{i, initialAmount, total})
	}
	askTellerStart.Send(sys, askTellerType.Spawn(sys, askTeller{teller: newTeller(n), all: all}),
		struct{}{})
	return <-out
}
