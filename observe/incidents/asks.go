package main

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// Actors and processes that wait for answers.
var asks = []incident{
	// The runtime refuses the last ask of the circle: none of the purchases succeeds.
	{name: "ask-circle", culprits: is("purchase", "warehouse", "invoice"), short: true, begin: func(s *service) {
		purchase, warehouse, invoice := newKind("purchase", "buy"), newKind("warehouse", "take"), newKind("invoice", "bill")
		a, b, c := purchase.spawn(s), warehouse.spawn(s), invoice.spawn(s)
		purchase.mailed(s, 5, a, warehouse.asks(b, invoice.asks(c, purchase.asks(a, nothing))))
	}},
	// The reply is put off until a message of the very actor that asks has come.
	{name: "ask-waits-for-itself", culprits: is("purchase", "warehouse"), begin: func(s *service) {
		purchase, warehouse := newKind("purchase", "buy"), newKind("warehouse", "take")
		a, b := purchase.spawn(s), warehouse.spawn(s)
		purchase.mailed(s, 5, a, warehouse.asks(b, func(_ *thing, c *actor.Context) {
			d := actor.Defer(c, warehouse.ask)
			purchase.do.Send(c, a, func(_ *thing, c *actor.Context) { d.Reply(c, 1, nil) })
		}))
	}},
	// The last of a chain of asks is stuck.
	{name: "ask-chain", culprits: is("tax"), begin: func(s *service) {
		checkout, pricing, tax := newKind("checkout", "pay"), newKind("pricing", "price"), newKind("tax", "rate")
		p, t := pricing.spawn(s), tax.spawn(s)
		for range 10 {
			checkout.do.Send(s.sys, checkout.spawn(s), pricing.asks(p, tax.asks(t, blocked)))
		}
	}},
	{name: "ask-crowd", culprits: is("inventory"), begin: func(s *service) {
		carts, inventory := newKind("cart", "add"), newKind("inventory", "count")
		i := inventory.spawn(s)
		for range 20 {
			carts.mailed(s, 1, carts.spawn(s), inventory.asks(i, napping(500*time.Millisecond)))
		}
	}},
	{name: "forgotten-deferred", culprits: is("approvals"), short: true, begin: func(s *service) {
		k, claims := newKind("approvals", "note"), newKind("claim", "file")
		ref := k.spawn(s)
		claims.mailed(s, 1, claims.spawn(s), func(_ *thing, c *actor.Context) {
			actor.AskTo(c, k.ask, ref, func(_ *thing, c *actor.Context) { actor.Defer(c, k.ask) }, claims.heard)
		})
	}},
	// Every second reply is given after a second, the others are forgotten.
	{name: "put-off-replies-grow", culprits: is("approvals"), begin: func(s *service) {
		k, claims := newKind("approvals", "note"), newKind("claim", "file")
		ref, n := k.spawn(s), 0
		putOff := func(_ *thing, c *actor.Context) {
			d := actor.Defer(c, k.ask)
			if n++; n%2 == 0 {
				actor.After(c, time.Second, k.do,
					func(_ *thing, c *actor.Context) { d.Reply(c, 1, nil) })
			}
		}
		claims.mailed(s, 200, claims.spawn(s), func(_ *thing, c *actor.Context) {
			actor.AskTo(c, k.ask, ref, putOff, claims.heard)
		})
	}},
	// A process forgets the addresses of the replies.
	{name: "outstanding-asks", culprits: is("checkout", "pricing"), begin: func(s *service) {
		type question struct{ back process.ReplyTo[int] }
		pricing := process.Spawn(s.procs, func(self *process.Self[question]) {
			for {
				self.Receive()
			}
		}, process.WithType("pricing"))
		k := newKind("checkout", "pay")
		k.mailed(s, 200, k.spawn(s), func(_ *thing, c *actor.Context) {
			actors.AskTo(c, pricing, func(r process.ReplyTo[int]) question { return question{r} }, k.heard)
		})
	}},
	// A call of another service hangs, in a Pipe, and the reply waits for it.
	{name: "hanging-pipe", culprits: is("payments"), begin: func(s *service) {
		k, orders := newKind("payments", "note"), newKind("cart", "pay")
		ref := k.spawn(s)
		pays := func(_ *thing, c *actor.Context) {
			actor.Defer(c, k.ask)
			actor.Pipe(c, k.heard, func(context.Context) (int, error) { return <-never, nil })
		}
		for range 5 {
			orders.do.Send(s.sys, orders.spawn(s), k.asks(ref, pays))
		}
	}},
	{name: "process-call-chain", culprits: is("bank"), begin: func(s *service) {
		type question struct{ back process.ReplyTo[int] }
		bank := process.Spawn(s.procs, func(self *process.Self[question]) {
			self.Receive()
			self.Sleep(time.Hour)
		}, process.WithType("bank"))
		for range 20 {
			process.Go(s.procs, func(p *process.Proc) {
				_, _ = process.Call(p, bank, func(r process.ReplyTo[int]) question { return question{r} })
			}, process.WithType("saga"))
		}
	}},
	// Nobody receives from a channel of processes.
	{name: "unread-process-channel", culprits: is("crawler"), begin: func(s *service) {
		pages := process.NewChan[int](8)
		for range 20 {
			process.Go(s.procs, func(p *process.Proc) {
				for {
					pages.Send(p, 1)
				}
			}, process.WithType("crawler"))
		}
	}},
	// Handlers of requests wait, each in a goroutine of its own.
	{name: "handlers-pile-up", culprits: is("database"), begin: func(s *service) {
		k := newKind("database", "query")
		ref := k.spawn(s)
		perSecond(150, func() {
			go func() { _, _ = k.ask.Ask(context.Background(), ref, napping(10*time.Millisecond)) }()
		})
	}},
}

// asks is work that asks an actor of this kind, and waits in its turn.
func (k kind) asks(to actor.Ref[thing], w work) work {
	return func(_ *thing, c *actor.Context) { _, _ = k.ask.Ask(c.Context(), to, w) }
}
