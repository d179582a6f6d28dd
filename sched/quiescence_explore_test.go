//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// box is the smallest actor: a count of messages whose first one makes it runnable.
type box struct {
	Task
	h         *house
	waiting   seam.Int32
	ran       int // messages; owner only
	discarded int
}

func (h *house) box() *box {
	b := &box{h: h}
	b.Init(b, nil)
	return b
}

// RunTask implements Runner.
func (b *box) RunTask(w *Worker) bool {
	n := b.waiting.Load()
	b.ran += int(n)
	w.PrepareNext()
	return b.waiting.Add(-n) != 0
}

// TaskTerminated implements Runner.
func (b *box) TaskTerminated(*Worker, error) { b.discarded += int(b.waiting.Swap(-100)) }

// send is how the layer above sends from outside; it reports false when the
// scheduler has ended.
func (b *box) send() bool {
	a, ok := b.h.s.Admit()
	if !ok {
		return false
	}
	if b.waiting.Add(1) == 1 {
		a.Inject(&b.Task)
	} else {
		a.Leave()
	}
	return true
}

// TestQuietNotBeforeTheOtherTask has the gap that admission.go describes: sender 1 has to schedule
// the actor and is delayed. Sender 2 leaves a message there and waits. That message has run when
// sender 2 sees quiescence, and at least one of the senders sees it.
//
// Mutants tried by hand: an admission that only looks, an Inject after the
// Release, a check that does not freeze, holds read before the freeze.
func TestQuietNotBeforeTheOtherTask(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, func(p *explore.Program) {
				h := newHouse(p, workers, p.Daemon)
				b := h.box()
				sent := 0
				p.Go(func() { b.send(); sent++ })
				p.Go(func() {
					b.send()
					sent++
					before := sent
					h.waitQuiet(false)
					if b.ran < before {
						p.Errorf("quiet after %d of %d messages", b.ran, before)
					}
				})
				p.After(func() error {
					if b.ran != 2 {
						return fmt.Errorf("%d of 2 messages ran", b.ran)
					}
					return h.asleep()
				})
			})
		})
	}
}

// TestQuietEndsSending: a goroutine waits to end the scheduler while two send. Admitted
// tasks have run by then, and others are refused. No task is lost.
func TestQuietEndsSending(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, func(p *explore.Program) {
				h := newHouse(p, workers, p.Daemon)
				b := h.box()
				sent := 0
				for range 2 {
					p.Go(func() {
						if b.send() {
							sent++
						}
					})
				}
				p.Go(func() {
					h.waitQuiet(true)
					if h.s.Hold() {
						p.Errorf("held after the end")
					}
				})
				p.After(func() error {
					if b.ran != sent {
						return fmt.Errorf("%d messages ran, %d were sent", b.ran, sent)
					}
					return h.asleep()
				})
			})
		})
	}
}

// TestQuietInjectAtTheEnd: an Inject that no admission covers races with the end:
// the task runs or dies, once.
func TestQuietInjectAtTheEnd(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Daemon)
		for _, name := range []string{"A", "B"} {
			j := h.job(name, nil)
			p.Go(func() { h.s.Inject(&j.Task) })
		}
		p.Go(func() { h.waitQuiet(true) })
		p.After(h.allEnded)
	})
}

// twoHold makes two hold and release, one of which injects a task before. It returns how many still
// hold.
func (h *house) twoHold(p *explore.Program, task *job) *int {
	held := new(int)
	for i := range 2 {
		h.s.Hold()
		*held++
		p.Go(func() {
			if i == 0 {
				h.s.Inject(&task.Task)
			}
			p.Point()
			*held--
			h.s.Release()
		})
	}
	return held
}

// TestQuietWaitsForHolds: quiet is not seen while anything holds, and is seen when
// the last has released: "never early, never late".
func TestQuietWaitsForHolds(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		j := h.job("A", nil)
		held := h.twoHold(p, j)
		for range 2 {
			p.Go(func() {
				h.waitQuiet(false)
				if *held > 0 || j.ran == 0 {
					p.Errorf("quiet with %d holds and A run %d times", *held, j.ran)
				}
			})
		}
		p.After(h.allRan)
	})
}

// TestParkedWaitsForHolds: while a task is parked, WaitParked returns when all other holds are
// released, and not before. WaitQuiet returns only after the parked task has released its hold too.
func TestParkedWaitsForHolds(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		j := h.job("A", nil)
		parked := true
		h.s.HoldParked()
		held := h.twoHold(p, j)
		p.Go(func() {
			h.waitParked()
			if *held > 0 || j.ran == 0 {
				p.Errorf("still with %d holds and A run %d times", *held, j.ran)
			}
			parked = false
			h.s.ReleaseParked()
		})
		p.Go(func() {
			h.waitQuiet(false)
			if parked || *held > 0 || j.ran == 0 {
				p.Errorf("quiet with %d holds, one parked: %v, and A run %d times", *held, parked, j.ran)
			}
		})
		p.After(h.allRan)
	})
}

