package sched

import (
	"runtime"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/stacktext"
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
			w.goroutine.StoreRelease(0) // Go may use its record for another
			w.launch(anew)
		}
	}()
	w.goroutine.StoreRelease(seam.Goroutine())
	for serve() {
		w.crashed = false
	}
	left = true // and w may be another goroutine's already: see spares.shelve
	runtime.KeepAlive(w)
}

// Current returns the task whose turn the calling goroutine runs, or nil. It costs a
// load for each worker that there is or has been, and two locks. Any goroutine.
func (s *Scheduler) Current() *Task {
	id := seam.Goroutine()
	for _, some := range [...][]*Worker{s.workers, s.spares.everyone()} {
		for _, w := range some {
			if w.goroutine.Load() == id {
				return w.current
			}
		}
	}
	for _, p := range s.pins.all() {
		if p.w.goroutine.Load() == id {
			return p.w.current
		}
	}
	return nil
}

const (
	leastStacks = 64 << 10 // bytes of all stacks that Stack looks at
	mostStacks  = 16 << 20
	oneStack    = 1 << 10 // of a goroutine that waits, and more than most
)

// Stack returns the stack of the worker's goroutine, or nil if it has none. Any
// goroutine.
//
// Stack stops the world for as long as it takes to write the stacks of all goroutines,
// some microseconds each. It sees at most 16 megabytes of them: beside some ten
// thousand goroutines it may find nothing and return nil.
func (w *Worker) Stack() []byte {
	for size := max(leastStacks, runtime.NumGoroutine()*oneStack); ; size *= 4 {
		buf := make([]byte, min(size, mostStacks))
		n := runtime.Stack(buf, true)
		if one := w.stackIn(buf[:n]); one != nil || n < len(buf) || n == mostStacks {
			return one
		}
	}
}

// stackIn cuts the worker's goroutine out of the stacks of many. Its number is not known:
// to learn it when it begins would cost more than all else that a spare worker does.
func (w *Worker) stackIn(stacks []byte) []byte {
	mark := text("sched.(*Worker).live(%p,", w)
	for rest := string(stacks); rest != ""; {
		var one string
		one, rest = stacktext.Cut(rest, "\n\n")
		if stacktext.Index(one, mark) >= 0 {
			return []byte(one + "\n")
		}
	}
	return nil
}
