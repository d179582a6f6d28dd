package mpsc

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// numbered makes a message that carries a number.
func numbered(n uint64) *Message {
	m := &new(msg.Node[[1]uint64]).Header
	*msg.PayloadOf[uint64](m) = n
	return m
}

func numberOf(m *Message) uint64 { return *msg.PayloadOf[uint64](m) }

func numbers(m *Message) (list []uint64) {
	for ; m != nil; m = m.Next {
		list = append(list, numberOf(m))
	}
	return list
}

// dumbBox is a simple model of the mailbox.
type dumbBox struct {
	unread    []uint64 // pushed, and not yet taken out
	pending   []uint64 // taken out, and not yet run
	scheduled bool
	closed    bool
}

func (d *dumbBox) push(n uint64) Pushed {
	switch {
	case d.closed:
		return PushClosed
	case !d.scheduled:
		d.scheduled = true
		d.unread = append(d.unread, n)
		return PushWoke
	}
	d.unread = append(d.unread, n)
	return PushQueued
}

func (d *dumbBox) pushBusy(n uint64) Pushed {
	if !d.closed && !d.scheduled {
		return PushIdle
	}
	return d.push(n)
}

func (d *dumbBox) drain() bool {
	d.pending, d.unread = d.unread, nil
	return len(d.pending) > 0
}

func (d *dumbBox) tryIdle() bool {
	d.scheduled = len(d.unread) > 0
	return !d.scheduled
}

func (d *dumbBox) close() []uint64 {
	left := slices.Concat(d.pending, d.unread)
	d.pending, d.unread, d.closed = nil, nil, true
	return left
}

// twins drives a mailbox and its model, and recycles nodes as the runner does.
type twins struct {
	box  Mailbox
	in   Inbox
	dumb dumbBox
	free []*Message // recycled nodes, used again first
	next uint64
}

func (w *twins) made() *Message {
	w.next++
	if n := len(w.free); n > 0 {
		m := w.free[n-1]
		w.free = w.free[:n-1]
		*msg.PayloadOf[uint64](m) = w.next
		return m
	}
	return numbered(w.next)
}

func (w *twins) recycle(m *Message) {
	if m != nil && !isBiasMark(m) {
		m.Next = &closedMark // so that following the link of a recycled node fails the test
		w.free = append(w.free, m)
	}
}

func (w *twins) push(t *rapid.T, busy bool) {
	m := w.made()
	op, twin := w.box.Push, w.dumb.push
	if busy {
		op, twin = w.box.PushBusy, w.dumb.pushBusy
	}
	got, want := op(m), twin(w.next)
	if got != want {
		t.Fatalf("push: %d, want %d", got, want)
	}
	if got == PushIdle || got == PushClosed {
		w.recycle(m)
	}
}

// run handles the oldest pending message.
func (w *twins) run(t *rapid.T) {
	m := w.in.pending
	if (m == nil) != (len(w.dumb.pending) == 0) {
		t.Fatalf("nothing pending: %v, want %v", m == nil, len(w.dumb.pending) == 0)
	}
	if m == nil {
		t.Skip("nothing to run")
	}
	if numberOf(m) != w.dumb.pending[0] {
		t.Fatalf("run %d, want %d", numberOf(m), w.dumb.pending[0])
	}
	w.in.pending, w.dumb.pending = m.Next, w.dumb.pending[1:]
	if m != w.in.tail {
		w.recycle(m)
	}
}

func (w *twins) consume(t *rapid.T, op func(*Inbox) (*Message, bool), twin func() bool) {
	if !w.dumb.scheduled || w.dumb.closed || len(w.dumb.pending) > 0 {
		t.Skip("not the consumer's turn")
	}
	stub, ok := op(&w.in)
	w.recycle(stub)
	if want := twin(); ok != want {
		t.Fatalf("%v, want %v", ok, want)
	}
}

