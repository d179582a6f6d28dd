package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// sideNames are the ways in which a program is written.
var sideNames = []string{"gallop", "plain", "channels", "phony", "proto"}

// run returns a function that runs a side of a program once. The results are the checksum and a
// text of statistics, which may be empty. It is nil if the program has no such side.
func (p program) run(side string, workers int) func(n int) (uint64, string) {
	crews := map[string]func() crew{"channels": newChannels, "phony": newPhony, "proto": newProto}
	switch {
	case side == "gallop" && p.gallop != nil:
		return func(n int) (uint64, string) { return runGallop(p, n, workers) }
	case side == "plain" && p.plain != nil:
		return func(n int) (uint64, string) { return p.plain(n), "" }
	case crews[side] != nil && p.message != nil:
		return func(n int) (uint64, string) {
			c := crews[side]()
			defer c.stop()
			return p.message(c, n), ""
		}
	}
	return nil
}

func runGallop(p program, n, workers int) (uint64, string) {
	sys := actor.Start(actor.WithWorkers(workers))
	sum := p.gallop(sys, n)
	sys.Stop()
	st := sys.Stats()
	return sum, fmt.Sprintf("messages %d turns %d steals %d parks %d mutes %d injected %d",
		st.Messages, st.Turns, st.Steals, st.Parks, st.Mutes, st.Injected)
}

// measure runs one side of one program in this process.
func measure(c config) (r result, err error) {
	p, ok := find(c.programs[0])
	run := p.run(c.sides[0], c.workers[0])
	if !ok || run == nil {
		return r, fmt.Errorf("savina: no side %q of program %q", c.sides[0], c.programs[0])
	}
	runtime.GOMAXPROCS(c.processors(c.workers[0]))
	n := p.size(c.scale)
	for i := range c.reps + 1 {
		runtime.GC() // each run begins with the same heap
		begin, cpu := time.Now(), processorTime()
		sum, stats := run(n)
		if took := time.Since(begin); i > 0 {
			r.Times = append(r.Times, took)
			r.CPU = append(r.CPU, processorTime()-cpu)
			if late := lateRequest(); late > 0 {
				r.P99 = append(r.P99, late)
			}
		} else {
			r.Sum = sum
		}
		if sum != r.Sum {
			return r, fmt.Errorf("savina: %s: checksum %x, was %x", p.name, sum, r.Sum)
		}
		r.Stats = stats
	}
	return r, nil
}

func (c config) processors(workers int) int {
	if c.procs > 0 {
		return c.procs
	}
	return workers
}
