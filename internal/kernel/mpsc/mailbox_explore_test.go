//go:build gallop_explore

package mpsc

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// boxWorld is one actor's mailbox under exploration: producers that push, workers
// that take the actor over from each other, and nodes that are used again at once.
// All memory except the mailbox is plain, so an access to it is part of a step.
type boxWorld struct {
	p       *explore.Program
	box     Mailbox
	in      Inbox
	batch   int // messages per turn
	closeAt int // the number of messages after which the actor ends; 0: never

	free            []*Message // recycled
	queued, running int
	woke, rested    int
	sent            int
	ran, dead       []uint64
	history         *history // nil: not recorded
}

func stamp(from, no int) uint64 { return uint64(from)<<32 | uint64(no) }

// once checks that the actor is in the run queue or running, not both (TestBug_K15 of the
// catalogue).
func (w *boxWorld) once() {
	if w.queued+w.running > 1 {
		w.p.Errorf("the actor has %d owners", w.queued+w.running)
	}
}

// take returns a node, a recycled one if possible, so that a producer that was overtaken finds the
// same node as the head again.
func (w *boxWorld) take(n uint64) *Message {
	if len(w.free) == 0 {
		return numbered(n)
	}
	m := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	*msg.PayloadOf[uint64](m) = n
	return m
}

// recycle poisons the link, which no goroutine may follow.
func (w *boxWorld) recycle(m *Message) {
	if m != nil {
		m.Next = nil
		w.free = append(w.free, m)
	}
}

func (w *boxWorld) produce(from, messages int, busy bool) {
	for no := range messages {
		w.p.Point()
		m := w.take(stamp(from, no))
		w.sent++
		r := PushIdle
		if busy {
			r = w.box.PushBusy(m)
		}
		if r == PushIdle {
			end := w.history.begin(from, op{code: opPush, n: stamp(from, no)})
			r = w.box.Push(m)
			end(result{pushed: r})
		}
		w.pushedAs(r, m)
	}
}

func (w *boxWorld) pushedAs(r Pushed, m *Message) {
	switch r {
	case PushWoke:
		w.woke++
		w.queued++
		w.once()
	case PushClosed:
		w.dead = append(w.dead, numberOf(m))
		w.recycle(m)
	}
}

func (w *boxWorld) work(id int) {
	for {
		w.p.Await(func() bool { return w.queued > 0 })
		w.queued--
		w.running++
		w.once()
		if w.turn(id) { // again
			w.running--
			w.queued++
		}
	}
}

// turn is RunTask, as far as it concerns the mailbox. It gives the actor up
// in the step of a successful TryIdle.
func (w *boxWorld) turn(id int) (again bool) {
	for done := 0; done < w.batch; done++ {
		m := w.in.pending
		if m == nil {
			if m = w.drain(id); m == nil {
				return w.goIdle(id)
			}
		}
		if w.closeAt > 0 && len(w.ran) == w.closeAt {
			w.close(id)
			return false
		}
		w.in.pending = m.Next
		w.ran = append(w.ran, numberOf(m))
		w.p.Point() // a behaviour takes its time
		if m != w.in.tail {
			w.recycle(m)
		}
	}
	return true
}

func (w *boxWorld) drain(id int) *Message {
	end := w.history.begin(id, op{code: opDrain})
	stub, ok := w.box.Drain(&w.in)
	end(result{ok: ok, list: numbers(w.in.pending)})
	w.recycle(stub)
	return w.in.pending
}

func (w *boxWorld) goIdle(id int) (again bool) {
	end := w.history.begin(id, op{code: opIdle})
	stub, ok := w.box.TryIdle(&w.in)
	end(result{ok: ok})
	if !ok {
		return true
	}
	w.recycle(stub)
	w.rested++
	w.running--
	return false
}

func (w *boxWorld) close(id int) {
	end := w.history.begin(id, op{code: opClose})
	m, stub := w.box.Close(&w.in)
	end(result{list: numbers(m)})
	w.recycle(stub)
	for m != nil {
		left := m
		m = m.Next
		w.dead = append(w.dead, numberOf(left))
		w.recycle(left)
	}
	w.running--
}

// check checks the end: every message has run or is dead, once. The messages of each producer have
// run in order. There was one wake-up per idle period.
func (w *boxWorld) check() error {
	all := slices.Concat(w.ran, w.dead)
	next := map[uint64]uint64{}
	for _, n := range w.ran {
		if n&(1<<32-1) != next[n>>32] {
			return fmt.Errorf("ran %x: out of order", w.ran)
		}
		next[n>>32]++
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) || len(all) != w.sent {
		return fmt.Errorf("%d sent, ran %x, dead %x", w.sent, w.ran, w.dead)
	}
	if w.queued+w.running != 0 {
		return fmt.Errorf("at the end %d queued, %d running", w.queued, w.running)
	}
	if w.closeAt == 0 && (w.woke != w.rested || w.box.head.Load() != nil) {
		return fmt.Errorf("%d wake-ups for %d idle periods, head %p", w.woke, w.rested, w.box.head.Load())
	}
	return nil
}