func (w *twins) close(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "really") > 0 {
		t.Skip("an open mailbox is more fun")
	}
	var got []uint64
	m, stub := w.box.Close(&w.in)
	w.recycle(stub)
	for m != nil {
		got = append(got, numberOf(m))
		m, m.Next = m.Next, nil
	}
	if want := w.dumb.close(); !slices.Equal(got, want) {
		t.Fatalf("left %v, want %v", got, want)
	}
}

// TestMailbox_Twin: pushes and the consumer's steps come in a random order, and nodes are used
// again as soon as they may be. The mailbox answers like its model.
func TestMailbox_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &twins{}
		t.Repeat(map[string]func(*rapid.T){
			"push":     func(t *rapid.T) { w.push(t, false) },
			"pushBusy": func(t *rapid.T) { w.push(t, true) },
			"drain":    func(t *rapid.T) { w.consume(t, w.box.Drain, w.dumb.drain) },
			"run":      w.run,
			"tryIdle":  func(t *rapid.T) { w.consume(t, w.box.TryIdle, w.dumb.tryIdle) },
			"close":    w.close,
		})
	})
}

// boxLoad is a free-running load: producers, and consumers that take the actor
// over from each other through a run queue.
type boxLoad struct {
	box      Mailbox
	in       Inbox // owned by the goroutine that received from runq
	runq     chan struct{}
	free     sync.Pool
	total    int
	seen     []uint64 // the next number of each producer; owned by the owner of the actor
	handled  int
	failures []string
	done     chan struct{}
}

func (l *boxLoad) produce(from, n int) {
	for i := range n {
		m, _ := l.free.Get().(*Message)
		if m == nil {
			m = numbered(0)
		}
		*msg.PayloadOf[uint64](m) = uint64(from)<<32 | uint64(i)
		r := PushIdle
		if i%3 == 0 {
			r = l.box.PushBusy(m)
		}
		if r == PushIdle {
			r = l.box.Push(m)
		}
		if r == PushWoke {
			l.runq <- struct{}{}
		}
	}
}

func (l *boxLoad) handle(m *Message) {
	from, i := numberOf(m)>>32, numberOf(m)&(1<<32-1)
	if l.seen[from] != i {
		l.failures = append(l.failures, fmt.Sprintf("producer %d: %d, want %d", from, i, l.seen[from]))
	}
	l.seen[from] = i + 1
	if l.handled++; l.handled == l.total {
		close(l.done)
	}
}

// consume runs the actor until it is idle.
func (l *boxLoad) consume() {
	for {
		m := l.in.pending
		if m == nil {
			stub, ok := l.box.Drain(&l.in)
			if !ok {
				if stub, ok = l.box.TryIdle(&l.in); !ok {
					continue
				}
				if stub != nil {
					l.free.Put(stub)
				}
				return
			}
			if stub != nil {
				l.free.Put(stub)
			}
			m = l.in.pending
		}
		l.in.pending = m.Next
		l.handle(m)
		if m != l.in.tail {
			l.free.Put(m)
		}
	}
}

// TestMailbox_Stress: free-running producers and consumers; per-producer order,
// every message once, and (under -race) one owner at a time.
func TestMailbox_Stress(t *testing.T) {
	const producers = 4
	each := 20_000
	if testing.Short() {
		each = 2_000
	}
	l := &boxLoad{runq: make(chan struct{}, producers), total: producers * each,
		seen: make([]uint64, producers), done: make(chan struct{})}
	var consumers sync.WaitGroup
	for range 2 {
		consumers.Go(func() {
			for {
				select {
				case <-l.runq:
					l.consume()
				case <-l.done:
					return
				}
			}
		})
	}
	for p := range producers {
		consumers.Go(func() { l.produce(p, each) })
	}
	consumers.Wait()
	if len(l.failures) > 0 || l.handled != l.total {
		t.Fatalf("%d of %d handled; %v", l.handled, l.total, l.failures)
	}
}
