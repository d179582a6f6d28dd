package sched

import (
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/seam"
)

// live calls serve until serve reports that nothing is left to do. It is not inlined and keeps its
// argument, because Stack finds a worker's goroutine by this call in the stacks of all goroutines.
// A Goexit ends the goroutine; then another one takes over and calls anew.
//
//go:noinline
func (w *Worker) live(serve func() (more bool), anew func()) {
	left := false
	defer func() {
		if !left && w.crashed { // and the loop has not gone on
			w.crashed = false
			w.notHere() // Go may use the goroutine's record for another one
			w.launch(anew)
		} else if !left {
			w.notHere() // the explorer cuts a run off
		}
	}()
	w.here()
	for serve() {
		w.crashed = false
	}
	// From here on w may belong to another goroutine: see idleWorkers.putCold.
	left = true
	runtime.KeepAlive(w)
}

// byGoroutine has the workers of all schedulers of the process. A call that is forbidden in turns
// looks itself up here, in a turn of any scheduler.
var byGoroutine goroutines

// goroutines finds the worker of a goroutine. It is a map in shards, each with its own lock.
// Rejected: a look at every worker. Its cost grows with the number of blocked turns, which may be a
// hundred thousand. The locks are not interleaving points, because nothing else happens under them.
type goroutines struct {
	shards [1 << shardBits]struct {
		mu sync.Mutex
		by map[uint64]*Worker // guarded by mu: by the number of the goroutine
		_  cacheline.Pad
	}
}

const shardBits = 4

// shard returns the index of a goroutine's shard. The numbers are addresses, so their low bits are
// all equal, and a multiplication spreads the others (Fibonacci hashing).
func (*goroutines) shard(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> (64 - shardBits) }

// set enters the worker of a goroutine, or removes it if w is nil.
func (c *goroutines) set(id uint64, w *Worker) {
	p := &c.shards[c.shard(id)]
	p.mu.Lock()
	switch {
	case w == nil:
		delete(p.by, id)
	case p.by == nil:
		p.by = map[uint64]*Worker{id: w}
	default:
		p.by[id] = w
	}
	p.mu.Unlock()
}

// of returns the worker of a goroutine, or nil.
func (c *goroutines) of(id uint64) *Worker {
	p := &c.shards[c.shard(id)]
	p.mu.Lock()
	w := p.by[id]
	p.mu.Unlock()
	return w
}

// here enters the calling goroutine as the worker's.
func (w *Worker) here() {
	w.goroutine = seam.Goroutine()
	byGoroutine.set(w.goroutine, w)
}

// notHere removes the entry that here made. The worker's goroutine calls it before it ends.
func (w *Worker) notHere() {
	byGoroutine.set(w.goroutine, nil)
	w.goroutine = 0
}

// Here returns the worker, of any scheduler, whose turn the calling goroutine runs, or nil. It
// costs a lock and a map look-up for any number of workers. Any goroutine.
func Here() *Worker {
	w := byGoroutine.of(seam.Goroutine())
	if w == nil || w.current == nil {
		return nil
	}
	return w
}

// Current returns the task of this scheduler whose turn the calling goroutine runs, or nil. It
// costs as much as [Here]. Any goroutine.
func (s *Scheduler) Current() *Task {
	if w := Here(); w != nil && w.sched == s {
		return w.current
	}
	return nil
}

// Task returns the task whose turn the worker runs, or ran last. Owner only.
func (w *Worker) Task() *Task { return w.current }

const (
	leastStacks = 64 << 10 // bytes of all stacks that Stack looks at
	mostStacks  = 16 << 20
	oneStack    = 1 << 10 // bytes for one waiting goroutine; most need less

	mostGoroutines = 500 // with more, Stack returns nil
)

// Stack returns the stack of the worker's goroutine. It returns nil if the worker has no goroutine,
// or if finding the stack would delay other goroutines too long. Any goroutine.
//
// Go cannot print the stack of a single other goroutine. Stack stops the world while it writes the
// stacks of all, two microseconds each, so it returns nil if there are more than 500. Stopping the
// world waits until each running goroutine can be interrupted. With GODEBUG=asyncpreemptoff=1 Go
// does not interrupt loops, and the wait could last as long as the turn itself, so Stack returns
// nil there too.
func (w *Worker) Stack() []byte { return StackWith(text("sched.(*Worker).live(%p,", w)) }

// StackWith is [Worker.Stack] for the goroutine whose stack contains mark.
func StackWith(mark string) (one []byte) {
	stacks(func(all []byte) (enough bool) {
		one = stackIn(all, mark)
		return one != nil
	})
	return one
}

// Stacks returns the stacks of all goroutines, with an empty line between two, on the terms of
// [Worker.Stack].
func Stacks() (all []byte) {
	stacks(func(some []byte) bool {
		all = some
		return false
	})
	return all
}

// stacks calls look with the stacks of all goroutines, as many as there is room for, with more room
// each time until they are all there or look has seen enough.
func stacks(look func(some []byte) (enough bool)) {
	if runtime.NumGoroutine() > mostGoroutines || !interruptsLoops() {
		return
	}
	for size := max(leastStacks, runtime.NumGoroutine()*oneStack); ; size *= 4 {
		buf := make([]byte, min(size, mostStacks))
		n := runtime.Stack(buf, true)
		if look(buf[:n]) || n < len(buf) || n == mostStacks {
			return
		}
	}
}

// interruptsLoops reports whether Go can take the processor from a loop without calls. Go uses
// signals for that; some systems have none, and GODEBUG can switch them off.
var interruptsLoops = sync.OnceValue(func() bool {
	switch runtime.GOOS {
	case "js", "wasip1", "plan9":
		return false
	}
	return !preemptionOff(os.Getenv("GODEBUG"))
})

// preemptionOff reports whether a value of GODEBUG switches those signals off. Of several settings
// the last one counts.
func preemptionOff(debug string) (off bool) {
	for debug != "" {
		var one string
		if one, debug, _ = strings.Cut(debug, ","); len(one) > len(preemptOff) &&
			one[:len(preemptOff)] == preemptOff {
			off = one[len(preemptOff):] != "0"
		}
	}
	return off
}

const preemptOff = "asyncpreemptoff="

// stackIn cuts the goroutine whose stack contains mark out of the stacks of many. It goes by a mark
// because the goroutine's number is unknown: learning it at the start would cost more than all
// other work for one blocked turn.
func stackIn(stacks []byte, mark string) []byte {
	for rest := string(stacks); rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, "\n\n")
		if strings.Contains(one, mark) {
			return []byte(one + "\n")
		}
	}
	return nil
}
