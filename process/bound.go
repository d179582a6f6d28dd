package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A mailbox may have a bound. Three things make that harder than a counter beside the mailbox:
//
//   - A mailbox without one is not to pay for it. So the refs of a process with a bound lead to
//     another mailbox, its front, in which a sender finds a process that waits for mail, as it
//     seems, and cannot be claimed: that is off the path between processes. There it meets the
//     bound, and what is let in goes to the process's own mailbox.
//   - A process takes what matches. If all that is in a full mailbox does not match, then what it
//     waits for must be able to come. So the bound holds while the process is busy, or waits for
//     something else than messages. To one that has looked at all its messages and waits for
//     others, which is idle, one more is let in, at which it looks.
//   - A process that sends is suspended ahead of the message, and can be cancelled there, so a
//     message is in the mailbox or it is the sender's.
//
// Rejected: to count what lies behind the last message that was looked at. A mailbox would have
// room for what matches, and grow all the same, since the process looks at all there is before it
// waits.
//
// The protocol has one lock. A sender that finds the mailbox full and the process not idle enters
// the line, under the lock; what makes room, or makes the process idle, lets senders out of the
// line, under the lock. Each that is let out has its place in the mailbox by then. A mailbox that
// is full and idle has nothing on its way, for which the process counts what is there: that costs
// time in proportion to the bound. The sender that is let in beyond the bound ends the idleness,
// and brings a message, which wakes the process, so that it looks and is idle again.

// bound is what a process has in addition whose mailbox has one.
type bound[M any] struct {
	own   *mailbox[M]
	front mailbox[M]
	gate  Proc // of the front: taken for the process

	high, low int     // read-only: full from high on, until low
	refuses   bool    // read-only: what cannot wait is refused
	muting    *muting // nil: behaviours are not muted. Read-only

	mu     seam.QuickMutex
	n      int                 // guarded by mu: messages that are in, or have a place
	full   bool                // guarded by mu
	idle   bool                // guarded by mu: see above
	closed bool                // guarded by mu: it has ended
	line   waitQueue[struct{}] // guarded by mu: senders that wait
}

// Option says how a process is: see [Spawn].
type Option interface{ set(*settings) }

// settings are what options say. The zero value is a process without options.
type settings struct {
	high, low int // 0: no bound
	bounded   bool
	muting    muteOption // nil: none
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
	if l.muting != nil && l.high == 0 {
		l.wrong = "muting without a bound or watermarks"
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

// WithBound bounds the mailbox of a process: at most limit messages wait in it, and perhaps one
// that has come as the process began to wait. A process that sends to it is suspended until there
// is room. So is the caller of [Ref.SendWait]. [Ref.TrySend] returns [ErrOverloaded], and what is
// sent by [Ref.Send] from outside or from a behaviour, which cannot wait, becomes a dead letter; an
// actor is muted instead if actors.WithMuting of package process/actors says so.
// WithBound panics if limit is less than 1.
//
// The bound holds while the process is busy, or waits for something else than messages. While it
// waits in a receive, and so has looked at all that is there, one message after the other is let
// in, as it looks at them: what it waits for must be able to come. Exits that are trapped, the news
// of monitors, and what the process sends to itself are let in always, and take room.
//
// Two processes that send to each other, and whose mailboxes are full, wait for ever:
// [System.Blocked] says so.
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
	if l.muting != nil {
		b.muting = &muting{mute: l.muting}
	}
	b.gate.state.Store(parked | forMail)
	b.front.p = &b.gate
	b.front.rare = &rareMail[M]{bound: b}
	s.mailbox.rare = &rareMail[M]{bound: b}
	s.Proc.rare |= isBounded
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
	if s.Proc.rare&isBounded == 0 {
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
	case !b.idle && (b.full || b.line.first != nil):
		return mustWait
	}
	b.enter()
	return admitted
}

// enter gives a message a place. It wakes the process, which then looks. Caller holds mu.
func (b *bound[M]) enter() {
	b.n, b.idle = b.n+1, false
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
	if b.muting != nil && sender == nil && w != nil && by == b.own.p.sys {
		b.sendMuting(n, w, by)
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
func (b *bound[M]) took() {
	b.mu.Lock()
	b.n--
	if b.n <= b.low {
		b.full = false
	}
	b.letIn()
}

// looked returns how many messages the process has looked at and not taken. Owner only, when it has
// looked at all that have come.
func (b *mailbox[M]) looked() (n int) {
	for m := b.first; m != nil; m = m.next {
		n++
	}
	return n
}

// setIdle notes that the process waits for messages from now on, or does not any more. If the
// mailbox is full, and not all are there that have a place in it, the process will have a notice of
// those, and looks. Owner only.
func (b *bound[M]) setIdle(idle bool) {
	b.mu.Lock()
	b.idle = idle && (!b.full || b.own.looked() == b.n)
	b.letIn()
}

// letIn gives those in line a place for whom there is one, and wakes them. Caller holds mu, which
// letIn releases. Owner only.
func (b *bound[M]) letIn() {
	wake := b.claimLine()
	calm := b.relieved()
	b.mu.Unlock()
	for _, pt := range wake {
		pt.wake(b.own.p.w, b.own.p.sys)
	}
	if calm != nil {
		calm(b.own.p)
	}
}

// claimLine gives those in line a place for whom there is one, and returns them. Caller holds mu.
func (b *bound[M]) claimLine() (wake []*party) {
	for b.line.first != nil && (b.idle || !b.full) {
		if pt := b.line.claimReceiver(struct{}{}, true); pt != nil {
			b.enter()
			wake = append(wake, pt)
		}
	}
	return wake
}

// giveBack gives back a place for which no message comes. The process looks: it may be idle now, as
// all messages are there that have a place.
func (b *bound[M]) giveBack(by Party) {
	sys, w := envOf(by)
	b.mu.Lock()
	b.n--
	if b.n <= b.low {
		b.full = false
	}
	wake := b.claimLine()
	b.mu.Unlock()
	for _, pt := range wake {
		pt.wake(w, sys)
	}
	b.own.p.wakeForMail(w, sys)
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