// TestQuietSeesLocalWork: a waiter does not see quiet between the turns of tasks
// that make each other runnable, wherever they are queued.
func TestQuietSeesLocalWork(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		var a, b, c *job
		a = h.job("A", func(w *Worker) { w.Schedule(&b.Task); w.Schedule(&c.Task) })
		b, c = h.job("B", nil), h.job("C", nil)
		p.Go(func() {
			h.s.Inject(&a.Task)
			h.waitQuiet(false)
			if err := h.allRan(); err != nil && a.ran+b.ran+c.ran < 3 {
				p.Errorf("%v", err)
			}
		})
		p.After(h.allRan)
	})
}

// stuck is a task that leaves another in its next-slot and goes on for a while,
// under a monitor that looks so often.
func stuck(workers, looks int, then func(h *house)) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		var b *job
		a := h.job("A", func(w *Worker) {
			w.Schedule(&b.Task)
			p.Point()
			p.Point()
		})
		b = h.job("B", nil)
		h.s.monitor.ended = false
		p.Go(func() {
			for range looks {
				h.s.monitor.mu.Lock()
				h.s.monitor.freeStranded()
				h.s.monitor.mu.Unlock()
			}
		})
		p.Go(func() {
			h.s.Inject(&a.Task)
			then(h)
		})
		p.After(h.allRan)
	}
}

// TestBug_K39_RevokedTaskIsSeen: the monitor takes a task out of a next-slot; while
// it is in the monitor's hand the scheduler is not quiescent, although every
// worker may sleep.
func TestBug_K39_RevokedTaskIsSeen(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, stuck(workers, 3, func(h *house) {
				h.waitQuiet(false)
				for _, j := range h.jobs {
					if j.ran != 1 {
						h.p.Errorf("quiet before %s ran", j.name)
					}
				}
			}))
		})
	}
}

// TestBug_K10_StrandedTaskMovesOn: the turn of A waits for B, which is in the
// next-slot of its own worker: the monitor frees it and another worker runs it.
func TestBug_K10_StrandedTaskMovesOn(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		var b *job
		a := h.job("A", func(w *Worker) {
			w.Schedule(&b.Task)
			p.Await(func() bool { return b.ran == 1 })
		})
		b = h.job("B", nil)
		p.Go(func() { h.s.Inject(&a.Task) })
		p.Go(func() {
			for a.ran == 0 || b.ran == 0 {
				h.s.monitor.freeStranded()
				p.Spin()
			}
		})
		p.After(h.allRan)
	})
}

// TestBug_K7_StopWhileTheEndIsNear: Stop against a waiter for the end. A worker
// that announced after Stop had looked at it used to find the scheduler closed
// and to wait for a token that was not owed: Stop never ended.
func TestBug_K7_StopWhileTheEndIsNear(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, func(p *explore.Program) {
				h := newHouse(p, workers, p.Go)
				j := h.job("A", nil)
				p.Go(func() {
					h.s.Inject(&j.Task)
					h.waitQuiet(true)
				})
				p.Go(h.stop)
				p.After(h.allEnded)
			})
		})
	}
}

// TestBug_K40_WaitAfterTheEnd: a goroutine that began to wait after the scheduler was quiescent for
// good used to wait until the scheduler was stopped.
func TestBug_K40_WaitAfterTheEnd(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Daemon)
		for range 2 {
			p.Go(func() {
				if err := h.waitQuiet(true); err != nil {
					p.Errorf("%v", err)
				}
			})
		}
	})
}

// TestBug_K49_DiscardUnderTheLock: a task that dies may release a hold or wait; the
// scheduler must not have its own lock in hand then.
func TestBug_K49_DiscardUnderTheLock(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Go)
		d := &dying{h: h}
		d.Init(d, nil)
		p.Go(func() {
			if h.s.Hold() {
				h.s.Inject(&d.Task)
				h.s.Release()
			}
		})
		p.Go(func() { h.waitQuiet(false) })
		p.Go(h.stop)
	})
}

// dying is a task whose discard takes part in the protocol.
type dying struct {
	Task
	h       *house
	givenUp seam.Uint32
}

// RunTask implements Runner.
func (d *dying) RunTask(w *Worker) bool {
	w.PrepareNext()
	d.givenUp.Add(1)
	return false
}

// TaskTerminated implements Runner.
func (d *dying) TaskTerminated(*Worker, error) {
	d.h.s.quiet.mu.Lock() // as Release and WaitQuiet do
	//lint:ignore SA2001 the lock was let go by now
	d.h.s.quiet.mu.Unlock()
}
