package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// The outside: what is done for goroutines that are no workers. See env.
//
// No worker keeps the system from being quiescent meanwhile. So what makes an actor runnable needs
// an admission first: a ticket to inject, for which a system waits that is about to be quiescent. A
// message to an actor that is busy needs none, since that actor keeps the system. Most sends to a
// busy actor thus cost one compare-and-swap.
//
// The order in which a deterministic system runs things must not depend on the machine: Point is
// where such a goroutine waits for its turn.
//
// The way of a push:
//
//	refusing?      a system in Shutdown takes replies and signals, and nothing else
//	bounded?       the message takes a place, or is refused (policy_bounded.go)
//	PushBusy       the actor is busy: done, with one compare-and-swap
//	Admit, Push    it was idle: a ticket first, then the push
//	Inject         the push has woken it: the ticket becomes its place in the inject queue
//	Leave          another sender was faster: the ticket is given back

var _ env = (*System)(nil)

// system implements env.
func (s *System) system() *System { return s }

// in implements env.
func (s *System) in(a *cell) env { return a.shared().sys }

// runs implements env.
func (s *System) runs(*cell) bool { return false }

// senderID implements env.
func (s *System) senderID() uint64 { return 0 }

// mustRun implements env: a System is valid for ever.
func (s *System) mustRun(string) {}

// newID implements env. Workers take numbers by the thousand, see idBlock. Out here each number is
// taken alone, and a hash of it says whether its actor is in the sample, so that senders share no
// state for that.
func (s *System) newID() (id uint64, sampled bool) {
	id = s.ids.Add(1)
	i := s.inspected.Load()
	return id, i != nil && i.picks(id)
}

// workerID implements env.
func (s *System) workerID() int { return -1 }

// node implements env: from the free batches of the size class, which all goroutines share.
func (s *System) node(p *sizeClass) *message { return p.TakeOne() }

// recycle implements env: the node is left to the GC.
func (s *System) recycle(*message) {}

// keepWaiter implements env.
func (s *System) keepWaiter(w *backpressure.Waiter[waiting]) {
	w.Who = waiting{} // the registry has it until the GC takes it
}

// chunkCache implements env.
func (s *System) chunkCache() *heap.Recycler { return nil }

// schedule implements env. The caller holds the system, or has another reason why it is not
// quiescent.
func (s *System) schedule(a *cell) { s.sched.Inject(&a.task) }

// countMade implements env.
func (s *System) countMade(int) {} // it is counted when it has been pushed

// countLost implements env.
func (s *System) countLost() { s.sim.count(1) }

// countDead implements env.
func (s *System) countDead(d *descriptor) {
	s.outside.deadLetters.Add(1)
	if d.bestEffort {
		s.outside.bestEffort.Add(1)
	}
}

// countUnmute implements env.
func (s *System) countUnmute() { s.outside.unmutes.Add(1) }

// countSpawned implements env.
func (s *System) countSpawned() { s.outside.spawned.Add(1) }

// marksReply implements env.
func (s *System) marksReply(m *message, to *cell) { s.sim.comes(m, sim.ByReply, to) }

// mayAct implements env: a system in Shutdown, or one that stops, turns goroutines away.
func (s *System) mayAct() error {
	if s.refusing.Load() {
		return ErrSystemStopped
	}
	return nil
}

// send implements env. A goroutine cannot be muted, so nothing holds it back here: SendWait is for
// that. What gives way under overload is refused where TrySend would refuse it.
func (s *System) send(to *cell, m *message, d *descriptor) {
	if !d.drops {
		s.sendAs(asPlain, to, m, d)
		return
	}
	// mayTry looks at the load, and takes a permit.
	// DropOnOverload from outside is a TrySend of which the refusal is a dead letter.
	if err := s.sendOrDrop(to, m, d); err != nil {
		s.lose(to, m, d, err)
	}
}

