package main

import "github.com/gallop-go/gallop/actor"

// stashAccount moves money one transfer at a time: messages that come while it waits are put aside.
// When it has done with a message it takes one back. (With UnstashAll most would be put aside again
// each time.)
type stashAccount struct {
	index, balance int
	waits          bool                   // else no message is put aside
	teller         actor.Ref[stashTeller] // whose order is under way
	total          actor.Ref[tally]
}

type stashCredit struct {
	to     actor.Ref[stashAccount]
	amount int
	teller actor.Ref[stashTeller]
}

type stashDebit struct {
	amount int
	reply  actor.Ref[stashAccount]
}

type stashTeller struct {
	teller
	done int
	all  []actor.Ref[stashAccount]
}

var (
	stashAccountType  = actor.NewType[stashAccount]("account")
	stashAccountMove  = actor.Declare[stashCredit](stashAccountType, "move")
	stashAccountDebit = actor.Declare[stashDebit](stashAccountType, "debit")
	stashAccountReply = actor.Declare[struct{}](stashAccountType, "reply")
	stashAccountShow  = actor.Declare[struct{}](stashAccountType, "show")
	_                 = stashAccountType.Table(
		stashAccountMove.Handle((*stashAccount).move), stashAccountDebit.Handle((*stashAccount).debit),
		stashAccountReply.Handle((*stashAccount).reply), stashAccountShow.Handle((*stashAccount).show))

	// While an account waits for a reply, only the reply is served.
	waitingAccount = stashAccountType.Variant(
		stashAccountMove.Handle(func(_ *stashAccount, ctx *actor.Context, m stashCredit) {
			stashAccountMove.Stash(ctx, m)
		}),
		stashAccountDebit.Handle(func(_ *stashAccount, ctx *actor.Context, m stashDebit) {
			stashAccountDebit.Stash(ctx, m)
		}),
	)

	stashTellerType  = actor.NewType[stashTeller]("teller")
	stashTellerStart = actor.Declare[struct{}](stashTellerType, "start")
	stashTellerDone  = actor.Declare[struct{}](stashTellerType, "done")
	_                = stashTellerType.Table(
		stashTellerStart.Handle((*stashTeller).start), stashTellerDone.Handle((*stashTeller).oneDone))
)

func (a *stashAccount) move(ctx *actor.Context, m stashCredit) {
	a.balance -= m.amount
	a.teller = m.teller
	stashAccountDebit.Send(ctx, m.to, stashDebit{m.amount, actor.Self[stashAccount](ctx)})
	if a.waits {
		actor.Become(ctx, waitingAccount)
	}
}

func (a *stashAccount) debit(ctx *actor.Context, m stashDebit) {
	a.balance += m.amount
	stashAccountReply.Send(ctx, m.reply, struct{}{})
	if a.waits {
		actor.Unstash(ctx, 1)
	}
}

func (a *stashAccount) reply(ctx *actor.Context, _ struct{}) {
	stashTellerDone.Send(ctx, a.teller, struct{}{})
	if a.waits {
		actor.Unbecome(ctx)
		actor.Unstash(ctx, 1)
	}
}

func (a *stashAccount) show(ctx *actor.Context, _ struct{}) {
	tallyAdd.Send(ctx, a.total, weigh(a.index, a.balance))
}

func (t *stashTeller) start(ctx *actor.Context, _ struct{}) {
	for range t.left {
		m := t.draw()
		stashAccountMove.Send(ctx, t.all[m.from],
			stashCredit{t.all[m.to], m.amount, actor.Self[stashTeller](ctx)})
	}
}

func (t *stashTeller) oneDone(ctx *actor.Context, _ struct{}) {
	if t.done++; t.done == t.left {
		for _, a := range t.all {
			stashAccountShow.Send(ctx, a, struct{}{})
		}
	}
}

func bankingStashGallop(sys *actor.System, n int) uint64 { return stashAccounts(sys, n, true) }

func bankingNoStashGallop(sys *actor.System, n int) uint64 { return stashAccounts(sys, n, false) }

func stashAccounts(sys *actor.System, n int, wait bool) uint64 {
	total, out := newTally(sys, accounts)
	all := make([]actor.Ref[stashAccount], accounts)
	for i := range all {
		all[i] = stashAccountType.Spawn(sys, stashAccount{
			index: i, balance: initialAmount, waits: wait, total: total,
		})
	}
	stashTellerStart.Send(sys,
		stashTellerType.Spawn(sys, stashTeller{teller: newTeller(n), all: all}), struct{}{})
	return <-out
}