// boxScenario has producers with two messages each, and two workers.
func boxScenario(producers, batch, closeAt int, busy bool) func(*explore.Program) {
	return func(p *explore.Program) {
		w := &boxWorld{p: p, batch: batch, closeAt: closeAt}
		for from := range producers {
			p.Go(func() { w.produce(from, 2, busy) })
		}
		for i := range 2 {
			p.Daemon(func() { w.work(producers + i) })
		}
		p.After(w.check)
	}
}

// TestMailbox_Explored: 2–3 producers of two messages each, two workers, nodes
// reused through recycling; small and large batches, PushBusy, the actor's end.
func TestMailbox_Explored(t *testing.T) {
	for _, c := range []struct {
		name                      string
		producers, batch, closeAt int
		busy                      bool
	}{
		{"TwoProducers", 2, 100, 0, false},
		{"ThreeProducers", 3, 100, 0, false},
		{"BatchOfOne", 2, 1, 0, false},
		{"PushBusy", 2, 2, 0, true},
		{"CloseFirst", 2, 100, 1, false},
		{"CloseLater", 3, 2, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Portfolio(t, boxScenario(c.producers, c.batch, c.closeAt, c.busy))
		})
	}
}

// TestMailbox_Exhaustive: two producers and two workers, every schedule with at
// most two preemptions.
func TestMailbox_Exhaustive(t *testing.T) {
	res := explore.Run(t, explore.Config{Strategy: explore.Bounded(2, 0)},
		boxScenario(2, 100, 0, false))
	if !res.Exhausted {
		t.Error(res)
	}
}

// history has the operations of the clients of a mailbox, for a linearizability check.
type history struct {
	clock int64
	ops   []porcupine.Operation
}

type opCode int

const (
	opPush opCode = iota
	opDrain
	opIdle
	opClose
)

type op struct {
	code opCode
	n    uint64
}

type result struct {
	pushed Pushed
	ok     bool
	list   []uint64
}

// begin records a call. The function that it returns records the return.
func (h *history) begin(client int, in op) func(result) {
	if h == nil {
		return func(result) {}
	}
	h.clock++
	call := h.clock
	return func(out result) {
		h.clock++
		h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out,
			Return: h.clock})
	}
}

// boxModel: a push wakes if and only if the box is idle, a drain takes everything and finds
// nothing only if there is nothing, TryIdle succeeds if and only if there is nothing.
var boxModel = porcupine.Model{
	Init: func() any { return modelState{} },
	Step: func(state, input, output any) (bool, any) {
		return state.(modelState).step(input.(op), output.(result))
	},
	Equal: func(a, b any) bool {
		x, y := a.(modelState), b.(modelState)
		return x.scheduled == y.scheduled && x.closed == y.closed && slices.Equal(x.unread, y.unread)
	},
}

// modelState is the mailbox as one atomic object.
type modelState struct {
	unread            []uint64 // pushed, and not yet taken out
	scheduled, closed bool
}

func (s modelState) step(in op, out result) (bool, any) {
	n := modelState{scheduled: s.scheduled, closed: s.closed}
	switch in.code {
	case opPush:
		if s.closed {
			return out.pushed == PushClosed, s
		}
		want := PushQueued
		if !s.scheduled {
			want = PushWoke
		}
		n.scheduled = true
		n.unread = append(slices.Clone(s.unread), in.n)
		return out.pushed == want, n
	case opDrain:
		return out.ok == (len(s.unread) > 0) && (!out.ok || slices.Equal(out.list, s.unread)), n
	case opIdle:
		n.unread = s.unread
		n.scheduled = !out.ok
		return out.ok == (len(s.unread) == 0), n
	}
	n.closed = true
	return len(out.list) >= len(s.unread) && slices.Equal(out.list[len(out.list)-len(s.unread):],
		s.unread), n
}

// TestMailbox_Linearizable: histories of explored schedules are possible for a mailbox
// that does each operation in one step.
func TestMailbox_Linearizable(t *testing.T) {
	for _, closeAt := range []int{0, 2} {
		t.Run(fmt.Sprintf("closeAt=%d", closeAt), func(t *testing.T) {
			n := 3000
			if testing.Short() {
				n = 300
			}
			scenario := func(p *explore.Program) {
				w := &boxWorld{p: p, batch: 2, closeAt: closeAt, history: &history{}}
				for from := range 2 {
					p.Go(func() { w.produce(from, 3, false) })
				}
				for i := range 2 {
					p.Daemon(func() { w.work(2 + i) })
				}
				p.After(func() error {
					if !porcupine.CheckOperations(boxModel, w.history.ops) {
						return fmt.Errorf("not linearizable: %+v", w.history.ops)
					}
					return w.check()
				})
			}
			for _, s := range []explore.Strategy{explore.Random(7, n), explore.PCT(5, 7, n)} {
				explore.Run(t, explore.Config{Strategy: s, Name: s.String()}, scenario)
			}
		})
	}
}
