package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A mailbox may have a bound. Two things make that harder than a counter beside the mailbox:
//
//   - A mailbox without one is not to pay for it. So the refs of a process with a bound lead to
//     another mailbox, its front, in which a sender finds a process that waits for mail, as it
//     seems, and cannot be claimed: that is off the path between processes. There it meets the
//     bound, and what is let in goes to the process's own mailbox.
//   - A process that sends is suspended ahead of the message, and can be cancelled there, so a
//     message is in the mailbox or it is the sender's.
//
// The protocol has one lock. A sender that finds the mailbox full enters the line, under the lock;
// what makes room lets senders out of the line, under the lock. Each that is let out has its place
// in the mailbox by then.
//
// Rejected: to let in one more message while the process has looked at all there is, and waits for
// what matches. It was a bound with an exception that few programs need, and cost time in proportion
// to the bound.

// bound is what a process has in addition whose mailbox has one.
type bound[M any] struct {
	own   *mailbox[M]
	front mailbox[M]
	gate  Proc // of the front: taken for the process

	high, low int  // read-only: full from high on, until low
	refuses   bool // read-only: what cannot wait is refused

	mu     seam.QuickMutex
	n      int                 // guarded by mu: messages that are in, or have a place
	full   bool                // guarded by mu
	closed bool                // guarded by mu: it has ended
	line   waitQueue[struct{}] // guarded by mu: senders that wait
}

// Option says how a process is: see [Spawn].
type Option interface{ set(*settings) }

// settings are what options say. The zero value is a process without options.
type settings struct {
	high, low int // 0: no bound
	bounded   bool
	kind      kind
	wrong     string
}

// apply returns what the options of a call say.
func apply(call string, options []Option) (l settings) {
	for _, o := range options {
		if o == nil {
			misuse(call + ": a nil option")
		}
		o.set(&l)
	}
	if l.wrong != "" {
		misuse(call + ": " + l.wrong)
	}
	return l
}

// is gives a new process its kind.
func (p *Proc) is(k kind) {
	if k != (kind{}) {
		p.kind = &k
	}
}

type limitOption struct {
	high, low int
	bounded   bool
}

func (o limitOption) set(l *settings) {
	if l.high != 0 {
		l.wrong = "a bound and watermarks, or one of them twice"
	}
	l.high, l.low, l.bounded = o.high, o.low, o.bounded
}

// WithBound bounds the mailbox of a process: at most limit messages wait in it. A process that
// sends to it is suspended until there is room. So is the caller of [Ref.SendWait]. [Ref.TrySend]
// returns [ErrOverloaded], and what is sent by [Ref.Send] from outside or from a behaviour, which
// cannot wait, becomes a dead letter. WithBound panics if limit is less than 1.
//
// Exits that are trapped, the news of monitors, and what the process sends to itself are let in
// always, and take room.
//
// Messages that a receive has looked at and left take room too. A process that waits for what is
// not in its full mailbox waits for ever, as do two processes that send to each other, and whose
// mailboxes are full: [System.Blocked] says so. Give a process that takes what matches no bound, or
// one with room for all that may wait.
//
// A message costs a lock for the sender and one for the process.
func WithBound(limit int) Option {
	if limit < 1 {
		misuse("WithBound: the limit is less than 1")
	}
	return limitOption{high: limit, low: limit - 1, bounded: true}
}

// WithWatermarks holds senders back as [WithBound] does, from high messages on until no more than
// low are left. What cannot wait is not refused, except by [Ref.TrySend]. WithWatermarks panics
// unless 0 ≤ low < high.
func WithWatermarks(high, low int) Option {
	if low < 0 || low >= high {
		misuse("WithWatermarks: want 0 ≤ low < high")
	}
	return limitOption{high: high, low: low}
}

// limit gives a new process what the options say.
func (s *Self[M]) limit(call string, options []Option) {
	l := apply(call, options)
	s.Proc.is(l.kind)
	if l.high == 0 {
		return
	}
	b := &bound[M]{own: &s.mailbox, high: l.high, low: l.low, refuses: l.bounded}
	b.gate.state.Store(parked | forMail)
	b.front.p = &b.gate
	b.front.rare = &rareMail[M]{bound: b}
	s.mailbox.rare = &rareMail[M]{bound: b}
	s.Proc.bounded = true
}

