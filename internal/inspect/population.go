package inspect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// OneIn is the size of the population for each actor of the sample.
const OneIn = kernel.IDBlockSize

// Begin starts records that cannot be made afterwards: the sample of [Population] and the list of
// [Holds]. Call it before the first spawn. One spawn in 1,024 costs some 300 ns more, and a
// [actor.System.Hold] 300 ns. The sample keeps no actor alive, and needs no goroutine and no timer.
// It goes on until the system ends; a second call does nothing.
func Begin(sys *actor.System) { begin(of(sys)) }

// Census is an estimate of the number of actors.
type Census struct {
	// Seen describes the living actors of the sample, sorted by number. Of an actor that has had no
	// turn yet, only the number and the type are known, and its Ref is zero.
	Seen []Actor
	// Types has an estimate for each type in the sample, the most frequent first.
	Types []Estimate
	// Total is the estimate for all types.
	Total Estimate
	// Before is the number of actors that were spawned before [Begin]. None of them is in the
	// sample.
	Before uint64
}

// Estimate is an estimate of a number of actors, from a sample.
type Estimate struct {
	Type string // "" for all
	// Seen is the number in the sample. Living is Seen times OneIn. With a probability of 99 % the
	// true number is from Low to High.
	Seen              int
	Living, Low, High uint64
	// StateBytes is the size of a state; 0 for all types.
	StateBytes int
}

// Population estimates the number of living actors, which have not ended and which the GC has not
// collected. It calls [Begin]. Its cost is a look at each actor of the sample.
func Population(sys *actor.System) Census {
	s := of(sys)
	begin(s)
	var c Census
	now := wall(s)
	seen := map[string]int{}
	c.Before = eachSampled(s, func(ref kernel.AnyRef, typ string, id uint64, lived time.Duration) {
		a := sampled(ref, typ, id)
		a.Spawned = now.Add(-lived)
		c.Seen = append(c.Seen, a)
		seen[a.Type]++
	})
	slices.SortFunc(c.Seen, func(a, b Actor) int { return cmp.Compare(a.ID, b.ID) })
	bytes := map[string]int{}
	s.EachType(func(t *kernel.TypeInfo) { bytes[t.Name] = stateBytes(t) })
	for typ, n := range seen {
		c.Types = append(c.Types, estimate(typ, n, bytes[typ]))
	}
	slices.SortFunc(c.Types, func(a, b Estimate) int {
		return cmp.Or(cmp.Compare(b.Seen, a.Seen), cmp.Compare(a.Type, b.Type))
	})
	c.Total = estimate("", len(c.Seen), 0)
	return c
}

// sampled describes an actor of the sample. An actor without a turn has no mail, so only its number
// and type are returned.
func sampled(ref kernel.AnyRef, typ string, id uint64) Actor {
	if ref.IsZero() {
		return Actor{ID: id, Type: typ}
	}
	return describe(ref)
}

// estimate returns the estimate for a type with n actors in the sample.
func estimate(typ string, n, bytes int) Estimate {
	low, high := poissonInterval(n)
	return Estimate{Type: typ, Seen: n, Living: uint64(n) * OneIn, StateBytes: bytes,
		Low: max(uint64(n), uint64(low*OneIn)), High: uint64(math.Ceil(high * OneIn))}
}
