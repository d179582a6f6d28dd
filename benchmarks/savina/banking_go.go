package main

import "sync"

// bankingPlain shares the transfers out among goroutines; an account is a lock and a balance.
func bankingPlain(n int) uint64 {
	var all [accounts]struct {
		sync.Mutex
		balance int
		_       [48]byte
	}
	for i := range all {
		all[i].balance = initialAmount
	}
	t, parts := newTeller(n), processors()
	orders := make([]transfer, n)
	for i := range orders {
		orders[i] = t.draw()
	}
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for _, o := range orders[p*n/parts : (p+1)*n/parts] {
				from, to := &all[o.from], &all[o.to]
				from.Lock() // from < to, so there is an order
				to.Lock()
				from.balance -= o.amount
				to.balance += o.amount
				to.Unlock()
				from.Unlock()
			}
		})
	}
	wg.Wait()
	sum := uint64(0)
	for i := range all {
		sum += weigh(i, all[i].balance)
	}
	return sum
}

// messageAccount is an account that takes nothing else while it waits for another's reply.
type messageAccount struct {
	index, balance int
	waiting        bool
	aside          []msg
	teller         node
	total          node
}

func (a *messageAccount) do(self node, m msg) {
	if a.waiting && m.op != opReply {
		a.aside = append(a.aside, m)
		return
	}
	switch m.op {
	case opStart:
		a.balance -= m.x
		a.teller, a.waiting = m.from, true
		m.data.(node).send(self, msg{op: opTake, x: m.x, from: self})
	case opTake:
		a.balance += m.x
		m.from.send(self, msg{op: opReply})
	case opReply:
		a.waiting = false
		a.teller.send(self, msg{op: opDone})
		a.unstash(self)
	case opShow:
		a.total.send(self, msg{x: int(weigh(a.index, a.balance))})
	}
}

func (a *messageAccount) unstash(self node) {
	for len(a.aside) > 0 && !a.waiting {
		m := a.aside[0]
		a.aside = a.aside[1:]
		a.do(self, m)
	}
}

func bankingMessage(c crew, n int) uint64 {
	total, out := messageTally(c, accounts)
	all := make([]node, accounts)
	for i := range all {
		all[i] = c.spawn(1024, func(node) behaviour {
			return (&messageAccount{index: i, balance: initialAmount, total: total}).do
		})
	}
	t, done := newTeller(n), 0
	c.spawn(n, func(node) behaviour {
		return func(self node, m msg) {
			if m.op == opStart {
				for range t.left {
					o := t.draw()
					all[o.from].send(self, msg{op: opStart, x: o.amount, from: self, data: all[o.to]})
				}
			} else if done++; done == n {
				for _, a := range all {
					a.send(self, msg{op: opShow})
				}
			}
		}
	}).send(nil, msg{op: opStart})
	return <-out
}