// isFront reports whether the mailbox is the front of one with a bound, which has no system. Any
// goroutine: in any other mailbox rare is its owner's.
func (b *mailbox[M]) isFront() bool { return b.p.sys == nil && b.rare != nil }

// force gives a message a place, whether there is one or not.
func (b *bound[M]) force() {
	b.mu.Lock()
	b.enter()
	b.mu.Unlock()
}

// poster returns a function that puts a message into the mailbox even if that is at its bound. Its
// caller calls mailbox.settle afterwards. Owner only; any goroutine may call the function.
func (s *Self[M]) poster() (put func(m M, w *sched.Worker, by *System)) {
	own := &s.mailbox
	if !s.Proc.bounded {
		return func(m M, w *sched.Worker, by *System) {
			n := &node[M]{m: m}
			own.p.sends(n, w, true)
			own.put(n, w, by)
		}
	}
	b := own.rare.bound
	return func(m M, w *sched.Worker, by *System) {
		b.force()
		n := &node[M]{m: m}
		own.p.sends(n, w, true)
		own.put(n, w, by)
	}
}

// teller is poster for access.TellerOf.
func (s *Self[M]) teller() func(from any, wrap func() any) {
	post := s.poster()
	return func(from any, wrap func() any) {
		sys, w := envOf(from.(Env))
		m, ok := wrapped(&s.Proc, func(struct{}) any { return wrap() }, struct{}{}, w, sys)
		if v, _ := m.(M); ok { // a nil of an interface type is no M
			post(v, w, sys)
			s.mailbox.settle()
		}
	}
}

// admission is what a bound says to a sender.
type admission int

const (
	admitted  admission = iota
	mustWait            // there is no room now
	neverWill           // the process has ended
)

// admit gives a message a place, if there is one. Caller holds mu.
func (b *bound[M]) admit() admission {
	switch {
	case b.closed:
		return neverWill
	case b.full || b.line.first != nil:
		return mustWait
	}
	b.enter()
	return admitted
}

// enter gives a message a place. Caller holds mu.
func (b *bound[M]) enter() {
	b.n++
	b.full = b.full || b.n >= b.high
}

// send is Ref.Send to the front: the sender waits if it can, and must.
func (b *bound[M]) send(n *node[M], w *sched.Worker, by *System) {
	if b.offer(n, w, by) != nil {
		b.own.p.letRefused(n, n.m)
	}
}

// request is Send for a message that is answered: an error takes the place of a dead letter.
func (r Ref[M]) request(from Env, m M) error {
	if !r.box.isFront() {
		r.Send(from, m)
		return nil
	}
	sys, w := act(from)
	return r.box.rare.bound.offer(&node[M]{m: m}, w, sys)
}

// offer is send, and returns ErrOverloaded if there is no room.
func (b *bound[M]) offer(n *node[M], w *sched.Worker, by *System) error {
	var sender *Proc
	if w != nil {
		sender = processHere() // nil: a behaviour
	}
	if sender != nil && &sender.party != &b.own.p.party {
		sender.mustBeUnlocked("Ref.Send")
		if b.wait(&sender.party) {
			b.put(n, sender.w, by) // perhaps on another worker than before
		} else {
			b.own.p.letDead(n, n.m)
		}
		return nil
	}
	b.mu.Lock()
	r := b.admit()
	if r == mustWait && (sender != nil || !b.refuses) {
		r = admitted
		b.enter()
	}
	b.mu.Unlock()
	switch r {
	case admitted:
		b.put(n, w, by)
	case mustWait:
		return ErrOverloaded
	case neverWill:
		b.own.p.letDead(n, n.m)
	}
	return nil
}

// put puts a message into the mailbox that has a place there.
func (b *bound[M]) put(n *node[M], w *sched.Worker, by *System) {
	b.own.p.sends(n, w, false)
	b.own.send(n, w, by)
}