// sendOrDrop delivers a message that gives way, or says why it is to be dropped.
func (s *System) sendOrDrop(to *cell, m *message, d *descriptor) error {
	for {
		fall, down := to.fallNow(), to.suspension()
		err := s.mayTry(to, d)
		if err != nil {
			err = d.retried(s, to, err, fall, down)
		}
		if err == nil {
			return s.trySend(to, m, d)
		}
		switch keeps, again := fall.keeps(to); {
		case keeps:
			m.ID = d.id
			return s.push(to, m, asPlain)
		case !again:
			return err
		}
	}
}

// sendAs delivers a message, or makes it a dead letter.
func (s *System) sendAs(how delivery, to *cell, m *message, d *descriptor) {
	m.ID = d.id
	// A behaviour that drops on overload needs no permit here: an ask waits, so it is bounded by
	// the goroutines that ask.
	err := ErrOverloaded
	if !d.drops || to.policy().takes(to) {
		err = s.push(to, m, how)
	}
	if err != nil {
		s.lose(to, m, d, err)
	}
}

// sendRequest delivers a request, or makes it a dead letter, which its caller hears of.
func (s *System) sendRequest(how delivery, to *cell, m *message, d *descriptor) {
	if d.urgent {
		sendUrgent(s, to, m, d)
		return
	}
	s.sendAs(how, to, m, d)
}

// sendAsk is sendRequest for a goroutine that waits for the reply, and perhaps for room before.
func (s *System) sendAsk(ctx context.Context, to *cell, m *message, d *descriptor) {
	m.ID = d.id
	switch {
	case d.urgent:
		sendUrgent(s, to, m, d)
		return
	case d.drops && !to.policy().takes(to):
		s.askRefused(ctx, to, m, d, ErrOverloaded)
		return
	}
	if err := s.push(to, m, asAsked); err != nil {
		s.askRefused(ctx, to, m, d, err)
	}
}

// askRefused goes on with a request that was not pushed: it waits for room if ctx says so.
func (s *System) askRefused(ctx context.Context, to *cell, m *message, d *descriptor, err error) {
	if err == ErrOverloaded && waitsForRoom(ctx) {
		if err = to.awaitRoom(ctx); err == nil {
			err = to.policy().place(s, to, m)
		}
	}
	if err != nil {
		s.lose(to, m, d, err)
	}
}

// lose makes a dead letter of a message that was not pushed. The header is written here again: the
// way that has refused it may not have come to that.
func (s *System) lose(to *cell, m *message, d *descriptor, why error) {
	m.ID, m.From = d.id, 0
	s.countLost()
	deadLetter(s, to, m, why)
}

// mayTry implements env. What it lets pass has a permit, and so is bounded.
func (s *System) mayTry(a *cell, d *descriptor) error {
	// The order of the answers: the system, then the receiver's load, then the permits. A permit that
	// was taken and is not used goes back.
	switch {
	case s.refusing.Load():
		return ErrSystemStopped
	// What comes from outside is bounded by its permits, and not counted.
	case a.policy().refuses(a, false):
		return a.tooMuch()
	case !a.flowOf().permits.TryAcquire(a):
		return a.tooMuch()
	case s.sim.refuses(a, d): // last, or it would count what is refused anyhow
		a.flow.Load().permits.Release(1, a)
		return ErrOverloaded
	}
	return nil
}

// answer implements env.
func (s *System) answer(to *cell, m *message, d *descriptor) { answer(s, to, m, d, false) }

// trySend implements env.
func (s *System) trySend(to *cell, m *message, d *descriptor) error {
	m.ID, m.From = d.id, 0
	return to.policy().place(s, to, m)
}

