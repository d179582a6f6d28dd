package inspect

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// probedType is the state of actors that are found by their names.
type probedType struct{ words [1]int }

// TestDelays_CostOfARound: a round looks at no more than its share of the names, goes on where the
// last one has stopped, and so comes to all of them; a single actor of its type among very many of
// another is probed in each round once it was found.
func TestDelays_CostOfARound(t *testing.T) {
	const many, rounds = 3000, 2 * 3000 / delaysVisits
	typ := actor.NewType[probedType]("one of many")
	typ.Table()
	rare := actor.NewType[probedType]("the only one")
	rare.Table()
	sys := actor.Start(actor.WithLogger(slog.New(slog.DiscardHandler)))
	defer sys.Stop()
	for i := range many {
		if _, err := typ.SpawnNamed(sys, fmt.Sprint(i), probedType{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rare.SpawnNamed(sys, "rare", probedType{}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	probed := map[string]int{}
	found := 0 // actors that the walk has come to
	d := newDelays(sys, func(typ string, _ time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		probed[typ]++
	}, context.Background())
	defer d.end()
	d.all = func(yield func(kernel.AnyRef) bool) {
		for ref := range everyFound(of(sys)) {
			if found++; !yield(ref) {
				return
			}
		}
	}
	foundRare := 0 // the round in which the rare one was found
	for round := range rounds {
		before := found
		d.probe()
		d.running.Wait()
		if n := found - before; n > delaysVisits {
			t.Fatalf("round %d looks at %d actors of %d", round, n, many)
		}
		if foundRare == 0 && d.known["the only one"] != nil {
			foundRare = round
		}
	}
	if found < many {
		t.Errorf("%d rounds have come to %d actors of %d", rounds, found, many)
	}
	// In the second half the same ones come again, and an actor is probed once a second.
	if n := probed["one of many"]; n < rounds/2*delaysOfType {
		t.Errorf("%d probes of many, want %d", n, rounds/2*delaysOfType)
	}
	if probed["the only one"] == 0 {
		t.Errorf("the rare one, found in round %d of %d, was not probed", foundRare, rounds)
	}
	for _, k := range d.types {
		if len(k.all) > delaysKept {
			t.Errorf("%d of type %s are kept", len(k.all), k.name)
		}
	}
}