// wait waits until a message of the party has a place. It reports false if the process has ended.
func (b *bound[M]) wait(pt *party) bool { return b.waitWithin(pt, 0) == admitted }

// waitWithin is wait, at most for d if that is positive, and also of the process itself, which does
// not wait. It returns mustWait if there was no room.
func (b *bound[M]) waitWithin(pt *party, d time.Duration) admission {
	b.mu.Lock()
	r := b.admit()
	if r == mustWait && pt == &b.own.p.party {
		r = admitted
		b.enter()
	}
	if r != mustWait {
		b.mu.Unlock()
		return r
	}
	w := takeWaiter[struct{}](pt)
	b.line.enter(w)
	b.mu.Unlock()
	if claimed := b.line.awaitWithin(w, &b.mu, opMailbox, d); claimed && w.ok {
		r = admitted
	} else if claimed {
		r = neverWill
	}
	w.giveBack()
	return r
}

// try is wait for those that do not wait.
func (b *bound[M]) try() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.admit() {
	case mustWait:
		return ErrOverloaded
	case neverWill:
		return ErrNoProcess
	}
	return nil
}

// took notes that the process has taken a message. Owner only.
func (b *bound[M]) took() { b.leave(b.own.p.w, b.own.p.sys) }

// giveBack gives back a place for which no message comes.
func (b *bound[M]) giveBack(by Party) {
	sys, w := envOf(by)
	b.leave(w, sys)
}

// leave takes a place away, gives those in line a place for whom there is one, and wakes them.
func (b *bound[M]) leave(w *sched.Worker, sys *System) {
	var wake []*party
	b.mu.Lock()
	b.n--
	if b.n <= b.low {
		b.full = false
	}
	for b.line.first != nil && !b.full {
		if pt := b.line.claimReceiver(struct{}{}, true); pt != nil {
			b.enter()
			wake = append(wake, pt)
		}
	}
	b.mu.Unlock()
	for _, pt := range wake {
		pt.wake(w, sys)
	}
}

// close lets all go that wait: the process has ended.
func (b *bound[M]) close() {
	var wake []*party
	b.mu.Lock()
	b.closed = true
	for pt := b.line.claimReceiver(struct{}{}, false); pt != nil; {
		wake = append(wake, pt)
		pt = b.line.claimReceiver(struct{}{}, false)
	}
	b.mu.Unlock()
	for _, pt := range wake {
		pt.wake(nil, b.own.p.sys)
	}
}

// SendWait is [Ref.Send] for a process or a goroutine that waits, if the mailbox has a bound and is
// full, until there is room. It returns [ErrNoProcess] if the process has ended; then the message
// is no dead letter. Without a bound it does not wait.
func (r Ref[M]) SendWait(by Party, m M) error {
	r.mustBe("Ref.SendWait")
	pt := enter(by, "Ref.SendWait")
	if r.p.state.Load() == ended {
		return ErrNoProcess
	}
	sys, w := envOf(by)
	if !r.box.isFront() {
		n := &node[M]{m: m}
		r.p.sends(n, w, false)
		r.box.send(n, w, sys)
		return nil
	}
	b := r.box.rare.bound
	if !b.wait(pt) {
		return ErrNoProcess
	}
	sys, w = envOf(by) // perhaps on another worker than before
	b.put(&node[M]{m: m}, w, sys)
	return nil
}

// TrySend is [Ref.Send] that says if the message is not taken: the error is [ErrOverloaded] if the
// mailbox has a bound and is full, and [ErrNoProcess] if the process has ended. Then it is no dead
// letter. One that ends later makes a dead letter of it.
func (r Ref[M]) TrySend(from Env, m M) error {
	r.mustBe("Ref.TrySend")
	sys, w := act(from)
	if r.p.state.Load() == ended {
		return ErrNoProcess
	}
	box := r.box
	if box.isFront() {
		b := box.rare.bound
		if err := b.try(); err != nil {
			return err
		}
		box = b.own
	}
	n := &node[M]{m: m}
	r.p.sends(n, w, false)
	box.send(n, w, sys)
	return nil
}
