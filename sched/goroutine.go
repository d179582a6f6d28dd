package sched

import (
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/seam"
)

// live serves as the worker's goroutine for as long as there is more to do. Stack looks for this
// function with this worker in the stacks of all goroutines, so it is not inlined and keeps its
// argument. A Goexit costs the goroutine; then another takes over, which begins with anew.
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

// byGoroutine has the workers of all schedulers of the process, so that a call that may not be made
// in a turn can tell whatever the scheduler, and needs none to ask.
var byGoroutine goroutines

// goroutines finds the worker of a goroutine. It is a map in shards, each with a lock of its own.
// Rejected: looking at every worker, which makes each call that asks cost in proportion to the
// turns that block, and there may be a hundred thousand of those. The locks are not interleaving
// points, because nothing else happens under them.
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

// notHere ends that. The caller is the worker's goroutine, which is about to end.
func (w *Worker) notHere() {
	byGoroutine.set(w.goroutine, nil)
	w.goroutine = 0
}

// Here returns the worker, of any scheduler, whose turn the calling goroutine runs, or nil. It
// costs a lock and a look into a map, however many workers there are. Any goroutine.
func Here() *Worker {
	w := byGoroutine.of(seam.Goroutine())
	if w == nil || w.current == nil {
		return nil
	}
	return w
}

// Current returns the task of this scheduler whose turn the calling goroutine runs, or nil. It
// costs what [Here] costs. Any goroutine.
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
	oneStack    = 1 << 10 // of a goroutine that waits, and more than most

	mostGoroutines = 500 // beside which Stack looks for one
)

// Stack returns the stack of the worker's goroutine, or nil if it has none, or if it
// would cost others too much to find out. Any goroutine.
//
// Go has no way to see the stack of one other goroutine. Stack stops the world for as
// long as it takes to write those of all, two microseconds each, and so returns nil if
// there are more than 500. To stop the world means to wait until each goroutine that
// runs can be interrupted. Where Go interrupts no loops, with GODEBUG=asyncpreemptoff=1,
// that could take as long as the turn that is looked at, so Stack returns nil there.
func (w *Worker) Stack() []byte { return StackWith(text("sched.(*Worker).live(%p,", w)) }

// StackWith is [Worker.Stack] for the goroutine whose stack has the mark in it.
func StackWith(mark string) []byte {
	if runtime.NumGoroutine() > mostGoroutines || !interruptsLoops() {
		return nil
	}
	for size := max(leastStacks, runtime.NumGoroutine()*oneStack); ; size *= 4 {
		buf := make([]byte, min(size, mostStacks))
		n := runtime.Stack(buf, true)
		if one := stackIn(buf[:n], mark); one != nil || n < len(buf) || n == mostStacks {
			return one
		}
	}
}

// interruptsLoops reports whether Go takes a processor from a loop that makes no calls. It does so
// by signals, which some systems do not have, and which can be switched off.
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

// stackIn cuts the goroutine with a mark out of the stacks of many. Its number is not known:
// to learn it when it begins would cost more than all else that a worker for one blocked turn does.
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
