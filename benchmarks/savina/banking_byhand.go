package main

import "github.com/gallop-go/gallop/actor"

// bankingByHand is banking-stash without the stash of package actor: an account keeps the messages
// that come while it waits in a slice of its own, and serves them after the reply. It shows the
// cost of a stash in comparison with the code that a user would write instead.
var bankingByHand = program{
	name: "banking-byhand", about: "banking, with a slice in place of the stash", n: 120_000,
	gallop: bankingByHandGallop, plain: bankingPlain,
}

// handAccount moves money one transfer at a time.
type handAccount struct {
	index, balance int
	waiting        bool
	aside          []handOrder           // orders that came meanwhile, oldest first
	teller         actor.Ref[handTeller] // whose order is under way
	total          actor.Ref[tally]
}

// handOrder is a message that was put aside: a credit if it is from a teller, else a debit.
type handOrder struct {
	credit handCredit
	debit  handDebit
	ofTell bool
}

type handCredit struct {
	to     actor.Ref[handAccount]
	amount int
	teller actor.Ref[handTeller]
}

type handDebit struct {
	amount int
	reply  actor.Ref[handAccount]
}

type handTeller struct {
	teller
	done int
	all  []actor.Ref[handAccount]
}

var (
	handAccountType  = actor.NewType[handAccount]("account")
	handAccountMove  = actor.Declare[handCredit](handAccountType, "move")
	handAccountDebit = actor.Declare[handDebit](handAccountType, "debit")
	handAccountReply = actor.Declare[struct{}](handAccountType, "reply")
	handAccountShow  = actor.Declare[struct{}](handAccountType, "show")
	_                = handAccountType.Table(
		handAccountMove.Handle((*handAccount).move), handAccountDebit.Handle((*handAccount).debit),
		handAccountReply.Handle((*handAccount).reply), handAccountShow.Handle((*handAccount).show))

	handTellerType  = actor.NewType[handTeller]("teller")
	handTellerStart = actor.Declare[struct{}](handTellerType, "start")
	handTellerDone  = actor.Declare[struct{}](handTellerType, "done")
	_               = handTellerType.Table(
		handTellerStart.Handle((*handTeller).start), handTellerDone.Handle((*handTeller).oneDone))
)

func (a *handAccount) move(ctx *actor.Context, m handCredit) {
	if a.waiting {
		a.aside = append(a.aside, handOrder{credit: m, ofTell: true})
		return
	}
	a.balance -= m.amount
	a.teller, a.waiting = m.teller, true
	handAccountDebit.Send(ctx, m.to, handDebit{m.amount, actor.Self[handAccount](ctx)})
}

func (a *handAccount) debit(ctx *actor.Context, m handDebit) {
	if a.waiting {
		a.aside = append(a.aside, handOrder{debit: m})
		return
	}
	a.balance += m.amount
	handAccountReply.Send(ctx, m.reply, struct{}{})
}

func (a *handAccount) reply(ctx *actor.Context, _ struct{}) {
	handTellerDone.Send(ctx, a.teller, struct{}{})
	a.waiting = false
	n := 0
	for ; n < len(a.aside) && !a.waiting; n++ {
		if o := a.aside[n]; o.ofTell {
			a.move(ctx, o.credit)
		} else {
			a.debit(ctx, o.debit)
		}
	}
	if a.aside = a.aside[n:]; len(a.aside) == 0 {
		a.aside = nil
	}
}

func (a *handAccount) show(ctx *actor.Context, _ struct{}) {
	tallyAdd.Send(ctx, a.total, weigh(a.index, a.balance))
}

func (t *handTeller) start(ctx *actor.Context, _ struct{}) {
	for range t.left {
		m := t.draw()
		handAccountMove.Send(ctx, t.all[m.from],
			handCredit{t.all[m.to], m.amount, actor.Self[handTeller](ctx)})
	}
}

func (t *handTeller) oneDone(ctx *actor.Context, _ struct{}) {
	if t.done++; t.done == t.left {
		for _, a := range t.all {
			handAccountShow.Send(ctx, a, struct{}{})
		}
	}
}

func bankingByHandGallop(sys *actor.System, n int) uint64 {
	total, out := newTally(sys, accounts)
	all := make([]actor.Ref[handAccount], accounts)
	for i := range all {
		all[i] = handAccountType.Spawn(sys, handAccount{
			index: i, balance: initialAmount, total: total,
		})
	}
	handTellerStart.Send(sys,
		handTellerType.Spawn(sys, handTeller{teller: newTeller(n), all: all}), struct{}{})
	return <-out
}
