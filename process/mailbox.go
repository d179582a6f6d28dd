package process

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// mailbox has the messages of one process. Senders push onto a stack with one compare-and-swap.
// The process takes the whole stack with a swap, turns it round, and appends it to a list of its
// own, in which it looks for a message that matches. Senders to a process that waits append to that
// list. So messages of one sender are in the order of sending.
type mailbox[M any] struct {
	p  *Proc
	in seam.Pointer[node[M]]

	// Owner only, or a sender that has claimed the process: see send.
	first, last *node[M]
	rare        *rareMail[M] // nil: no mark was set, it has no bound, and no run is told of it
	reuse       *node[M]     // to use again; nil: none
}

// rareMail is the state that few mailboxes need. Owner only, except bound.
type rareMail[M any] struct {
	marks marks[M]
	bound *bound[M] // nil: none. Read-only
}

// took notes that n was taken, which came after prev.
func (r *rareMail[M]) took(p *Proc, prev, n *node[M]) {
	if r.marks.newest != nil {
		r.marks.took(prev, n)
	}
	if p.sys.joined.told != nil {
		p.receives(n, n.m, sim.Run)
	}
	if r.bound != nil {
		r.bound.took()
	}
}

type node[M any] struct {
	next *node[M]
	m    M
}

// Send sends m to the process. It waits only if the sender is a process and the mailbox is full:
// see [WithBound]. If the process has ended, the message is a dead letter. Messages of one sender
// to one receiver arrive in the order of sending. Send costs an allocation, unless the sender is a
// process that has just received a message of the same type.
func (r Ref[M]) Send(from Env, m M) {
	var n *node[M]
	var sys *System
	var w *sched.Worker
	r.mustBe("Ref.Send")
	var ctx context.Context
	if s, ok := from.(*Self[M]); ok && s != nil { // inlined by hand from env and takeNode
		if sys, w = s.env(); s.reuse != nil {
			n, s.reuse = s.reuse, nil
		}
		if s.travels.Load() != nil {
			ctx = s.carries()
		}
	} else {
		sys, w = envOf(from)
		ctx = carriedBy(from)
	}
	if sys.stepwise {
		sys.choose(from, w)
	}
	if n == nil {
		n = &node[M]{}
	}
	n.m = m
	if ctx != nil {
		r.p.comesWith(n, ctx)
	}
	if sys.stepwise && !r.box.isFront() {
		r.p.sends(n, w, false)
	}
	r.box.send(n, w, sys)
}

// mustBe panics for the zero value.
func (r Ref[M]) mustBe(op string) {
	if r.box == nil {
		misuse(op + " of a zero Ref")
	}
}

// send puts n into the mailbox, and wakes the process if it waits for messages. Any goroutine.
//
// A process that waits for messages has moved all earlier messages of the sender to its list. So a
// sender that claims the process, by the compare-and-swap that wakes it, owns that list until it
// resumes the process, and appends n to it. That is one locked instruction instead of two, for a
// push and a wake-up. It also saves the locked instruction with which the process would take the
// pushed message.
func (b *mailbox[M]) send(n *node[M], w *sched.Worker, by *System) {
	if !b.put(n, w, by) {
		b.settle()
	}
}

// put is send, but reports false if the process may have ended before: then settle is to be called,
// by a caller that holds no lock of the process's.
func (b *mailbox[M]) put(n *node[M], w *sched.Worker, by *System) (settled bool) {
	s := b.p.state.Load()
	if s&forMail != 0 {
		if b.p.claimHere(s, w, by) {
			b.append(n, n)
			w.Schedule(&b.p.task)
			return true
		}
		if b.isFront() {
			b.rare.bound.send(n, w, by)
			return true
		}
		if c, r := b.p.claim(w, by, s); r == claimed {
			b.append(n, n)
			c.resume(&b.p.party)
			return true
		}
	}
	b.push(n, w, by)
	return false
}

// push is put to a process that need not wait.
func (b *mailbox[M]) push(n *node[M], w *sched.Worker, by *System) {
	for {
		top := b.in.Load()
		n.next = top
		if b.in.CompareAndSwap(top, n) {
			break
		}
	}
	b.p.wakeForMail(w, by)
}

// settle makes dead letters of messages that were pushed after the process had ended and discarded
// its mail. Any goroutine.
func (b *mailbox[M]) settle() {
	if b.p.state.Load() == ended {
		b.discardIn()
	}
}

// fetch moves pushed messages to the list.
func (b *mailbox[M]) fetch() {
	if b.in.Load() == nil {
		return
	}
	n := b.in.Swap(nil)
	newest := n
	var oldest *node[M]
	for n != nil {
		n, n.next, oldest = n.next, oldest, n
	}
	b.append(oldest, newest)
}

// append appends a chain of nodes to the list. Owner, or a sender that has claimed the process.
func (b *mailbox[M]) append(first, last *node[M]) {
	if b.last == nil {
		b.first = first
	} else {
		b.last.next = first
	}
	b.last = last
}

// take removes n, which comes after prev, and returns its message.
func (b *mailbox[M]) take(prev, n *node[M]) M {
	if prev == nil {
		b.first = n.next
	} else {
		prev.next = n.next
	}
	if b.last == n {
		b.last = prev
	}
	if b.rare != nil {
		b.rare.took(b.p, prev, n)
	}
	if t := b.p.travels.Load(); t != nil {
		t.came = t.takeContext(n)
	}
	m := n.m
	var zero M
	n.m, n.next = zero, nil
	b.reuse = n
	return m
}

// discard makes dead letters of all messages. The process has ended.
func (b *mailbox[M]) discard() {
	if b.rare != nil && b.rare.bound != nil {
		b.rare.bound.close() // first: later letters find the end
	}
	b.fetch()
	for n := b.first; n != nil; n = n.next {
		b.p.letDead(n, n.m)
	}
	b.first, b.last, b.reuse = nil, nil, nil
}

// discardIn makes dead letters of late messages. Any goroutine.
func (b *mailbox[M]) discardIn() {
	for n := b.in.Swap(nil); n != nil; n = n.next {
		b.p.letDead(n, n.m)
	}
}

// letDead makes a dead letter of a message to a process that has ended. Any goroutine that has seen
// that it has.
func (p *Proc) letDead(n, m any) {
	reason := p.reason
	if reason == nil {
		reason = ErrNoProcess
	}
	p.sys.deadLetter(p, n, m, reason)
}

// letRefused makes a dead letter of a message to a process whose mailbox is full. Any goroutine.
func (p *Proc) letRefused(n, m any) { p.sys.deadLetter(p, n, m, ErrOverloaded) }

// deadLetter makes a dead letter of m, whose node is n.
func (s *System) deadLetter(p *Proc, n, m any, reason error) {
	p.dropContext(n)
	p.receives(n, m, sim.DeadLetter)
	s.reports.letters.Add(1)
	bestEffort := p.kindOf().bestEffort
	if bestEffort {
		s.reports.bestEffort.Add(1)
	}
	switch {
	case s.joined.actors != nil:
		s.joined.actors.DeadProcess(p.who(), m, reason, bestEffort)
	case s.reports.dead != nil:
		s.guard("Config.DeadLetters", func() { s.reports.dead(DeadLetter{Process{p}, m, reason, bestEffort}) })
	}
}
