package inspect

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/seam"
)

// Message is a message that is about to run, or has run, as a [Probe] sees it.
type Message struct {
	Type, Behaviour string // which behaviour
	// From is the number of the actor that sent it; 0 if it came from outside.
	From uint64
	// Request says that a caller waits for the outcome.
	Request bool
}

// Probe is a pair of functions around the behaviours of types. Either may be nil. They run in the
// actor's turn, on its worker, and must not block or panic. After is not called if the behaviour
// panics.
type Probe struct {
	// Before is called before each behaviour, and After when it has returned.
	Before, After func(c *actor.Context, m Message)
}

// Watch puts a probe around the behaviours of the types of these names, or of all types if there
// are none, types included that have no actors yet. It exchanges the dispatch tables: while none
// is watched a message costs nothing for it. A turn that runs may go on with the old table: the
// first messages may be missed, and some may come after stop. An empty Probe makes Watch panic.
// stop may be called again.
func Watch(sys *actor.System, p Probe, types ...string) (stop func()) {
	if p.Before == nil && p.After == nil {
		panic("gallop: inspect.Watch with an empty Probe")
	}
	return of(sys).Watch(fits(types), func(typ, behaviour string, request bool) (
		before, after func(*actor.Context, int, uint64)) {
		call := func(f func(*actor.Context, Message)) func(*actor.Context, int, uint64) {
			if f == nil {
				return nil
			}
			return func(c *actor.Context, _ int, from uint64) {
				f(c, Message{typ, behaviour, from, request})
			}
		}
		return call(p.Before), call(p.After)
	})
}

// fits reports whether a type is one of those.
func fits(types []string) func(string) bool {
	types = slices.Clone(types)
	return func(typ string) bool { return len(types) == 0 || slices.Contains(types, typ) }
}

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

// Count counts the messages of types, named as for [Watch], until [Counts.Stop]. A message costs
// a few nanoseconds for it.
func Count(sys *actor.System, types ...string) *Counts {
	k := &Counts{all: map[[2]string]*ranCount{}}
	k.stop = of(sys).Watch(fits(types), func(typ, behaviour string, _ bool) (
		before, after func(*actor.Context, int, uint64)) {
		n := k.of(typ, behaviour)
		return nil, func(_ *actor.Context, worker int, from uint64) {
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

// Stop ends the counting. What was counted stays.
func (k *Counts) Stop() { k.stop() }
