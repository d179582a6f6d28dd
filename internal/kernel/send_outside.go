package kernel

import (
	"context"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/permits"
	"github.com/gallop-go/gallop/sched"
)

// The outside: the Env of goroutines that are no workers, which the System implements.
//
// No worker keeps the system from being quiescent meanwhile. So a step that makes an actor runnable
// needs an admission first: a ticket to inject. The system does not become quiescent while a ticket
// is out. A message to a busy actor needs none, since that actor keeps the system. Most sends to a
// busy actor thus cost one compare-and-swap.
//
// The order of events in a deterministic system must not depend on the machine: at Point such a
// goroutine waits for its turn.
//
// The way of a push:
//
//	refusing?      a system in Shutdown takes replies and signals, and nothing else
//	bounded?       the message takes a place, or is refused (policy_bounded.go)
//	PushBusy       the actor is busy: done, with one compare-and-swap
//	Admit, Push    it was idle: a ticket first, then the push
//	Inject         the push has woken it: the ticket becomes its place in the inject queue
//	Leave          another sender was faster: the ticket is given back

var _ Env = (*System)(nil)

// InSystem implements Env.
func (s *System) InSystem() *System { return s }

// Turn implements Env.
func (s *System) Turn() *Turn { return nil }

// In implements Env.
func (s *System) In(a *Cell) Env { return a.Shared().Sys }

// newID returns a number for an actor that is spawned outside. Workers take numbers by the
// thousand: see idBlock. Outside, each number is taken alone. A hash of the number decides whether
// its actor is in the sample, so that senders share no state for that.
func (s *System) newID() (id uint64, sampled bool) {
	id = s.ids.Add(1)
	i := s.inspected.Load()
	return id, i != nil && (*i).Picks(id)
}

// Node implements Env: from the free batches of the size class, which all goroutines share.
func (s *System) Node(p *SizeClass) *Message { return p.TakeOne() }

// schedule implements Env. The caller holds the system, or has another reason why it is not
// quiescent.
func (s *System) schedule(a *Cell) { s.Sched.Inject(&a.Task) }

// mayAct implements Env: a system in Shutdown, or one that stops, turns goroutines away.
func (s *System) mayAct() error {
	if s.Refusing.Load() {
		return ErrSystemStopped
	}
	return nil
}

// Send implements Env. A goroutine cannot be muted, so Send does not wait; SendWait does. A message
// with DropOnOverload is refused where TrySend would refuse it.
func (s *System) Send(to *Cell, m *Message, d *Descriptor) {
	if !d.Drops {
		s.sendAs(AsPlain, to, m, d)
		return
	}
	// DropOnOverload from outside is a TrySend whose refusal is a dead letter. mayTry looks at the
	// load, and takes a permit.
	if err := s.sendOrDrop(to, m, d); err != nil {
		s.lose(to, m, d, err)
	}
}

// sendOrDrop delivers a message with DropOnOverload, or returns the reason to drop it.
func (s *System) sendOrDrop(to *Cell, m *Message, d *Descriptor) error {
	for {
		was := to.Flow.Load().downtime()
		err := s.mayTry(to, d)
		if err != nil {
			err = d.retried(s, to, err, was)
		}
		if err == nil {
			return s.trySend(to, m, d)
		}
		switch keeps, again := was.fall.keeps(to); {
		case keeps:
			m.ID = d.ID
			return s.Push(to, m, AsPlain)
		case !again:
			return err
		}
	}
}

// sendAs delivers a message, or makes it a dead letter.
func (s *System) sendAs(how delivery, to *Cell, m *Message, d *Descriptor) {
	m.ID = d.ID
	// A behaviour that drops on overload needs no permit here: an ask waits, so it is bounded by
	// the goroutines that ask.
	err := ErrOverloaded
	if !d.Drops || to.policy().takes(to) {
		err = s.Push(to, m, how)
	}
	if err != nil {
		s.lose(to, m, d, err)
	}
}

// SendRequest delivers a request, or makes it a dead letter, which answers its caller. Any
// goroutine.
func (s *System) SendRequest(how delivery, to *Cell, m *Message, d *Descriptor) {
	if d.Urgent {
		SendUrgent(s, to, m, d)
		return
	}
	s.sendAs(how, to, m, d)
}

// SendAsk is SendRequest for a goroutine that waits for the reply, and perhaps for room before. Any
// goroutine.
func (s *System) SendAsk(ctx context.Context, to *Cell, m *Message, d *Descriptor) {
	m.ID = d.ID
	switch {
	case d.Urgent:
		SendUrgent(s, to, m, d)
		return
	case d.Drops && !to.policy().takes(to):
		s.askRefused(ctx, to, m, d, ErrOverloaded)
		return
	}
	if err := s.Push(to, m, asAsked); err != nil {
		s.askRefused(ctx, to, m, d, err)
	}
}

