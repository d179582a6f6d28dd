package process

import (
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A call that waits for its system, or keeps its thread, must not be made in a process as if in a
// goroutine outside: it would wait for itself, or keep a worker from others. Such a call looks
// whether its goroutine is a coroutine. A behaviour finds its worker in sched.Here; a process is on
// a goroutine that moves from worker to worker.
//
// Rejected: an entry for each turn, which a hand-over would pay for. A coroutine enters itself once
// and serves many processes.

// goroutineIndex finds the coroutine of a goroutine. It is a map in shards, as that of package sched.
type goroutineIndex struct {
	shards [shards]struct {
		mu seam.QuickMutex
		by map[uint64]*coroutine // guarded by mu: by the number of the goroutine
		_  cacheline.Pad
	}
}

// byGoroutine has the coroutines of all systems.
var byGoroutine goroutineIndex

// set enters the coroutine of a goroutine, or removes it if c is nil.
func (a *goroutineIndex) set(id uint64, c *coroutine) {
	// The numbers are addresses: a multiplication spreads them.
	p := &a.shards[id*0x9e3779b97f4a7c15>>32%shards]
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c == nil:
		delete(p.by, id)
	case p.by == nil:
		p.by = map[uint64]*coroutine{id: c}
	default:
		p.by[id] = c
	}
}

// of returns the coroutine of a goroutine, or nil.
func (a *goroutineIndex) of(id uint64) *coroutine {
	p := &a.shards[id*0x9e3779b97f4a7c15>>32%shards]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.by[id]
}

func init() {
	joint.InProcess = func() (*sched.Scheduler, *sched.Worker) {
		if p := processHere(); p != nil {
			return p.sys.sched, p.w
		}
		return nil, nil
	}
}

// processHere returns the process that the calling goroutine runs, of any system, or nil. It costs
// a lock and a look into a map, some 30 ns. Any goroutine.
func processHere() *Proc {
	if c := byGoroutine.of(seam.Goroutine()); c != nil {
		return c.proc
	}
	return nil
}

// mustBeOutside panics if the caller is a process or a behaviour on the workers of the system,
// which would wait for itself.
func (s *System) mustBeOutside(call string) {
	s.mustBeReady(call)
	if s.sched.Current() != nil {
		misuse(call + " called from a behaviour, which would wait for itself")
	}
	if p := processHere(); p != nil && p.sys.sched == s.sched {
		misuse(call + " called from a process, which would wait for itself")
	}
}

// blockIn runs f, which waits, in the turn of the process that the calling goroutine runs, if it
// runs one: the worker's slot is handed over.
func blockIn(f func()) {
	if p := processHere(); p != nil && p.w != nil {
		p.w.Blocking(f)
		return
	}
	f()
}
