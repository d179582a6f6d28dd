package sched

import (
	"runtime"
	"sync"
)

// stackHead has room for the beginning of a stack trace: "goroutine 123 [".
type stackHead [32]byte

var stackHeads = sync.Pool{New: func() any { return new(stackHead) }}

// goid returns the number of the calling goroutine, which Go tells only in stack
// traces. About a microsecond: for slow paths that guard against deadlock.
func goid() (id uint64) {
	buf := stackHeads.Get().(*stackHead) // one of our own would be allocated every time
	defer stackHeads.Put(buf)
	n := runtime.Stack(buf[:], false)
	for _, b := range buf[len("goroutine "):n] {
		if b < '0' || b > '9' {
			break
		}
		id = 10*id + uint64(b-'0')
	}
	return id
}

// Current returns the task whose turn the calling goroutine runs, or nil. Any
// goroutine; about a microsecond.
func (s *Scheduler) Current() *Task {
	id := goid()
	for _, w := range s.Crew() {
		if w.goid.Load() == id {
			return w.current
		}
	}
	return nil
}
