package inspect

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// Counts counts the messages that behaviours have run.
type Counts struct {
	stop func()
	mu   sync.Mutex
	all  map[[2]string]*ranCount // guarded by mu: by type and behaviour
}

// ranCount is the count of one behaviour, in parts: workers with different numbers mostly write to
// different ones.
type ranCount [16]struct {
	all, outside seam.Uint64
	_            [48]byte
}

// Count counts the messages of types, named as for [Around], until [Counts.Stop]. A message costs
// a few nanoseconds for it.
func Count(sys *actor.System, types ...string) *Counts {
	k := &Counts{all: map[[2]string]*ranCount{}}
	k.stop = watchTypes(of(sys), fits(types), func(typ, behaviour string, _ bool) (
		before, after func(*kernel.Turn, int, uint64)) {
		n := k.of(typ, behaviour)
		return nil, func(_ *kernel.Turn, worker int, from uint64) {
			part := &n[uint(worker)%uint(len(n))]
			if part.all.Add(1); from == 0 {
				part.outside.Add(1)
			}
		}
	})
	return k
}

// of returns the count of a behaviour. Types of one name share it.
func (k *Counts) of(typ, behaviour string) *ranCount {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := [2]string{typ, behaviour}
	if k.all[key] == nil {
		k.all[key] = new(ranCount)
	}
	return k.all[key]
}

// Ran is how many messages a behaviour has run.
type Ran struct {
	Type, Behaviour string // which behaviour
	Messages        uint64 // that it has run
	// Outside is how many of them came from outside.
	Outside uint64
}

// Ran returns the counts of all behaviours that have run, by type and behaviour.
func (k *Counts) Ran() []Ran {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Ran
	for key, n := range k.all {
		r := Ran{Type: key[0], Behaviour: key[1]}
		for i := range n {
			r.Outside += n[i].outside.Load() // before all: there are never more of them
			r.Messages += n[i].all.Load()
		}
		if r.Messages > 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Ran) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Behaviour, b.Behaviour))
	})
	return all
}

// Stop ends the counting. The counts stay readable.
func (k *Counts) Stop() { k.stop() }
