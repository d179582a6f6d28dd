// Process, chan, select and sieve measure straight-line code that waits: processes beside
// goroutines, by mailboxes and by channels. All channels have no buffer, on both sides, so that
// each value is a hand-over.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

var processes = scenario{
	name: "process", op: "message", ops: "messages", n: 1_000_000, uncounted: true,
	about: "two processes and one ball by mailbox, goroutines by channels",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out := make(chan uint64, 1)
		process.Spawn(actors.Join(sys), func(self *process.Self[ball]) {
			other := process.Spawn(self, playBack)
			out <- playOn(self, other, j.n)
		})
		return out
	},
	channels: func(j job) <-chan uint64 { return rally(j.n) },
}

// ball is hit by the processes; it goes back to its partner, if that is known.
type ball struct {
	left int
	back process.Ref[ball]
}

// playOn hits the ball every second time, and returns how often it was hit.
func playOn(self *process.Self[ball], other process.Ref[ball], n int) (hits uint64) {
	for left := n; left > 0; hits += 2 {
		other.Send(self, ball{left, self.Ref()})
		if left = self.Receive().left; left < 0 {
			hits-- // the last one was not to be played back
		}
	}
	return hits
}

func playBack(self *process.Self[ball]) {
	for {
		b := self.Receive()
		b.back.Send(self, ball{left: b.left - 2})
		if b.left <= 2 {
			return
		}
	}
}

// rally is the ball between two goroutines.
func rally(n int) <-chan uint64 {
	out, there, back := make(chan uint64, 1), make(chan int), make(chan int)
	go func() {
		for left := range there {
			back <- left - 2
		}
	}()
	go func() {
		var hits uint64
		for left := n; left > 0; hits += 2 {
			there <- left
			if left = <-back; left < 0 {
				hits--
			}
		}
		close(there)
		out <- hits
	}()
	return out
}

var chans = scenario{
	name: "chan", op: "message", ops: "messages", n: 1_000_000, uncounted: true,
	about: "two processes, or goroutines, and one ball by channels",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out := make(chan uint64, 1)
		there, back := process.NewChan[int](0), process.NewChan[int](0)
		process.Go(actors.Join(sys), func(p *process.Proc) {
			for left := range there.All(p) {
				back.Send(p, left-2)
			}
		})
		process.Go(actors.Join(sys), func(p *process.Proc) {
			var hits uint64
			for left := j.n; left > 0; hits += 2 {
				there.Send(p, left)
				if left, _ = back.Recv(p); left < 0 {
					hits--
				}
			}
			there.Close(p)
			out <- hits
		})
		return out
	},
	channels: func(j job) <-chan uint64 { return rally(j.n) },
}

const feeders = 4 // of a select

var selects = scenario{
	name: "select", op: "value", ops: "values", n: 500_000, uncounted: true,
	about: "a process, or goroutine, that selects over four channels",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out, procs := make(chan uint64, 1), actors.Join(sys)
		var from [feeders]*process.Chan[int]
		for i := range from {
			from[i] = process.NewChan[int](0)
			process.Go(procs, func(p *process.Proc) {
				for range share(j.n, feeders, i) {
					from[i].Send(p, 1)
				}
			})
		}
		process.Go(procs, func(p *process.Proc) {
			var got int
			var sum uint64
			var cases [feeders]process.Case
			for i, c := range from {
				cases[i] = process.RecvFrom(c, &got, nil)
			}
			for range j.n {
				process.Select(p, cases[:]...)
				sum += uint64(got)
			}
			out <- sum
		})
		return out
	},
	channels: func(j job) <-chan uint64 {
		out := make(chan uint64, 1)
		var from [feeders]chan int
		for i := range from {
			from[i] = make(chan int)
			go func() {
				for range share(j.n, feeders, i) {
					from[i] <- 1
				}
			}()
		}
		go func() {
			var sum uint64
			for range j.n {
				select {
				case v := <-from[0]:
					sum += uint64(v)
				case v := <-from[1]:
					sum += uint64(v)
				case v := <-from[2]:
					sum += uint64(v)
				case v := <-from[3]:
					sum += uint64(v)
				}
			}
			out <- sum
		}()
		return out
	},
}
