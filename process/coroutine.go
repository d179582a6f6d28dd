package process

import (
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A process runs on a coroutine, which the worker switches to and back from: some 35 ns each way,
// without Go's scheduler. A coroutine outlives its process and runs another one. One whose process
// has left by Goexit is lost, and so is one that finds its pool full.

type coroutine struct {
	resume    func() (struct{}, bool)
	stop      func()
	yield     func(struct{}) bool
	goroutine uint64
	proc      *Proc // the one to run
}

func newCoroutine() *coroutine {
	c := &coroutine{}
	c.resume, c.stop = iter.Pull(c.loop)
	return c
}

// lost is the panic by which a coroutine says that a Goexit has ended it. Without it the Goexit
// would be handed on to the worker.
type lost struct{}

// loop runs process after process until the coroutine is stopped.
func (c *coroutine) loop(yield func(struct{}) bool) {
	c.yield, c.goroutine = yield, seam.Goroutine()
	stopped := false
	defer func() {
		if !stopped {
			panic(lost{})
		}
	}()
	for more := true; more; more = yield(struct{}{}) {
		c.one()
	}
	stopped = true
}

// one runs a process to its end.
func (c *coroutine) one() {
	p := c.proc
	p.arrive()
	returned := false
	defer func() {
		if !returned {
			p.crashed(recover())
		}
		p.left = leftEnd
	}()
	p.run.main()
	returned = true
}

// crashed notes how a process ended that did not return. value is nil for a Goexit.
func (p *Proc) crashed(value any) {
	switch {
	case value != nil:
		p.reason = &sched.Crash{Value: value, Stack: debug.Stack()}
	case !p.exiting:
		p.reason = &sched.Crash{Goexit: true}
	}
}

// switchTo resumes the process of the coroutine, and reports whether the coroutine is of use
// afterwards. The worker's side.
func (c *coroutine) switchTo() (kept bool) {
	defer func() {
		if !kept {
			if v := recover(); v != (lost{}) {
				panic(fmt.Sprint("gallop: invariant: a coroutine has failed: ", v))
			}
		}
	}()
	c.resume()
	return true
}

// pool keeps coroutines that have no process.
type pool struct {
	mu     seam.QuickMutex
	free   []*coroutine // guarded by mu
	closed bool         // guarded by mu
}

const pooled = 1024 // of one shard, at most

func (l *pool) take() *coroutine {
	l.mu.Lock()
	if n := len(l.free) - 1; n >= 0 {
		c := l.free[n]
		l.free[n], l.free = nil, l.free[:n]
		l.mu.Unlock()
		return c
	}
	l.mu.Unlock()
	return newCoroutine()
}

// put takes a coroutine back, or stops it.
func (l *pool) put(c *coroutine) {
	c.proc = nil
	l.mu.Lock()
	keep := !l.closed && len(l.free) < pooled
	if keep {
		l.free = append(l.free, c)
	}
	l.mu.Unlock()
	if !keep {
		c.stop()
	}
}

// close stops all coroutines of the pool.
func (l *pool) close() {
	l.mu.Lock()
	l.closed = true
	free := l.free
	l.free = nil
	l.mu.Unlock()
	for _, c := range free {
		c.stop()
	}
}
