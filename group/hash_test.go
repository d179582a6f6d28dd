package group_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

func byKey() group.Policy[int] { return group.Hash(func(n int) uint64 { return uint64(n) }) }

func doubles(n int) []actor.Handler[int] {
	all := make([]actor.Handler[int], n)
	for i := range all {
		all[i] = &double{}
	}
	return all
}

// TestHash_Owners: while members come and go, each key belongs to the member with the next place on
// the circle, as a search through all members finds it.
func TestHash_Owners(t *testing.T) {
	const first, steps, keys = 10, 300, 20
	in := doubles(first)
	m := group.NewPoolState(byKey(), in...)
	came, places := uint64(0), map[actor.Handler[int]][]uint64{}
	enter := func(h actor.Handler[int]) {
		at := group.VirtualNodes(came)
		came, places[h] = came+1, at[:]
	}
	for _, h := range in {
		enter(h)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for range steps {
		if n := len(in); n == 0 || n < 40 && rnd.IntN(2) == 0 {
			in = append(in, &double{})
			m.Join(in[n])
			enter(in[n])
		} else {
			i := rnd.IntN(n)
			m.Leave(in[i])
			delete(places, in[i])
			in[i], in = in[n-1], in[:n-1]
		}
		if rnd.IntN(3) == 0 {
			continue // several come and go between two messages
		}
		for range min(keys, keys*len(in)) {
			key := rnd.Int()
			if got, want := m.Choose(key), next(places, group.HashOf(uint64(key))); got != want {
				t.Fatalf("of %d members key %d belongs to another one", len(in), key)
			}
		}
	}
}

// next returns the handler with the next place from at on, around the circle.
func next(places map[actor.Handler[int]][]uint64, at uint64) (who actor.Handler[int]) {
	nearest := uint64(math.MaxUint64)
	for h, all := range places {
		for _, p := range all {
			if p-at <= nearest {
				nearest, who = p-at, h
			}
		}
	}
	return who
}

// TestHash_RebuiltOnce: however many members come and go before a message is given, the circle is
// arranged once, for that message.
func TestHash_RebuiltOnce(t *testing.T) {
	all := doubles(100)
	m := group.NewPoolState(byKey(), all[:50]...)
	for i, h := range all[50:] {
		m.Join(h)
		m.Leave(all[i])
	}
	m.Leave(all[99]) // who has come and gone between two messages has no place
	if n := m.RingSize(); n != 0 {
		t.Errorf("%d virtual nodes were placed before the first message", n)
	}
	m.Choose(0)
	if got, want := m.RingSize(), 49*len(group.VirtualNodes(0)); got != want {
		t.Errorf("%d points, want %d", got, want)
	}
}

// TestPool_ToldOnce: a policy gets one update for all initial members, and one for each that joins
// or goes.
func TestPool_ToldOnce(t *testing.T) {
	policy, times := group.CountingPolicy()
	all := doubles(100)
	m := group.NewPoolState(policy, all...)
	if n := times(); n != 1 {
		t.Errorf("of the first 100 members it was told %d times", n)
	}
	m.Leave(all[0])
	m.Join(all[0])
	if n := times(); n != 3 {
		t.Errorf("of one that came and went it was told %d times", n-1)
	}
}

// BenchmarkHash is the cost of making a pool with a hash, and of one member that comes and goes.
func BenchmarkHash(b *testing.B) {
	for _, n := range []int{10, 100, 600} {
		all := doubles(n)
		b.Run(fmt.Sprint("new/", n), func(b *testing.B) {
			sys := start(b)
			for b.Loop() {
				group.NewPool(byKey(), all...).Start(sys).Stop(sys)
			}
		})
		b.Run(fmt.Sprint("come and go/", n), func(b *testing.B) {
			m := group.NewPoolState(byKey(), all[1:]...)
			for b.Loop() {
				m.Join(all[0])
				m.Leave(all[0])
			}
		})
	}
}
