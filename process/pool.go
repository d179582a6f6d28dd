package process

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// pool keeps coroutines that have no process.
type pool struct {
	mu     seam.QuickMutex
	free   []*coroutine // guarded by mu
	closed bool         // guarded by mu
}

const pooled = 1024 // of one shard, at most

// take returns a coroutine, or nil if there is none.
func (l *pool) take() *coroutine {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	c := l.free[n]
	l.free[n], l.free = nil, l.free[:n]
	return c
}

// put keeps a coroutine that has no process and is parked, or ends it.
func (s *System) put(c *coroutine, w *sched.Worker) {
	l := s.poolOf(w)
	l.mu.Lock()
	keep := !l.closed && len(l.free) < pooled
	if keep {
		l.free = append(l.free, c)
	}
	l.mu.Unlock()
	if !keep {
		s.endCoroutine(c)
	}
}

// close returns all coroutines of the pool, and has it keep none from now on.
func (l *pool) close() []*coroutine {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.free
	l.free, l.closed = nil, true
	return free
}
