//go:build gallop_explore

package mpsc

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// systemQueueWorld is an actor's system queue beside its mailbox and its count under exploration:
// senders of signals and of mail, one goroutine that unblocks, and workers that take the actor over
// from each other. The steps S1 to S3, A1 and A2 are those of [SystemQueue]. An access to plain
// memory is part of a step.
type systemQueueWorld struct {
	p     *explore.Program
	box   Mailbox
	in    Inbox
	queue SystemQueue
	count backpressure.BlockedOn

	queued, running  int
	owing            bool // the actor is blocked, and unblock may follow
	muteAt, closeAt  int  // it blocks after so much mail, ends after so many signals
	sent, mail       int
	served, refused  int
	parked, boxEnded bool
}

func (w *systemQueueWorld) schedule() {
	if w.queued++; w.queued+w.running > 1 {
		w.p.Errorf("the actor has %d owners", w.queued+w.running)
	}
}

// tell is pushSystem in a behaviour.
func (w *systemQueueWorld) tell(n uint64) {
	if !w.queue.Push(numbered(n)) { // S1
		w.refused++
		return
	}
	if w.count.Wake() { // S2
		w.schedule()
		return
	}
	if w.box.Push(numbered(1000)) == PushWoke { // S3
		w.schedule()
	}
}

func (w *systemQueueWorld) send(n uint64) {
	if w.box.Push(numbered(n)) == PushWoke {
		w.schedule()
	}
}

func (w *systemQueueWorld) unblock() {
	w.p.Await(func() bool { return w.owing })
	if w.count.Unblock() {
		w.schedule()
	}
}

func (w *systemQueueWorld) work() {
	for {
		w.p.Await(func() bool { return w.queued > 0 })
		w.queued--
		w.running++
		if w.turn() {
			w.running--
			w.schedule()
		}
	}
}

// turn is RunTask, as far as it concerns the system queue. It gives the actor up in the
// step that makes it idle, parks it or ends it.
func (w *systemQueueWorld) turn() (again bool) {
	if w.in.pending == nil {
		if _, ok := w.box.Drain(&w.in); !ok && w.queue.IsEmpty() {
			return w.goIdle()
		}
	}
	for w.queue.IsEmpty() {
		m := w.in.pending
		w.in.pending = m.Next
		if numberOf(m) < 1000 {
			w.mail++
		}
		if w.mail == w.muteAt && !w.owing {
			w.count.Block()
			w.owing = true
			w.parked = true
			return w.park()
		}
		if w.in.pending == nil {
			return w.goIdle()
		}
	}
	return w.serve()
}

func (w *systemQueueWorld) serve() (again bool) {
	for m := w.queue.Take(); m != nil; m = m.Next {
		w.served++
	}
	if w.closeAt > 0 && w.served >= w.closeAt {
		w.running--
		w.end()
		return false
	}
	if w.parked {
		return w.park()
	}
	return true
}

func (w *systemQueueWorld) goIdle() (again bool) {
	w.running-- // with the step below
	if _, ok := w.box.TryIdle(&w.in); ok {
		return false
	}
	w.running++
	return true
}

// park is A1 and A2.
func (w *systemQueueWorld) park() (again bool) {
	w.running--
	if !w.count.Park() {
		w.running++
		w.parked = false
		return true
	}
	if !w.queue.IsEmpty() && w.count.Wake() {
		w.schedule()
	}
	return false
}

func (w *systemQueueWorld) end() {
	w.box.Close(&w.in)
	for m := w.queue.Close(); m != nil; m = m.Next {
		w.refused++
	}
	w.boxEnded = true
}

// check: every signal served or refused, once; nothing is left in the system queue.
func (w *systemQueueWorld) check() error {
	if w.served+w.refused != w.sent {
		return fmt.Errorf("%d signals sent, %d served, %d refused", w.sent, w.served, w.refused)
	}
	if !w.boxEnded && (w.queued+w.running != 0 || !w.queue.IsEmpty()) {
		return fmt.Errorf("at the end %d queued, %d running, system queue empty %v", w.queued, w.running,
			w.queue.IsEmpty())
	}
	return nil
}

func systemQueueScenario(tellers, mailers, muteAt, closeAt int) func(*explore.Program) {
	return func(p *explore.Program) {
		w := &systemQueueWorld{p: p, muteAt: muteAt, closeAt: closeAt, sent: tellers}
		for i := range tellers {
			p.Go(func() { w.tell(uint64(i)) })
		}
		for i := range mailers {
			p.Go(func() { w.send(uint64(100 + i)) })
		}
		if muteAt > 0 {
			p.Daemon(w.unblock)
		}
		for range 2 {
			p.Daemon(w.work)
		}
		p.After(w.check)
	}
}

// TestSystemQueue_Explored: "No signal is overlooked": against TryIdle, against Park and the last
// Unblock, and against the end.
func TestSystemQueue_Explored(t *testing.T) {
	for _, c := range []struct {
		name                              string
		tellers, mailers, muteAt, closeAt int
	}{
		{"Rest", 2, 1, 0, 0},
		{"RestAlone", 3, 0, 0, 0},
		{"Park", 2, 1, 1, 0},
		{"ParkMore", 2, 2, 2, 0},
		{"End", 3, 1, 0, 1},
		{"EndLater", 3, 1, 0, 2},
		{"EndOfParked", 3, 1, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Portfolio(t, systemQueueScenario(c.tellers, c.mailers, c.muteAt, c.closeAt))
		})
	}
}
