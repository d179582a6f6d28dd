package main

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

// run is one run of a graph: the gate counts the items that come back.
type run struct {
	graph
	work     float64 // units of burn a unit of weight
	left     int     // items that may still come in
	finished chan struct{}
}

// newRun prepares a run of n items or a few more.
func newRun(s shape, flight, n int, burns float64) *run {
	r := &run{graph: s.make(flight), work: burns, finished: make(chan struct{})}
	r.left = n - r.out
	return r
}

// take has node i handle an item: it works, and sends to others.
func (r *run) take(i int, work func(weight float64), send func(to []int)) {
	n := &r.nodes[i]
	switch {
	case i == 0:
		send(r.back())
	case n.first:
		send(n.next())
		work(n.weight)
	default:
		work(n.weight)
		send(n.next())
	}
}

// back is the gate's part: an item has come back, and others go in.
func (r *run) back() []int {
	r.out--
	if r.left > 0 {
		next := r.nodes[0].next()
		if next != nil {
			r.out += r.each
			r.left -= r.each
		}
		return next
	}
	if r.out == 0 {
		close(r.finished)
	}
	return nil
}

func (r *run) burn(weight float64) { burn(weight * r.work) }

// burn computes n steps, which calibrate measures.
//
//go:noinline
func burn(n float64) uint64 {
	x := uint64(88172645463325252)
	for range int(n) {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// calibrate returns how many units of burn take a nanosecond: the best of many short runs.
func calibrate() float64 {
	const n = 20_000
	best := time.Hour
	for range 200 {
		begun := time.Now()
		burn(n)
		best = min(best, time.Since(begun))
	}
	return n / float64(best.Nanoseconds())
}

// runner runs a graph to its end, and returns how long that took.
type runner struct {
	name string
	run  func(r *run) time.Duration
}

type stage struct {
	r    *run
	i    int
	refs []actor.Ref[stage]
}

var (
	stageType = actor.NewType[stage]("stage")
	stageItem = actor.Declare[struct{}](stageType, "item")
	_         = stageType.Table(stageItem.Handle((*stage).take))
)

func (s *stage) take(c *actor.Context, _ struct{}) {
	s.r.take(s.i, s.r.burn, func(to []int) {
		for _, i := range to {
			stageItem.Send(c, s.refs[i], struct{}{})
		}
	})
}

// onActors runs each node as an actor.
func onActors(workers int) func(r *run) time.Duration {
	return func(r *run) time.Duration {
		sys := actor.Start(actor.WithWorkers(workers))
		defer sys.Stop()
		refs := make([]actor.Ref[stage], len(r.nodes))
		for i := range refs {
			refs[i] = stageType.Spawn(sys, stage{r, i, refs}) //gallop:allow GV2 each stage writes to its own node
		}
		begun := time.Now()
		for _, i := range r.start {
			stageItem.Send(sys, refs[i], struct{}{})
		}
		if err := sys.Wait(context.Background()); err != nil {
			panic(err)
		}
		return time.Since(begun)
	}
}

// onProcesses runs each node as a process with a channel of package process.
func onProcesses(workers int) func(r *run) time.Duration {
	return func(r *run) time.Duration {
		sys := process.Start(process.Config{Workers: workers})
		defer sys.Stop()
		chans := make([]*process.Chan[struct{}], len(r.nodes))
		for i := range chans {
			chans[i] = process.NewChan[struct{}](r.room())
		}
		begun := time.Now()
		process.Go(sys, func(p *process.Proc) {
			for _, i := range r.start {
				chans[i].Send(p, struct{}{})
			}
		})
		for i := range r.nodes {
			process.Go(sys, func(p *process.Proc) {
				for range chans[i].All(p) {
					r.take(i, r.burn, func(to []int) {
						for _, j := range to {
							chans[j].Send(p, struct{}{})
						}
					})
				}
			})
		}
		<-r.finished
		return time.Since(begun)
	}
}

// onChannels runs each node as a goroutine with a channel.
func onChannels(r *run) time.Duration {
	chans := make([]chan struct{}, len(r.nodes))
	for i := range chans {
		chans[i] = make(chan struct{}, r.room())
	}
	begun := time.Now()
	for i := range r.nodes {
		go func() {
			for range chans[i] {
				r.take(i, r.burn, func(to []int) {
					for _, j := range to {
						chans[j] <- struct{}{}
					}
				})
			}
		}()
	}
	for _, i := range r.start {
		chans[i] <- struct{}{}
	}
	<-r.finished
	took := time.Since(begun)
	for _, c := range chans {
		close(c) // nothing is on its way any more
	}
	return took
}

// room is how many items a channel holds, so that no send waits for ever.
func (r *run) room() int { return r.out + r.each }
