package sched

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The deterministic mode: the same workers, queues and protocols, one step at a time.
//
// Every worker keeps its goroutine and its loop, but only the holder of the baton runs. The baton
// is passed on at points: before a message is sent, after one has run, and where a worker would
// park. Turns.Choose selects the next holder among the threads that can go on. A goroutine from
// outside that waits for the scheduler takes part as one more thread; while no goroutine waits,
// none runs. So nothing depends on Go's scheduler, and the choices alone are the schedule.
//
// Rejected: a driver that calls workers step by step. The loop would be split into
// steps, a turn could not be left in its middle, and a behaviour that waits for a reply
// would stop the whole run.
//
// The monitor and the governor are off: they go by the machine's time. Hand-over is on. A worker
// that declares a blocking turn leaves its slot as usual. A turn that waits is long if no other
// thread can go on: then, and before time passes, its worker loses its slot to an idle worker if
// work waits (deterministic_handover.go). A turn that blocks for something outside blocks all; the
// watchdog names it.
//
// Everything here is reached through Driver, an interface that production leaves nil, so that
// a program without deterministic runs does not link it.

// Driver makes a scheduler deterministic: threads take turns, and a function selects the next one.
// Each scheduler needs a driver of its own, from [NewDriver].
type Driver interface {
	bind(s *Scheduler)
	start(t *thread, f func())
	park(t *thread)
	grant(t *thread)
	point(t *thread)
	pointAnywhere()
	follow(from uint64)
	waitAnywhere(ctx context.Context, done func() bool) bool
	runDry(ctx context.Context) error
	nudge()
	lag(t *thread)
	lend(n int)
	callsOfStrangers() int
	end(over func() bool, finish func())
	finish()
	untilClosed(c <-chan struct{})
}

// Turns are the functions of a Driver.
type Turns struct {
	// Choose selects the thread that goes on. ready has the numbers of two or more threads, in
	// ascending order. current is the thread among them that would go on by itself, or -1. Choose
	// must not block.
	Choose func(ready []int, current int) int
	// Idle is called when no thread can go on, and reports whether it has made work. It may be
	// nil.
	Idle func() bool
	// Doing names the turn that runs, for the report on a turn that blocks. Any goroutine.
	// It may be nil.
	Doing func() string
	// Stuck is called in the goroutine that made the driver, when that waits for the
	// scheduler, with a context that has neither ended nor a deadline, and nothing can
	// happen any more. If it returns, or is nil, the goroutine goes on waiting, since
	// a goroutine outside might help.
	Stuck func()
	// Ends is called with the context of a goroutine from outside that waits for the scheduler,
	// when nothing can happen any more, ahead of Stuck. It reports whether it has ended the
	// context, or one that this was derived from. It may be nil.
	Ends func(ctx context.Context) bool
	// Of is the value that RunOf returns for the run's own goroutines.
	Of any
}

// thread is a goroutine that takes its turns in a deterministic run.
//
//	RUNNABLE ──baton──▶ has it ──point──▶ RUNNABLE
//	   ▲                  └────wait─────▶ WAITING for a token, or until a condition holds
//	   └──────────────────────────────────────┘
type thread struct {
	id    int
	baton chan struct{}

	// Guarded by the driver's mu.
	goroutine uint64
	waiting   bool
	token     bool
	last      bool        // it goes on when no other thread can
	until     func() bool // nil: waits for the token
	passed    int         // how often others were preferred in a row
}

// canGo reports whether the thread could go on. Caller holds mu.
func (t *thread) canGo() bool {
	return !t.waiting || t.token || t.until != nil && t.until()
}

// driver passes the baton on.
type driver struct {
	cfg     Turns
	s       *Scheduler
	creator uint64        // the goroutine that made the scheduler
	stuck   time.Duration // stuckAfter, but in tests

	outer chan struct{} // filled by the goroutine from outside that takes part
	out   *thread       // stands for it

	mu      sync.Mutex
	threads []*thread // guarded by mu: in the order of their making
	made    int       // guarded by mu
	ready   []int     // owned by the thread that has the baton
	// Calls from goroutines outside of the run. Guarded by mu.
	strangers int
	// Goroutines for which a thread waits. Guarded by mu.
	lent int

	nudged chan struct{} // something became runnable; has room for one
	steps  seam.Uint64
	others seam.Int32 // threads besides out

	ending    seam.Bool // the scheduler stops
	abandoned seam.Bool // and no thread can go on: waits are given up
}

const (
	fair = 10_000 // how often a thread is passed over in a row, at most
	// How much of the machine's time passes until a turn that blocks is reported.
	stuckAfter = 10 * time.Second
	mindCaller = 4096 // steps between two looks at the caller's context
	// The interval at which a goroutine that waits outside the run looks for unsignalled events.
	lookOutside = 2 * time.Millisecond
)

// NewDriver returns a driver for one scheduler. It panics if t.Choose is nil.
func NewDriver(t Turns) Driver {
	if t.Choose == nil {
		panic("gallop: sched: NewDriver: Choose is nil")
	}
	d := &driver{cfg: t, creator: seam.Goroutine(), stuck: stuckAfter, outer: make(chan struct{}, 1),
		nudged: make(chan struct{}, 1)}
	d.out = d.add(&thread{waiting: true})
	return d
}

func (d *driver) bind(s *Scheduler) { d.s = s }

// add makes a thread take part in the run.
func (d *driver) add(t *thread) *thread {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.id, t.baton = d.made, make(chan struct{}, 1)
	d.made++
	d.threads = append(d.threads, t)
	return t
}

