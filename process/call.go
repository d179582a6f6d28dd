package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// ReplyTo is the address for the reply to a request, and is part of the request. Any process may
// reply, once.
type ReplyTo[R any] struct{ a Asked[R] }

// answer is a reply, or the reason why there is none.
type answer[R any] struct {
	v   R
	err error
	// failed: err was given to Fail, and does not tell of the end of the asked process.
	failed bool
}

// Reply sends the reply. It reports whether the caller receives it: it is the first reply, and the
// caller has not given up.
func (r ReplyTo[R]) Reply(from Env, v R) bool { return r.answer(from, answer[R]{v: v}) }

// Fail is [ReplyTo.Reply] with an error, which the caller receives unchanged.
func (r ReplyTo[R]) Fail(from Env, err error) bool {
	return r.answer(from, answer[R]{err: err, failed: true})
}

func (r ReplyTo[R]) answer(from Env, a answer[R]) bool {
	must(r.a.m != nil, "Reply by a zero ReplyTo")
	sys, w := act(from)
	if !r.a.m.stop() {
		return false
	}
	if f := r.a.m.heard; f != nil && (a.failed || a.err == nil) {
		f(from, a.v, a.err)
	}
	r.a.c.offer(w, sys, a)
	return true
}

// NewReply returns a pending reply and the address for it. It is for requests that are not messages
// to processes. For messages use [Ask], which returns an error if the process ends without a reply.
func NewReply[R any]() (Asked[R], ReplyTo[R]) {
	a := Asked[R]{c: NewChan[answer[R]](1), m: &question[R]{}}
	return a, ReplyTo[R]{a}
}

// Asked is a request that was sent: see [Ask].
type Asked[R any] struct {
	c *Chan[answer[R]]
	m *question[R]
}

// question is a request that is to be answered, and the observation of the asked process.
type question[R any] struct {
	monitor
	// heard is told of the reply, if not nil: see ForActorsOf.OnReply. It is set before the request
	// is sent.
	heard func(from Env, v R, err error)
}

// Ask sends a process the message that request makes, with an address for the reply. It waits only
// if the sender is a process and the mailbox is full: see [WithBound]. If the asked process ends
// before it has replied, the reply is an error: see [Asked.Reply]. If the sender is a process and
// ends first, the request is withdrawn, and the reply is [ErrNoProcess].
func Ask[M, R any](from Env, to Ref[M], request func(ReplyTo[R]) M) Asked[R] {
	to.mustBe("Ask")
	must(request != nil, "Ask: request is nil")
	a, ok := askedOf[R](from, to.Process, processOfEnv(from))
	if !ok {
		return a
	}
	sent := false
	defer func() {
		if !sent {
			a.giveUp()
		}
	}()
	ask(from, to, a, request)
	sent = true
	return a
}

// ask sends the request that is answered by a.
func ask[M, R any](from Env, to Ref[M], a Asked[R], request func(ReplyTo[R]) M) {
	if err := to.request(from, request(ReplyTo[R]{a})); err != nil {
		ReplyTo[R]{a}.answer(from, answer[R]{err: err})
	}
}

// processOfEnv returns the process of an Env, or nil.
func processOfEnv(from Env) *Proc {
	if by, ok := from.(Party); ok && !isNil(from) {
		return by.self()
	}
	return nil
}

// askedOf returns the Asked to which the answer of a process comes. If owner is not nil, the Asked
// ends with that process. askedOf reports false if the process has ended; then the answer is there.
func askedOf[R any](from Env, to Process, owner *Proc) (a Asked[R], ok bool) {
	sys, w := envOf(from)
	a = Asked[R]{c: NewChan[answer[R]](1)}
	a.m = &question[R]{monitor: monitor{of: to.p, owner: owner, asks: true,
		tell: func(d Down, w *sched.Worker, by *System) {
			if d.Reason == nil {
				d.Reason = ErrNoProcess
			}
			a.c.offer(w, by, answer[R]{err: d.Reason})
		}}}
	if !a.m.enter() {
		a.m.fire(Down{to, ErrNoProcess}, w, sys)
		return a, false
	}
	return a, true
}

// Reply waits for the reply. If the asked process has ended, the error is its reason, or
// [ErrNoProcess] if it ended normally or before it was asked. If its mailbox was full and the
// request could not wait, the error is [ErrOverloaded]. Call Reply once, unless the case
// [Asked.Replied] is used instead.
func (a Asked[R]) Reply(by Party) (R, error) {
	must(a.c != nil, "Reply of a zero Asked")
	r := a.wait(enter(by, "Asked.Reply"))
	return r.v, r.err
}

// wait waits for the reply.
func (a Asked[R]) wait(pt *party) answer[R] {
	if p := pt.proc; p != nil {
		p.of.Store(a.m.askedID())
	}
	r, _ := a.c.recv(pt, opReply)
	pt.failed = r.failed
	return r
}

