package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A mailbox may have a bound. Two facts make that harder than a counter beside the mailbox:
//
//   - A mailbox without a bound must not pay for it. So the refs of a process with a bound lead to
//     another mailbox, its front. To a sender, the process of the front seems to wait for mail, and
//     cannot be claimed: that leaves the fast path between processes. There the sender meets the
//     bound, and an admitted message goes to the process's own mailbox.
//   - A sending process is suspended before it sends the message, and can be cancelled there. So a
//     message is either in the mailbox or still the sender's.
//
// The protocol has one lock. A sender that finds the mailbox full enters the line, under the lock.
// When room is made, senders leave the line, under the lock. Each of them has its place in the
// mailbox by then.
//
// Rejected: to admit one more message when the process has looked at all messages and waits for
// another one to match. Few programs need that exception, and it cost time in proportion to the
// bound.

// bound is the state of a bounded mailbox, in addition to the mailbox itself.
type bound[M any] struct {
	own   *mailbox[M]
	front mailbox[M]
	gate  Proc // of the front: taken for the process

	high, low int  // read-only: full from high on, until low
	refuses   bool // read-only: senders that cannot wait are refused

	mu     seam.QuickMutex
	n      int                 // guarded by mu: messages that are in, or have a place
	full   bool                // guarded by mu
	closed bool                // guarded by mu: it has ended
	line   waitQueue[struct{}] // guarded by mu: senders that wait
}

// Option sets a property of a process: see [Spawn].
type Option interface{ set(*settings) }

// settings are the values of options. The zero value is a process without options.
type settings struct {
	high, low int // 0: no bound
	bounded   bool
	kind      kind
	wrong     string
}

// apply returns the settings of the options of a call.
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
// sends to a full mailbox is suspended until there is room; so is the caller of [Ref.SendWait].
// [Ref.TrySend] returns [ErrOverloaded]. A [Ref.Send] from outside or from a behaviour cannot wait:
// its message becomes a dead letter. WithBound panics if limit is less than 1.
//
// Trapped exits, messages of monitors, and messages that the process sends to itself are always
// admitted, and take room.
//
// Messages that a receive has looked at and left take room too. A process waits for ever if its
// mailbox is full and no message in it matches. So do two processes that send to each other while
// both mailboxes are full. [System.Blocked] shows both. Give a process that receives selectively no
// bound, or one with room for all messages that may wait.
//
// A message costs a lock for the sender and one for the process.
func WithBound(limit int) Option {
	if limit < 1 {
		misuse("WithBound: the limit is less than 1")
	}
	return limitOption{high: limit, low: limit - 1, bounded: true}
}

// WithWatermarks suspends senders as [WithBound] does, from high messages on until at most low are
// left. A send that cannot wait is admitted; only [Ref.TrySend] is refused. WithWatermarks panics
// unless 0 ≤ low < high.
func WithWatermarks(high, low int) Option {
	if low < 0 || low >= high {
		misuse("WithWatermarks: want 0 ≤ low < high")
	}
	return limitOption{high: high, low: low}
}

// limit applies the options to a new process.
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

// force gives a message a place even if there is none.
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

// admission is the answer of a bound to a sender.
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
	n := nodeFrom(from, r.p, m)
	err := r.box.rare.bound.offer(n, w, sys)
	if err != nil {
		r.p.dropContext(n)
	}
	return err
}

// nodeFrom returns a node for a message to a process, with the context that messages of an Env carry.
func nodeFrom[M any](from Env, to *Proc, m M) *node[M] {
	n := &node[M]{m: m}
	if ctx := carriedBy(from); ctx != nil {
		to.comesWith(n, ctx)
	}
	return n
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
	if p := pt.proc; p != nil {
		p.of.Store(b.own.p.id) // for reports
	}
	if claimed := b.line.awaitWithin(w, &b.mu, opMailbox, d); claimed && w.ok {
		r = admitted
	} else if claimed {
		r = neverWill
	}
	w.giveBack()
	return r
}

// try returns the error of a sender that does not wait, or nil if its message has a place.
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

// leave frees a place, gives places to senders in line while there is room, and wakes them.
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

// close releases all waiting senders: the process has ended.
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

// SendWait is [Ref.Send] for a process or goroutine that can wait. If the mailbox has a bound and
// is full, it waits until there is room. It returns [ErrNoProcess] if the process has ended; then
// the message is no dead letter. Without a bound it does not wait.
func (r Ref[M]) SendWait(by Party, m M) error {
	r.mustBe("Ref.SendWait")
	pt := enter(by, "Ref.SendWait")
	if r.p.state.Load() == ended {
		return ErrNoProcess
	}
	sys, w := envOf(by)
	if !r.box.isFront() {
		n := nodeFrom(by, r.p, m)
		r.p.sends(n, w, false)
		r.box.send(n, w, sys)
		return nil
	}
	b := r.box.rare.bound
	if !b.wait(pt) {
		return ErrNoProcess
	}
	sys, w = envOf(by) // perhaps on another worker than before
	b.put(nodeFrom(by, r.p, m), w, sys)
	return nil
}

// TrySend is [Ref.Send] with an error. It returns [ErrOverloaded] if the mailbox has a bound and is
// full, and [ErrNoProcess] if the process has ended. Then the message is no dead letter. If the
// process ends later, an accepted message becomes a dead letter.
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
	n := nodeFrom(from, r.p, m)
	r.p.sends(n, w, false)
	box.send(n, w, sys)
	return nil
}