// push implements env.
func (s *System) push(to *cell, m *message, how delivery) error {
	m.From = 0
	// Replies and the runtime's own messages come through until the system has stopped.
	if how < asReply && s.refusing.Load() {
		return ErrSystemStopped
	}
	if how != asSignal {
		s.sched.Point()
	}
	id := m.ID // a message that is pushed is the receiver's
	// One bit of the class, and no call of the policy: most actors have plain mail.
	if how < asReply && to.shared().bounded {
		if kept, err := to.takePlaceFor(s, m, how); kept || err != nil {
			return err
		}
	}
	// First without an admission: PushBusy leaves an idle actor alone. Most receivers that
	// goroutines send to are busy.
	r := to.box.PushBusy(m)
	if r == mpsc.PushIdle {
		// With one. The actor may be busy by now, or have ended.
		adm, ok := s.sched.Admit()
		if !ok {
			return ErrSystemStopped
		}
		r = s.pushAdmitted(adm, to, m, how != asAsked)
	}
	// A closed mailbox keeps nothing: the message is still the caller's, who makes a dead letter of
	// it or returns the error. PushWoke was counted by pushAdmitted.
	switch r {
	case mpsc.PushClosed:
		return to.endedBecause()
	case mpsc.PushQueued:
		s.sim.countUser(id)
	}
	return nil
}

// pushAdmitted pushes m with an admission, which it uses up: the task is injected, or the admission
// is given back. A message that wakes is counted before its receiver can run; the caller counts one
// that does not, since only then is it known whether the mailbox was closed.
func (s *System) pushAdmitted(adm sched.Admission, to *cell, m *message, timed bool) mpsc.Pushed {
	id := m.ID
	r := to.box.Push(m)
	if r != mpsc.PushWoke {
		adm.Leave()
		return r
	}
	s.sim.countUser(id)
	adm.InjectTimed(&to.task, timed)
	return r
}

// pushSystem implements env: steps S1 to S3 of package mpsc, under an admission, since any of them
// may make the actor runnable.
func (s *System) pushSystem(to *cell, m *message) error {
	id := m.ID // as in push
	s.sched.Point()
	// Without an admission the system could be quiescent, and stop, between S1 and S2.
	adm, ok := s.sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	// S1. An actor that ended plainly has an open system queue that no turn will ever look into.
	if to.endedPlainly() || !to.system.Push(m) {
		adm.Leave()
		return to.endedBecause()
	}
	s.sim.countUser(id)
	// Behind the push the signal is the receiver's.
	// S2, or else S3: a parked actor is taken out by its signal, any other is called by its mailbox.
	if to.wakeParked(s) {
		adm.Inject(&to.task)
	} else if s.pushAdmitted(adm, to, newSignal(s, nil), true) == mpsc.PushClosed {
		to.closeSystem(s)
	}
	return nil
}

// pushFirst implements env. The admission keeps the system from being quiescent until the actor is
// known and can run.
func (s *System) pushFirst(to *cell, m *message, publish func()) error {
	if s.refusing.Load() {
		return ErrSystemStopped
	}
	s.sched.Point()
	adm, ok := s.sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	// No sender knows the actor: the push wakes it, and only this goroutine can run it.
	to.box.Push(m)
	s.sim.countUser(m.ID)
	publish()
	adm.Inject(&to.task)
	return nil
}

// pushHeld delivers a message from a goroutine that holds the system, such as that of a Pipe. The
// hold is as good as an admission. The message comes whatever the load, and although the system may
// be refusing by now: the actor has asked for it.
func (s *System) pushHeld(to *cell, m *message) {
	id := m.ID
	switch to.box.Push(m) {
	case mpsc.PushWoke:
		s.sim.countUser(id)
		s.schedule(to)
	case mpsc.PushQueued:
		s.sim.countUser(id)
	case mpsc.PushClosed:
		if takeLate(s, to, m) {
			return // which counts it
		}
		s.sim.countUser(id)
		deadLetter(s, to, m, to.endedBecause())
	}
}

// endTimers implements env.
func (s *System) endTimers(*cell, *actorTimers) {} // a system that has stopped keeps its wheels

