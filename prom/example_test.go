package prom_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/prom"
)

// cart is an actor that counts the items it receives.
type cart struct{ items int }

func (c *cart) Add(_ *actor.Context, n int) { c.items += n }

var (
	cartType = actor.NewType[cart]("cart")
	add      = actor.Declare[int](cartType, "add")
	_        = cartType.Table(add.Handle((*cart).Add))
)

// A program registers the collector of its system, and serves the registry: here it is read at
// once.
func ExampleNewCollector() {
	sys := actor.Start()
	defer sys.Stop()
	reg := prometheus.NewRegistry()
	reg.MustRegister(prom.NewCollector(sys))
	// http.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))

	r := cartType.Spawn(sys, cart{})
	for range 3 {
		add.Send(sys, r, 1)
	}
	if err := sys.Wait(context.Background()); err != nil {
		panic(err)
	}
	all, _ := reg.Gather()
	for _, f := range all {
		if f.GetName() == "gallop_messages_total" {
			fmt.Println(f.GetName(), f.Metric[0].GetCounter().GetValue())
		}
	}
	// Output: gallop_messages_total 3
}

// Several systems of a process need a label that tells them apart.
func ExampleWithSystem() {
	orders, mail := actor.Start(), actor.Start()
	defer orders.Stop()
	defer mail.Stop()
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		prom.NewCollector(orders, prom.WithSystem("orders")),
		prom.NewCollector(mail, prom.WithSystem("mail")),
	)
	all, _ := reg.Gather()
	for _, f := range all {
		if f.GetName() == "gallop_panics_total" {
			for _, m := range f.Metric {
				fmt.Println(m.Label[0].GetValue(), m.GetCounter().GetValue())
			}
		}
	}
	// Output:
	// mail 0
	// orders 0
}

// How long messages wait, by type, is measured once a second from now on.
func ExampleMailboxDelays() {
	sys := actor.Start()
	defer sys.Stop()
	delays := prom.NewMailboxDelays(sys)
	defer delays.Stop()
	reg := prometheus.NewRegistry()
	reg.MustRegister(prom.NewCollector(sys), delays)
}