// askedID returns the number of the process that was asked; 0: it is none.
func (m *monitor) askedID() uint64 {
	if m.of == nil {
		return 0
	}
	return m.of.id
}

// Replied is the case that the reply has come; *v and *err are as with [Asked.Reply], and may
// be nil.
func (a Asked[R]) Replied(v *R, err *error) Case { return a.replied(v, err) }

func (a Asked[R]) replied(v *R, err *error) *askCase[R] {
	must(a.c != nil, "Replied of a zero Asked")
	k := &askCase[R]{v: v, err: err, of: a.m.askedID()}
	k.recvCase = recvCase[answer[R]]{chanCase[answer[R]]{c: a.c}, &k.got, nil}
	return k
}

type askCase[R any] struct {
	recvCase[answer[R]]
	of  uint64 // the process that was asked; 0: it is none
	got answer[R]
	v   *R
	err *error
}

func (k *askCase[R]) waits() (op, uint64) { return opReply, k.of }

func (k *askCase[R]) finish(byOther bool) {
	k.recvCase.finish(byOther)
	if k.v != nil {
		*k.v = k.got.v
	}
	if k.err != nil {
		*k.err = k.got.err
	}
}

// CallOption sets a property of one call: see [Within]. The zero CallOption has no effect.
type CallOption struct{ within time.Duration }

// Within gives a call a time-out: if there is no reply after d, by the clock of the caller's
// system, the call returns [ErrTimeout]. In deterministic runs that clock is virtual. The deadline
// of a context goes by the machine's clock: use [Ask], and a [Select] with [Done] and
// [Asked.Replied].
func Within(d time.Duration) CallOption { return CallOption{max(d, 1)} }

// limitOf returns the time-out of a call; 0: none. The last of several counts.
func limitOf(opts []CallOption) (d time.Duration) {
	for _, o := range opts {
		if o.within != 0 {
			d = o.within
		}
	}
	return d
}

// Call sends a request as [Ask] does and waits for the reply, with [Within] for a limited time. The
// error is as with [Asked.Reply], or [ErrTimeout]. A caller waits for room in the mailbox as in
// [Ref.SendWait]. That is part of the time, and without room no request is made.
func Call[M, R any](by Party, to Ref[M], request func(ReplyTo[R]) M, opts ...CallOption) (R, error) {
	to.mustBe("Call")
	d := limitOf(opts)
	must(request != nil, "Call: request is nil")
	pt := enter(by, "Call")
	if to.box.isFront() {
		return callBounded(pt, by, to, d, request)
	}
	a, ok := askedOf[R](by, to.Process, nil)
	defer a.giveUp()
	if ok {
		ask(by, to, a, request)
	}
	return a.within(pt, by, d)
}

// giveUp withdraws an unanswered request. The asking process may be unwinding.
func (a Asked[R]) giveUp() {
	if !a.m.spent.Load() {
		a.m.stop()
	}
}

// callBounded is Call of a process with a bound.
func callBounded[M, R any](pt *party, by Party, to Ref[M], d time.Duration,
	request func(ReplyTo[R]) M) (R, error) {
	a, _ := askedOf[R](by, to.Process, nil)
	defer a.giveUp()
	b, end := to.box.rare.bound, seam.After(pt.sys.clock.Nanos(), d)
	switch b.waitWithin(pt, d) {
	case admitted:
		m := makeRequest(b, by, a, request)
		sys, w := envOf(by) // perhaps on another worker than before
		b.put(nodeFrom(by, to.p, m), w, sys)
	case mustWait:
		pt.failed = false
		return *new(R), ErrTimeout
	case neverWill: // the reply says so
	}
	if d > 0 {
		d = max(1, time.Duration(end-pt.sys.clock.Nanos()))
	}
	return a.within(pt, by, d)
}

// makeRequest makes the request for which the caller has a place in the mailbox. The place is given
// back if request does not return.
func makeRequest[M, R any](b *bound[M], by Party, a Asked[R], request func(ReplyTo[R]) M) M {
	made := false
	defer func() {
		if !made {
			b.giveBack(by)
		}
	}()
	m := request(ReplyTo[R]{a})
	made = true
	return m
}

// within is Reply, at most for d if that is positive.
func (a Asked[R]) within(pt *party, by Party, d time.Duration) (R, error) {
	if d <= 0 {
		r := a.wait(enter(by, "Call"))
		return r.v, r.err
	}
	var v R
	var err error
	k := a.replied(&v, &err)
	if Select(by, k, After(d)) == 1 {
		pt.failed = false
		return v, ErrTimeout
	}
	pt.failed = k.got.failed
	return v, err
}
