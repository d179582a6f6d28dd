package durabletest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/durabletest"
)

type counter struct {
	durable.Actor
	N int
}

type added struct{ By int }

var (
	counters = durable.NewType[counter]("counter")
	plus     = durable.DeclareEvent(counters, "added", func(k *counter, e added) { k.N += e.By })
	add      = actor.DeclareAsk[int, int](counters.Type, "add")
	_        = counters.Table(durable.HandleAsk(add, func(k *counter, t *durable.Turn[counter], by int) (int, error) {
		plus.Emit(t, added{by})
		return k.N, nil
	}))
)

// The second append times out although the store has done it. The actor finds out.
func ExampleFaulty() {
	store := durabletest.Faulty(durable.NewMemory(), func(c durabletest.Call) durabletest.Fault {
		if c.Op == durabletest.Append && c.N == 2 {
			return durabletest.Fault{Err: errors.New("time-out"), Outcome: durabletest.Done}
		}
		return durabletest.Fault{}
	})
	sys := actor.Start(actor.WithDeterministic(1))
	defer sys.Stop()
	ref := counters.Spawn(sys, counter{Actor: durable.On(store, "hits")})
	for range 3 {
		fmt.Println(add.Ask(context.Background(), ref, 1))
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}