// askRefused goes on with a request that was not pushed: it waits for room if ctx says so.
func (s *System) askRefused(ctx context.Context, to *Cell, m *Message, d *Descriptor, err error) {
	if err == ErrOverloaded && waitsForRoom(ctx) {
		if err = to.awaitRoom(ctx); err == nil {
			err = Place(s, to, m)
		}
	}
	if err != nil {
		s.lose(to, m, d, err)
	}
}

// RoomKey is the key of the mark that actor.WaitForRoom leaves in a context.
type RoomKey struct{}

// waitsForRoom reports whether ctx has the mark of WaitForRoom.
func waitsForRoom(ctx context.Context) bool { return ctx.Value(RoomKey{}) != nil }

// lose makes a dead letter of a message that was not pushed. It writes the header again, since the
// refusal may have come before the header was written.
func (s *System) lose(to *Cell, m *Message, d *Descriptor, why error) {
	m.ID, m.From = d.ID, 0
	CountLost(s)
	MakeDeadLetter(s, to, m, why)
}

// mayTry implements Env. A message that it lets pass has a permit, so their number is bounded.
func (s *System) mayTry(a *Cell, d *Descriptor) error {
	// The order of the answers: the system, then the receiver's load, then the permits. A permit
	// that was taken and is not used goes back.
	switch {
	case s.Refusing.Load():
		return ErrSystemStopped
	// Messages from outside are bounded by their permits, and not counted.
	case a.policy().refuses(a, false):
		return a.tooMuch()
	case !a.FlowOf().Permits.TryAcquire(a):
		return a.tooMuch()
	case s.Sim.refuses(a, d): // last: it counts, and must not count other refusals
		a.Flow.Load().Permits.Release(1, a)
		return ErrOverloaded
	}
	return nil
}

// Answer implements Env.
func (s *System) Answer(to *Cell, m *Message, d *Descriptor) { Answer(s, to, m, d, false) }

// trySend implements Env.
func (s *System) trySend(to *Cell, m *Message, d *Descriptor) error {
	m.ID, m.From = d.ID, 0
	return Place(s, to, m)
}

// Push implements Env.
func (s *System) Push(to *Cell, m *Message, how delivery) error {
	m.From = 0
	// Replies and the runtime's own messages come through until the system has stopped.
	if how < asReply && s.Refusing.Load() {
		return ErrSystemStopped
	}
	if how != asSignal {
		s.Sched.Point()
	}
	id := m.ID // a message that is pushed is the receiver's
	// A look at one bit saves a call of the policy: most actors have plain mail.
	if how < asReply && to.Shared().bounded {
		if kept, err := to.takePlaceFor(s, m, how); kept || err != nil {
			return err
		}
	}
	// First without an admission: PushBusy does not push to an idle actor. Most receivers that
	// goroutines send to are busy.
	r := to.Box.PushBusy(m)
	if r == mpsc.PushIdle {
		// Then with an admission. The actor may be busy by now, or have ended.
		adm, ok := s.Sched.Admit()
		if !ok {
			return ErrSystemStopped
		}
		r = s.pushAdmitted(adm, to, m, how != asAsked)
	}
	// A closed mailbox takes no message: the caller still has it, and makes a dead letter of it or
	// returns the error. pushAdmitted has counted a message that woke its receiver.
	switch r {
	case mpsc.PushClosed:
		return to.endedBecause()
	case mpsc.PushQueued:
		s.Sim.countUser(id)
	}
	return nil
}

// pushAdmitted pushes m with an admission, which it uses up: the task is injected, or the admission
// is given back. A message that wakes its receiver is counted before the receiver can run. The
// caller counts any other message, if the mailbox was not closed.
func (s *System) pushAdmitted(adm sched.Admission, to *Cell, m *Message, timed bool) mpsc.Pushed {
	id := m.ID
	r := to.Box.Push(m)
	if r != mpsc.PushWoke {
		adm.Leave()
		return r
	}
	s.Sim.countUser(id)
	adm.InjectTimed(&to.Task, timed)
	return r
}

// pushSystem implements Env: steps S1 to S3 of package mpsc, under an admission, since any of them
// may make the actor runnable.
func (s *System) pushSystem(to *Cell, m *Message) error {
	id := m.ID // as in Push
	s.Sched.Point()
	// Without an admission the system could be quiescent, and stop, between S1 and S2.
	adm, ok := s.Sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	// S1. An actor that ended plainly has an open system queue, and no turn will look into it.
	if to.endedPlainly() || !to.System.Push(m) {
		adm.Leave()
		return to.endedBecause()
	}
	s.Sim.countUser(id)
	// After the push the signal is the receiver's.
	// S2, or else S3: a parked actor is woken at once, any other through its mailbox.
	if to.WakeParked(s) {
		adm.Inject(&to.Task)
	} else if s.pushAdmitted(adm, to, NewSignal(s, nil), true) == mpsc.PushClosed {
		to.closeSystem(s)
	}
	return nil
}

