package actor

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// The mailbox alone, outside of any system.

// numbered makes a message that carries a number.
func numbered(n uint64) *message {
	m := &new(node[[1]uint64]).header
	*payloadOf[uint64](m) = n
	return m
}

func numberOf(m *message) uint64 { return *payloadOf[uint64](m) }

// dumbBox is the twin of the mailbox: what it must do, without cleverness.
type dumbBox struct {
	unread    []uint64 // pushed and not yet grabbed
	fifo      []uint64 // grabbed and not yet run
	scheduled bool
	closed    bool
}

func (d *dumbBox) push(n uint64) pushed {
	switch {
	case d.closed:
		return pushClosed
	case !d.scheduled:
		d.scheduled = true
		d.unread = append(d.unread, n)
		return pushWoke
	}
	d.unread = append(d.unread, n)
	return pushQueued
}

func (d *dumbBox) pushBusy(n uint64) pushed {
	if !d.closed && !d.scheduled {
		return pushIdle
	}
	return d.push(n)
}

func (d *dumbBox) grab() bool {
	d.fifo, d.unread = d.unread, nil
	return len(d.fifo) > 0
}

func (d *dumbBox) rest() bool {
	d.scheduled = len(d.unread) > 0
	return !d.scheduled
}

func (d *dumbBox) close() []uint64 {
	left := slices.Concat(d.fifo, d.unread)
	d.fifo, d.unread, d.closed = nil, nil, true
	return left
}

// twins drives both and recycles nodes as the runner does.
type twins struct {
	cell // its mailbox alone
	dumb dumbBox
	free []*message // recycled nodes, used again first
	next uint64
}

func (w *twins) fresh() *message {
	w.next++
	if n := len(w.free); n > 0 {
		m := w.free[n-1]
		w.free = w.free[:n-1]
		*payloadOf[uint64](m) = w.next
		return m
	}
	return numbered(w.next)
}

func (w *twins) recycle(m *message) {
	if m != nil && !isBiasMark(m) {
		m.next = &closedMark // whoever looks into a recycled node goes astray
		w.free = append(w.free, m)
	}
}

func (w *twins) push(t *rapid.T, busy bool) {
	m := w.fresh()
	op, twin := w.box.push, w.dumb.push
	if busy {
		op, twin = w.box.pushBusy, w.dumb.pushBusy
	}
	got, want := op(m), twin(w.next)
	if got != want {
		t.Fatalf("push: %d, want %d", got, want)
	}
	if got == pushIdle || got == pushClosed {
		w.recycle(m)
	}
}

// run handles the oldest message that was grabbed.
func (w *twins) run(t *rapid.T) {
	m := w.in.pending
	if (m == nil) != (len(w.dumb.fifo) == 0) {
		t.Fatalf("fifo empty: %v, want %v", m == nil, len(w.dumb.fifo) == 0)
	}
	if m == nil {
		t.Skip("nothing to run")
	}
	if numberOf(m) != w.dumb.fifo[0] {
		t.Fatalf("run %d, want %d", numberOf(m), w.dumb.fifo[0])
	}
	w.in.pending, w.dumb.fifo = m.next, w.dumb.fifo[1:]
	if m != w.in.tail {
		w.recycle(m)
	}
}

func (w *twins) consume(t *rapid.T, op func(*inbox) (*message, bool), twin func() bool) {
	if !w.dumb.scheduled || w.dumb.closed || len(w.dumb.fifo) > 0 {
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
	m, stub := w.box.close(&w.in)
	w.recycle(stub)
	for m != nil {
		got = append(got, numberOf(m))
		m, m.next = m.next, nil
	}
	if want := w.dumb.close(); !slices.Equal(got, want) {
		t.Fatalf("left %v, want %v", got, want)
	}
}

// TestMailbox_Twin: whatever order pushes and the consumer's steps come in, the
// mailbox answers as its dumb twin, with nodes used again as soon as they may be.
func TestMailbox_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &twins{}
		t.Repeat(map[string]func(*rapid.T){
			"push":     func(t *rapid.T) { w.push(t, false) },
			"pushBusy": func(t *rapid.T) { w.push(t, true) },
			"grab":     func(t *rapid.T) { w.consume(t, w.box.drain, w.dumb.grab) },
			"run":      w.run,
			"rest":     func(t *rapid.T) { w.consume(t, w.box.tryIdle, w.dumb.rest) },
			"close":    w.close,
		})
	})
}

// boxLoad is a free-running load: producers, and consumers that take the actor
// over from each other through a run queue.
type boxLoad struct {
	box      mailbox
	in       inbox // whoever received from runq
	runq     chan struct{}
	free     sync.Pool
	total    int
	seen     []uint64 // next number per producer; owner of the actor
	handled  int
	failures []string
	done     chan struct{}
}

func (l *boxLoad) produce(from, n int) {
	for i := range n {
		m, _ := l.free.Get().(*message)
		if m == nil {
			m = numbered(0)
		}
		*payloadOf[uint64](m) = uint64(from)<<32 | uint64(i)
		r := pushIdle
		if i%3 == 0 {
			r = l.box.pushBusy(m)
		}
		if r == pushIdle {
			r = l.box.push(m)
		}
		if r == pushWoke {
			l.runq <- struct{}{}
		}
	}
}

func (l *boxLoad) handle(m *message) {
	from, i := numberOf(m)>>32, numberOf(m)&(1<<32-1)
	if l.seen[from] != i {
		l.failures = append(l.failures, fmt.Sprintf("producer %d: %d, want %d", from, i, l.seen[from]))
	}
	l.seen[from] = i + 1
	if l.handled++; l.handled == l.total {
		close(l.done)
	}
}

// consume runs the actor until it rests.
func (l *boxLoad) consume() {
	for {
		m := l.in.pending
		if m == nil {
			stub, ok := l.box.drain(&l.in)
			if !ok {
				if stub, ok = l.box.tryIdle(&l.in); !ok {
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
		l.in.pending = m.next
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