// start runs f in a goroutine that takes part as t, when t can go on.
func (d *driver) start(t *thread, f func()) {
	d.others.Add(1)
	d.add(t)
	go func() {
		defer d.exit(t) // also if f ends by a Goexit
		<-t.baton
		d.mu.Lock()
		t.goroutine = seam.Goroutine()
		d.mu.Unlock()
		parts.Store(t.goroutine, part{d, t})
		defer parts.Delete(t.goroutine)
		f()
	}()
	d.nudge()
}

// exit ends a thread that has the baton.
func (d *driver) exit(t *thread) {
	d.mu.Lock()
	for i, o := range d.threads {
		if o == t {
			d.threads = append(d.threads[:i:i], d.threads[i+1:]...)
			break
		}
	}
	d.mu.Unlock()
	d.others.Add(-1)
	d.pass(d.pick(nil))
}

// pass gives the baton to a thread, or to the outside if there is none.
func (d *driver) pass(t *thread) {
	if t == nil {
		t = d.out
	}
	if invariant.On {
		verifyBaton(t)
	}
	t.baton <- struct{}{}
}

// point lets others run, if they are chosen. The caller has the baton.
func (d *driver) point(t *thread) {
	if invariant.On {
		verifyNoLock()
	}
	if next := d.pick(t); next != t {
		d.pass(next)
		d.await(t)
	}
}

// wait gives the baton away until the thread is granted a token, or until holds.
func (d *driver) wait(t *thread, until func() bool) {
	if invariant.On {
		verifyNoLock()
	}
	d.mu.Lock()
	t.waiting, t.until = true, until
	d.mu.Unlock()
	if next := d.pick(t); next != t {
		d.pass(next)
		d.await(t)
	}
}

// await waits for the baton. The goroutine from outside keeps an eye on the others. It looks ten
// times: if the process was halted meanwhile, the ticker tells of that once.
func (d *driver) await(t *thread) {
	if t != d.out {
		<-t.baton
		return
	}
	const looks = 10
	alarm := time.NewTicker(d.stuck / looks)
	defer alarm.Stop()
	last := d.steps.Load()
	for unchanged := 1; ; unchanged++ {
		select {
		case <-t.baton:
			return
		case <-alarm.C:
		}
		if now := d.steps.Load(); now != last {
			last, unchanged = now, 0
		}
		if unchanged == looks {
			panic("gallop: deterministic: " + d.doing() + " has run for 10 s, and nobody else can " +
				"meanwhile: does it wait for something outside?")
		}
	}
}

func (d *driver) doing() string {
	if d.cfg.Doing == nil {
		return "a turn"
	}
	return d.cfg.Doing()
}

// pick chooses the thread that runs next, or returns nil if none can. from is the caller's thread,
// which has the baton, or nil.
func (d *driver) pick(from *thread) *thread {
	for {
		if t := d.pickNow(from); t != nil {
			return t
		}
		if !d.idle() {
			return nil
		}
	}
}

// idle makes work when no thread can go on, in this order: tasks that wait for waiting turns go
// elsewhere; threads that hold themselves back go on; idle workers stand in for workers; time
// passes. idle reports whether it has made any.
func (d *driver) idle() bool {
	return d.s.freeWaiting() || d.endLag() || d.s.retakeWaiting() || d.cfg.Idle != nil && d.cfg.Idle()
}

// endLag lets the first thread that holds itself back go on.
func (d *driver) endLag() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.threads {
		if t.last {
			t.goOn()
			return true
		}
	}
	return false
}

// lag waits until no other thread can go on. The caller has the baton.
func (d *driver) lag(t *thread) {
	d.mu.Lock()
	t.last = true
	d.mu.Unlock()
	d.wait(t, nil)
}

func (d *driver) pickNow(from *thread) *thread {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps.Add(1)
	d.ready = d.ready[:0]
	current := -1
	var starved *thread
	for _, t := range d.threads {
		if !t.canGo() {
			continue
		}
		d.ready = append(d.ready, t.id)
		if t == from {
			current = t.id
		}
		if t.passed++; t.passed > fair && starved == nil {
			starved = t
		}
	}
	if invariant.On {
		verifyReady(d)
	}
	return d.choose(current, starved)
}

// choose asks for one of the threads that are ready, unless one has waited for long. Caller holds
// mu.
func (d *driver) choose(current int, starved *thread) *thread {
	switch {
	case len(d.ready) == 0:
		return nil
	case starved != nil:
		return starved.goOn()
	case len(d.ready) == 1:
		return d.byID(d.ready[0]).goOn()
	}
	id := d.cfg.Choose(d.ready, current)
	t := d.byID(id)
	if t == nil || !t.canGo() {
		panic(fmt.Sprintf("gallop: sched: Choose: thread %d cannot go on", id))
	}
	return t.goOn()
}

// goOn takes the thread out of its wait.
func (t *thread) goOn() *thread {
	t.waiting, t.token, t.last, t.until, t.passed = false, false, false, nil, 0
	return t
}

func (d *driver) byID(id int) *thread {
	for _, t := range d.threads {
		if t.id == id {
			return t
		}
	}
	return nil
}

// grant gives a token to a thread that waits for one, or will.
func (d *driver) grant(t *thread) {
	d.mu.Lock()
	if t.token {
		d.mu.Unlock()
		panic("gallop: invariant: second wake token for one sleeper")
	}
	t.token = true
	d.mu.Unlock()
	d.nudge()
}

// park takes a token, and waits for one if it must.
func (d *driver) park(t *thread) {
	d.mu.Lock()
	had := t.token
	t.token = false
	d.mu.Unlock()
	if !had {
		d.wait(t, nil)
	}
}

func (d *driver) nudge() {
	select {
	case d.nudged <- struct{}{}:
	default:
	}
}