// pushFirst implements Env. It has an admission to the scheduler ([sched.Admission]), which keeps
// the system from being quiescent until the actor is known and can run.
func (s *System) pushFirst(to *Cell, m *Message, publish func()) error {
	if s.Refusing.Load() {
		return ErrSystemStopped
	}
	s.Sched.Point()
	adm, ok := s.Sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	// No sender knows the actor: the push wakes it, and only this goroutine can run it.
	to.Box.Push(m)
	s.Sim.countUser(m.ID)
	publish()
	adm.Inject(&to.Task)
	return nil
}

// PushHeld delivers a message from a goroutine that holds the system, such as that of a Pipe. The
// hold serves as an admission. The actor has asked for the message, so it is delivered under any
// load, and also while the system refuses mail from outside. Any goroutine with such a hold.
func (s *System) PushHeld(to *Cell, m *Message) {
	id := m.ID
	switch to.Box.Push(m) {
	case mpsc.PushWoke:
		s.Sim.countUser(id)
		s.schedule(to)
	case mpsc.PushQueued:
		s.Sim.countUser(id)
	case mpsc.PushClosed:
		if takeLate(s, to, m) {
			return // which counts it
		}
		s.Sim.countUser(id)
		MakeDeadLetter(s, to, m, to.endedBecause())
	}
}

// Waiting sends from outside. Package permits has the semaphore and its protocol, L1 to L4. A
// permit is for one message; it is returned when the message has run, so that at most permits.Max
// messages from outside wait for an actor.

var _ permits.Receiver = (*Cell)(nil)

// AcquirePermit waits for a permit to send to the actor. If it returns an error the caller has no
// permit. A goroutine that gives up while a permit is on its way leaves the permit to the next in
// line (Cancel). Any goroutine.
func (a *Cell) AcquirePermit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := &a.FlowOf().Permits
	w := l.Acquire(a)
	if w == nil {
		return nil // there was a free one
	}
	// The check for a behaviour is expensive, so it is made only if the goroutine has to wait.
	if _, me := CallerHere(); me != nil {
		l.Cancel(w, a) // or the goroutines after it would wait for ever
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	// A process has Send, which suspends it, and leaves its worker to others.
	if in, _ := processHere(); in != nil {
		l.Cancel(w, a) // as above
		panic("gallop: SendWait called from a process, which would keep its worker waiting: use Send")
	}
	return a.awaitPermit(ctx, w, nil)
}

// awaitRoom is AcquirePermit for an Ask, which hands the worker over if it waits in a behaviour or
// a process, as for the reply.
func (a *Cell) awaitRoom(ctx context.Context) (err error) {
	l := &a.FlowOf().Permits
	w := l.Acquire(a)
	if w == nil {
		return nil
	}
	e, me := CallerHere()
	if SameThread(me, a) { // its room comes when this turn is over
		l.Cancel(w, a)
		return ErrDeadlock
	}
	if !WaitIn(e, func() {
		defer HasWaited(me, PrepareWait(me))
		err = a.awaitPermit(ctx, w, SystemDone(me))
	}) {
		l.Cancel(w, a)
		return ErrTooManyBlocked
	}
	return err
}

// awaitPermit waits in line for a permit, unless ctx ends or over is closed.
func (a *Cell) awaitPermit(ctx context.Context, w *permits.Waiter, over <-chan struct{}) error {
	l := &a.Flow.Load().Permits
	// The number of waiting goroutines is counted for reports only. Wait and Shutdown do not wait
	// for them.
	a.Sys().Waiters.Add(1)
	defer a.Sys().Waiters.Add(-1)
	// Await drives a deterministic system until came reports true; in another system it does
	// nothing.
	came := func() bool { return w.Woken() || a.Sys().Done.isDone() }
	if a.Sys().Sched.Await(ctx, came) && !a.Sys().Done.isDone() {
		l.WakeNext()
		return nil
	}
	// The permit comes with the token. Its holder wakes the next in line.
	select {
	case <-w.Token():
		l.WakeNext()
		return nil
	case <-ctx.Done():
		l.Cancel(w, a)
		return ctx.Err()
	case <-a.Sys().Done.Done:
	case <-over:
	}
	l.Cancel(w, a)
	return ErrSystemStopped
}

// Open implements permits.Receiver: it reports whether an actor takes messages from outside. The
// policy of its mail says so.
func (a *Cell) Open(how permits.Entrance) bool { return a.policy().lets(a, how) }

// admit lets goroutines in after the gate was opened. It releases no permits, which makes the
// goroutines in line look again. Owner only.
func (f *flow) admit(a *Cell) { f.Permits.Release(0, a) }

// ReturnPermits gives permits back for messages that have run: L4. If only such messages overload
// the actor, it has recovered: it would not recover while more come in, and an overloaded actor is
// never muted. Owner only.
func (a *Cell) ReturnPermits(c *Turn) {
	f := a.Flow.Load() // made by the first goroutine that took a permit
	// A permit return does not count for the batch, so a message runs before the next one.
	c.left++
	f.Permits.Release(permits.Step, a)
	if f.BatchOnly.Load() && !a.Gate.Waited(&GateMark) {
		a.SetLoad(c, a.Load&^backpressure.Overloaded)
	}
}
