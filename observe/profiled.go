package observe

import (
	"cmp"
	"slices"

	"github.com/gallop-go/gallop/internal/inspect"
)

// profiled is the profile of one window.
type profiled struct {
	actors, behaviours []inspect.Busy
	looks, ran, rounds uint64
}

// plus returns the profile of two windows together.
func (p profiled) plus(q profiled) profiled {
	sum := profiled{looks: p.looks + q.looks, ran: p.ran + q.ran,
		rounds: p.rounds + q.rounds}
	sum.actors = together(sum.ran, p.actors, q.actors)
	sum.behaviours = together(sum.ran, p.behaviours, q.behaviours)
	return sum
}

// together adds up the figures of equal actors or behaviours, the busiest first.
func together(ran uint64, lists ...[]inspect.Busy) []inspect.Busy {
	type row struct {
		typ, behaviour string
		actor, process uint64
	}
	at := map[row]int{}
	var sum []inspect.Busy
	for _, b := range slices.Concat(lists...) {
		k := row{b.Type, b.Behaviour, b.Actor, b.Process}
		i, ok := at[k]
		if !ok {
			i = len(sum)
			at[k] = i
			sum = append(sum, inspect.Busy{Type: b.Type, Behaviour: b.Behaviour, Actor: b.Actor,
				Process: b.Process})
		}
		sum[i].Samples += b.Samples
		sum[i].TooMany += b.TooMany
	}
	for i := range sum {
		sum[i].Share = float64(sum[i].Samples) / float64(max(ran, 1))
	}
	slices.SortStableFunc(sum, func(a, b inspect.Busy) int {
		return cmp.Compare(b.Samples,
			a.Samples)
	})
	return sum
}
