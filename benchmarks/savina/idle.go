package main

import (
	"sync"

	"github.com/gallop-go/gallop/actor"
)

// Idle actors: very many are there, and a hundredth of them does something. (The table has a
// quarter of a million; -scale 4 makes it a million, which takes 3 GB with goroutines.)
var idleActors = program{
	name: "idle", about: "many idle actors", n: 250_000,
	gallop: idleGallop, plain: idlePlain, message: idleMessage,
}

const (
	idleHot    = 100 // one in so many is hot
	idleRounds = 40  // messages to each of the hot ones
)

type sleeper struct {
	got   uint64
	total actor.Ref[tally]
}

var (
	sleeperType = actor.NewType[sleeper]("sleeper")
	sleeperAdd  = actor.Declare[int](sleeperType, "add")
	_           = sleeperType.Table(sleeperAdd.Handle((*sleeper).add))
)

func (s *sleeper) add(ctx *actor.Context, by int) {
	s.got += uint64(by)
	if by == idleRounds {
		tallyAdd.Send(ctx, s.total, s.got)
	}
}

func idleGallop(sys *actor.System, n int) uint64 {
	hot := n / idleHot
	total, out := newTally(sys, hot)
	all := make([]actor.Ref[sleeper], n)
	for i := range all {
		all[i] = sleeperType.Spawn(sys, sleeper{total: total})
		sleeperAdd.Send(sys, all[i], 0)
	}
	for by := 1; by <= idleRounds; by++ {
		for i := range hot {
			sleeperAdd.Send(sys, all[i*idleHot], by)
		}
	}
	return <-out
}

// idlePlain has a lock for each, and no goroutine.
func idlePlain(n int) uint64 {
	type state struct {
		mu  sync.Mutex
		got uint64
	}
	all := make([]*state, n)
	for i := range all {
		all[i] = new(state)
	}
	hot := n / idleHot
	for by := 1; by <= idleRounds; by++ {
		for i := range hot {
			s := all[i*idleHot]
			s.mu.Lock()
			s.got += uint64(by)
			s.mu.Unlock()
		}
	}
	sum := uint64(0)
	for i := range hot {
		sum += all[i*idleHot].got
	}
	return sum
}

func idleMessage(c crew, n int) uint64 {
	hot := n / idleHot
	total, out := messageTally(c, hot)
	all := make([]node, n)
	for i := range all {
		got := 0
		all[i] = c.spawn(4, func(node) behaviour {
			return func(self node, m msg) {
				if got += m.x; m.x == idleRounds {
					total.send(self, msg{x: got})
				}
			}
		})
		all[i].send(nil, msg{})
	}
	for by := 1; by <= idleRounds; by++ {
		for i := range hot {
			all[i*idleHot].send(nil, msg{x: by})
		}
	}
	return <-out
}