// askToStop implements env: a child that is not stopped in a turn is just told to stop.
func (s *System) askToStop(*child) bool { return false }

// How goroutines send to an actor from outside, and wait until they may. Package permits has the
// semaphore and its protocol, L1 to L4. A permit is for one message; it is returned when the
// message has run, so that at most permits.Max messages from outside wait for an actor.

var _ permits.Receiver = (*cell)(nil)

// acquirePermit waits for a permit to send to the actor. An error means that the caller has none. A
// goroutine that is to be given one as it gives up leaves it to the next in line (Cancel).
func (a *cell) acquirePermit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := &a.flowOf().permits
	w := l.Acquire(a)
	if w == nil {
		return nil // there was a free one
	}
	// Only a goroutine that would have to wait pays for the look where it is.
	if _, me := callerHere(); me != nil {
		l.Cancel(w, a) // or the goroutines behind it would wait for ever
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	// A process has Send, which suspends it, and leaves its worker to others.
	if in, _ := processHere(); in != nil {
		l.Cancel(w, a) // as above
		panic("gallop: SendWait called from a process, which would keep its worker waiting: use Send")
	}
	return a.awaitPermit(ctx, w, nil)
}

// awaitRoom is acquirePermit for an Ask, which hands the worker over if it waits in a behaviour or a
// process, as for the reply.
func (a *cell) awaitRoom(ctx context.Context) (err error) {
	l := &a.flowOf().permits
	w := l.Acquire(a)
	if w == nil {
		return nil
	}
	e, me := callerHere()
	if me.sameThread(a) { // its room comes when this turn is over
		l.Cancel(w, a)
		return ErrDeadlock
	}
	if !waitIn(e, func() {
		defer me.hasWaited(me.prepareWait())
		err = a.awaitPermit(ctx, w, me.systemDone())
	}) {
		l.Cancel(w, a)
		return ErrTooManyBlocked
	}
	return err
}

// awaitPermit waits in line for a permit, unless ctx ends or over is closed.
func (a *cell) awaitPermit(ctx context.Context, w *permits.Waiter, over <-chan struct{}) error {
	l := &a.flow.Load().permits
	// Counted for reports alone: what Wait and Shutdown wait for.
	a.sys().waiters.Add(1)
	defer a.sys().waiters.Add(-1)
	// A deterministic system is driven by those that wait for it; in another one Await does nothing.
	// It returns as soon as came reports true.
	came := func() bool { return w.Woken() || a.sys().done.isDone() }
	if a.sys().sched.Await(ctx, came) && !a.sys().done.isDone() {
		l.WakeNext()
		return nil
	}
	// The permit comes with the token. The one that has it wakes the next in line.
	select {
	case <-w.Token():
		l.WakeNext()
		return nil
	case <-ctx.Done():
		l.Cancel(w, a)
		return ctx.Err()
	case <-a.sys().done.done:
	case <-over:
	}
	l.Cancel(w, a)
	return ErrSystemStopped
}

// Open implements permits.Receiver: it reports whether an actor takes messages from outside. The
// policy of its mail says so.
func (a *cell) Open(how permits.Entrance) bool { return a.policy().lets(a, how) }

// admit lets goroutines in after the gate was opened, with a release of no permits: those in line
// look again. Owner only.
func (f *flow) admit(a *cell) { f.permits.Release(0, a) }

// returnPermits gives permits back for messages that have run: L4. If only such messages overload
// the actor, it has recovered: it would not recover while more come in, and an overloaded actor is
// never muted. Owner only.
func (a *cell) returnPermits(c *Context) {
	f := a.flow.Load() // made by the first goroutine that took a permit
	// A permit return is none of the batch, so a message runs before that is spent again.
	c.left++
	f.permits.Release(permits.Step, a)
	if f.batchOnly.Load() && !a.gate.Waited(&gateMark) {
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
}
