package process

import (
	"iter"
	"runtime/debug"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A process runs on a coroutine: a goroutine to which another switches in some 30 ns, without Go's
// scheduler. A coroutine outlives its process and runs another one. It is lost if its process left
// by Goexit, or if its pool is full.
//
// [iter.Pull] makes a coroutine and a cell. A cell holds one parked goroutine. The goroutine that
// owns the cell may change places with it. So a waiting process need not return to its worker's
// goroutine. It changes places with the next process, and hands over the cell with the worker's
// goroutine in it. That is one switch instead of two.
//
//	              W          A          B
//	A runs        in cell a  runs       in cell b
//	A waits       in cell a  in cell b  runs, with cell a
//	B waits       runs       in cell b  in cell a
//
// A coroutine can end only through its own cell, with which it was made. The goroutine in that cell
// goes on. retire.go explains how the worker's goroutine gets there.
type coroutine struct {
	own       cell
	goroutine uint64

	// Owned by the goroutine of the coroutine while it runs, and while it is parked by the
	// goroutine that resumes it.
	at     *cell      // where it is parked, or its worker's goroutine is
	proc   *Proc      // the process to run
	behind *coroutine // the coroutine with which it has changed places
	move   *cell      // where it must move at once
	quit   bool       // it must end
}

// cell is a place for one parked goroutine.
type cell struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	turned bool       // yield is next
	from   *coroutine // the coroutine that gave the worker back
	then   *Proc      // the process that the worker runs next; nil: the worker looks for work

	// Guarded by System.retiring.
	claimant *coroutine // the coroutine that waits for this cell, its own
	retired  *coroutine // the retired coroutine that waits in this cell
}

func newCoroutine() *coroutine {
	c := &coroutine{}
	c.at = &c.own
	c.own.resume, _ = iter.Pull(c.loop)
	return c
}

// swap changes places with the goroutine in the cell. It returns when another has changed places
// with this one, perhaps in another worker.
func (c *cell) swap() {
	c.turned = !c.turned
	if c.turned {
		c.resume()
	} else {
		c.yield(struct{}{})
	}
	seam.Arrived()
}

// lost is the panic by which a coroutine ends after a Goexit. Without it the Goexit would be handed
// on to the worker.
type lost struct{}

// loop runs process after process until the coroutine is to end.
func (c *coroutine) loop(yield func(struct{}) bool) {
	seam.Arrived()
	c.own.yield, c.goroutine = yield, seam.Goroutine()
	byGoroutine.set(c.goroutine, c)
	defer func() {
		byGoroutine.set(c.goroutine, nil)
		if !c.quit { // a Goexit
			c.quit = true
			c.switchToWorker()
			panic(lost{})
		}
	}()
	for c.arrive(); !c.quit; {
		c.one()
		c.next()
	}
}

// one runs a process to its end.
func (c *coroutine) one() {
	p := c.proc
	p.goroutine.StoreRelease(c.goroutine)
	guard.Unlabel()
	returned := false
	defer func() {
		if !returned {
			p.crashed(recover())
		}
		p.endsUnlocked()
		if p.crash {
			p.reportCrash(p.reason.(*sched.Crash))
		}
		p.left = leftEnd
	}()
	p.run.main()
	returned = true
}

// endsUnlocked unlocks the thread of a process that ends and has left it locked: the coroutine could
// not be switched from.
func (p *Proc) endsUnlocked() {
	if seam.ThreadLocked(p.goroutine.Load()) && seam.UnlockThread() && p.reason == nil {
		p.reason, p.crash = &sched.Crash{Value: "gallop: process: its end with its thread locked " +
			"(runtime.LockOSThread)"}, true
	}
}

// crashed notes how a process ended that did not return. value is nil for a Goexit.
func (p *Proc) crashed(value any) {
	switch {
	case value != nil:
		p.reason, p.crash = &sched.Crash{Value: value, Stack: debug.Stack()}, true
	case !p.exiting:
		p.reason, p.crash = &sched.Crash{Goexit: true}, true
	}
}

// next ends the process of the coroutine, and returns when there is another.
func (c *coroutine) next() {
	p := c.proc
	w := p.w
	if w == nil || p.life.Load() != nil || p.sys.hearsOfDead() {
		c.switchToWorker() // which calls code of the user's
		return
	}
	c.proc = nil
	p.end(w)
	q := p.sys.nextProc(w)
	switch {
	case q == nil:
		c.switchToWorker()
	case q.co == nil:
		q.begin(c, w)
	default:
		c.switchTo(q, w)
	}
}

// switchToWorker gives the worker back, and returns when the coroutine is resumed.
func (c *coroutine) switchToWorker() {
	at := c.at
	at.from = c
	at.swap()
	c.arrive()
}

// switchTo runs q in place of this coroutine's process, which has been given up, or has ended. It
// returns when the coroutine is resumed.
func (c *coroutine) switchTo(q *Proc, w *sched.Worker) {
	if !q.tryReady(w) {
		c.at.then = q
		c.switchToWorker()
		return
	}
	next := q.co
	next.behind = c
	at := next.at
	next.at, c.at = c.at, at
	at.swap()
	c.arrive()
}

// arrive completes a switch in the resumed coroutine.
func (c *coroutine) arrive() {
	for c.move != nil {
		at := c.move
		c.move = nil
		at.swap()
	}
	if b := c.behind; b != nil {
		c.behind = nil
		b.parked(c.proc)
	}
	c.followed()
}

// parked notes that c is parked: it can be resumed elsewhere, or run another process. by is the
// process that runs now.
func (c *coroutine) parked(by *Proc) {
	if c.proc != nil {
		if invariant.On {
			verifyOut(c.proc)
		}
		c.proc.out.StoreRelease(1) // pairs with the load in tryReady
	} else {
		by.sys.put(c, by.w)
	}
}

// verifyOut checks a process that is about to be said to be out of its coroutine: that is said once
// for each time that it was resumed.
func verifyOut(p *Proc) {
	invariant.Check(seam.Peek(&p.out) == 0, "process %d is out of its coroutine twice", p.id)
}
