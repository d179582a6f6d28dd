package explore

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/gallop-go/gallop/internal/seam"
)

// maxThreads is the maximum number of threads of a scenario: one letter each.
const maxThreads = len(letters)

// thread is a virtual thread: a coroutine that runs one body per schedule.
type thread struct {
	prog      *Program
	id        int
	goroutine uint64                  // the goroutine that runs the body; others are strangers
	resume    func() (struct{}, bool) // runs the coroutine until it yields
	stop      func()                  // ends the coroutine between two bodies
	yield     func(struct{}) bool     // returns to the goroutine that resumed the coroutine

	body      func()
	cond      func() bool // the condition it waits for; nil: none
	primed    bool        // has reached its first access
	done      bool
	swallowed int // unwinding panics that its code has recovered from
}

func newThread(p *Program, id int) *thread {
	t := &thread{prog: p, id: id}
	t.resume, t.stop = iter.Pull(t.loop)
	return t
}

// loop runs body after body until the coroutine is stopped.
func (t *thread) loop(yield func(struct{}) bool) {
	t.yield, t.goroutine = yield, seam.Goroutine()
	for more := true; more; more = yield(struct{}{}) {
		t.run()
	}
}

func (t *thread) run() {
	returned := false
	defer func() { t.finish(recover(), returned) }()
	t.body()
	returned = true
}

// errGoexit ends the exploration: iter.Pull makes the goroutine that resumed the coroutine call
// Goexit too.
var errGoexit = errors.New("a thread called runtime.Goexit (t.Fatal does): use Errorf or panic")

// finish records the end of a body, which has returned, panicked, called Goexit or was unwound.
func (t *thread) finish(v any, returned bool) {
	t.done = true
	t.prog.alive = t.prog.alive.without(t.id)
	t.prog.waiting = t.prog.waiting.without(t.id)
	switch {
	case returned, v == errUnwound:
	case v == nil:
		t.prog.fail(errGoexit)
	default:
		t.prog.fail(panicked("thread "+string(letters[t.id]), v))
	}
}

// panicError is a panic with its stack. The stack is not part of its text, so that the texts of a
// failure and its replay are equal.
type panicError struct {
	who   string
	value any
	stack []byte
}

func panicked(who string, v any) error { return &panicError{who, v, debug.Stack()} }

func (e *panicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.who, e.value) }

// spawn gives the body an idle coroutine, or a new one.
func (p *Program) spawn(body func(), daemon bool) {
	id := len(p.threads)
	if id == maxThreads {
		panic(fmt.Sprintf("gallop: explore: more than %d threads", maxThreads))
	}
	if id == len(p.idleThreads) {
		p.idleThreads = append(p.idleThreads, newThread(p, id))
	}
	t := p.idleThreads[id]
	p.threads = p.idleThreads[:id+1]
	t.body, t.cond, t.primed, t.done, t.swallowed = body, nil, false, false, 0
	p.alive |= one(id)
	if daemon {
		p.daemons |= one(id)
	}
	if p.current != nil {
		p.prime(t)
	}
}

// prime runs a new thread up to its first access.
func (p *Program) prime(t *thread) {
	if t.primed || t.done {
		return
	}
	outer := p.current
	p.resume(t)
	p.current = outer
}

// pause is called by a point of the running thread. It chooses the next thread, and gives way
// unless that is the running thread itself. Outside of threads it does nothing.
func (p *Program) pause(cond func() bool, spun bool) {
	t := p.current
	if t == nil {
		return
	}
	if p.unwinds {
		t.unwind()
	}
	t.wait(cond)
	p.places.note(t)
	if !p.goesOn(t, spun) {
		t.yield(struct{}{})
	}
	if p.unwinds {
		t.unwind()
	}
}

// goesOn decides the next step and reports whether t takes it.
func (p *Program) goesOn(t *thread, spun bool) bool {
	if !t.primed {
		t.primed = true
		return false
	}
	p.decide(t, spun)
	if p.chosen != t {
		return false
	}
	p.current = t
	return true
}

// wait sets the condition that the thread waits for; nil for none.
func (t *thread) wait(cond func() bool) {
	t.cond = cond
	if cond == nil {
		t.prog.waiting = t.prog.waiting.without(t.id)
	} else {
		t.prog.waiting |= one(t.id)
	}
}

// errUnwound is the panic that ends an abandoned thread.
var errUnwound = errors.New("gallop: explore: the schedule is over")

// maxSwallowed is the number of times that a thread may recover from errUnwound. Several functions
// of a stack may each recover once, but a loop would never end.
const maxSwallowed = 100

// unwind ends an abandoned thread by a panic. After maxSwallowed panics it leaves the thread where
// it is.
func (t *thread) unwind() {
	for t.swallowed++; t.swallowed > maxSwallowed; {
		t.yield(struct{}{})
	}
	panic(errUnwound)
}

// unwind ends the threads that have not ended with the schedule.
func (p *Program) unwind() {
	if p.alive == 0 {
		return
	}
	p.unwinds = true
	for _, t := range p.threads {
		if !t.done {
			p.retire(t)
		}
	}
	p.unwinds = false
}

// retire unwinds one thread. If the thread does not end, it is abandoned and replaced.
func (p *Program) retire(t *thread) {
	if p.resume(t); t.done {
		return
	}
	p.fail(fmt.Errorf("thread %c recovers from every panic and cannot be ended", letters[t.id]))
	p.idleThreads[t.id] = newThread(p, t.id)
}

// close ends the coroutines. It also runs during a Goexit, and then reports the failure to lost.
func (p *Program) close(lost func(*Failure)) {
	if p.failure == errGoexit {
		lost(&Failure{Err: errGoexit, Trace: encode(p.trace), name: p.cfg.Name})
	}
	p.current = nil
	p.unwind()
	for _, t := range p.idleThreads {
		t.stop()
	}
}
