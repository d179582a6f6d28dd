package actor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/seam"
)

// PressureDeadlock describes actors that have waited for long for an actor that applies
// pressure, and that might wait for ever. Either they wait in a circle, or no other work
// is left in the system.
//
// The runtime has released the actors in Waits that wait for Pressed itself, so that they
// run the mail that they have. If the pressure lasts, it does so again, each time after
// twice as long, or after the same time if the system is Idle.
type PressureDeadlock struct {
	// Pressed is the actor that has applied pressure.
	Pressed ActorName
	// Waits has an edge for each waiting actor, nearest to Pressed first, at most 32.
	Waits []WaitEdge
	// Closed says that the waiting may go in a circle: a waiting actor has a message from
	// Pressed in its mailbox, and Pressed may wait for the effect of that message.
	Closed bool
	// Idle says that nothing else was queued or running in the system, and no hold was taken:
	// only a goroutine outside, which ought to have a [System.Hold], could end the pressure.
	Idle bool
}

// Deadlock reports whether nothing in the system could have ended the waiting.
func (r PressureDeadlock) Deadlock() bool { return r.Closed && r.Idle }

// String says in one line who waits for whom, as in "socket#1 is under pressure;
// reader#2 waits for socket#1 with 3 messages, among them done from socket#1; log#3
// waits for reader#2 with 0 messages".
func (r PressureDeadlock) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v is under pressure", r.Pressed)
	for _, w := range r.Waits {
		s.WriteString("; " + w.describe(r.Pressed.String()))
	}
	return s.String()
}

// WaitEdge says that one actor is muted and waits for another.
type WaitEdge struct {
	// Who is the actor that is muted.
	Who ActorName
	// For is the actor that it waits for.
	For ActorName
	// Mail is the number of its messages, counted up to 1,000: 1,000 may mean more.
	Mail int
	// From is the behaviour of one of these messages that was sent by the actor under
	// pressure; "" if there is none.
	From string
}

// String returns a text such as "log#3 waits for reader#2 with 3 messages, among them
// done from the actor under pressure". The actor under pressure need not be reader#2;
// [PressureDeadlock.String] has its name.
func (w WaitEdge) String() string { return w.describe("the actor under pressure") }

func (w WaitEdge) describe(pressed string) string {
	s := fmt.Sprintf("%v waits for %v with %d messages", w.Who, w.For, w.Mail)
	if w.From != "" {
		s += ", among them " + w.From + " from " + pressed
	}
	return s
}

const (
	deadlockPeriod = 30 * time.Millisecond // between two looks at the actors under pressure
	deadlockFirst  = 2                     // looks before the first release: 30 to 60 ms
	deadlockMost   = 256                   // looks between two releases, at most: about 8 s
	maxWaits       = 32                    // in a report
	maxMail        = 1000                  // messages looked at in one mailbox
)

// deadlockWatch looks after actors under pressure for which others are muted. Applied pressure is
// the only cause that can keep an actor muted for ever; package backpressure shows that muting
// alone cannot. The watch is an alarm that is set only while there are such actors.
//
// The watch decides nothing itself. It sends the actor under pressure a message, and the actor
// decides in its own turn, as the owner of its gate. If the pressure has been released meanwhile,
// the message does nothing.
type deadlockWatch struct {
	sys   *kernelSystem
	mu    seam.Mutex
	roots []*cell    // guarded by mu
	alarm seam.Alarm // guarded by mu; nil: it was never needed
	ended bool       // guarded by mu
	// Closed after the next look; nil: next was not called. Guarded by mu.
	asked chan struct{}
}

// deadlockState is the state of the watch for one actor. Guarded by the watch's mu.
type deadlockState struct {
	listed bool
	which  uint32 // the application of pressure that looks and lookAt belong to
	looks  int    // looks since an actor waits, or since the last release
	lookAt int    // the number of looks at which the next release is due
}

// watch begins to look after a, which is under pressure and for which an actor waits. Any
// goroutine.
func (s *deadlockWatch) watch(a *cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := a.flow.Load()
	if f.deadlock.listed {
		return
	}
	f.deadlock.listed, f.deadlock.looks = true, 0
	s.roots = append(s.roots, a)
	if len(s.roots) == 1 && !s.ended {
		s.arm()
	}
}

// arm sets the alarm. Caller holds mu.
func (s *deadlockWatch) arm() {
	clock := s.sys.deadlockClock()
	if s.alarm == nil {
		s.alarm = clock.NewAlarm(s.tick)
	}
	s.alarm.Set(clock.Nanos() + int64(s.sys.opts.deadlockPeriod))
}

// tick looks once.
func (s *deadlockWatch) tick() {
	idle := s.sys.onlyMuted()
	for _, a := range s.look() {
		word := uint64(0)
		if idle {
			word = 1
		}
		_ = s.sys.push(a, newOwn(s.sys, deadlockID, word), asSignal) // an error: it has ended
	}
	s.mu.Lock()
	s.looked()
	s.mu.Unlock()
}

// next returns a channel that is closed after the next look. It returns nil if no actor waits for
// an actor under pressure, so that the watch has no actor to release. Any goroutine.
func (s *deadlockWatch) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.releases() {
		return nil
	}
	if s.asked == nil {
		s.asked = make(chan struct{})
	}
	return s.asked
}

// waited reports whether an actor waits for an actor under pressure. Any goroutine.
func (s *deadlockWatch) waited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.releases()
}

// releases reports whether the watch has an actor to release. Caller holds mu.
func (s *deadlockWatch) releases() bool {
	waits := func(a *cell) bool {
		return a.flow.Load().pressed.Load() != 0 && a.gate.Waited(&gateMark)
	}
	return !s.ended && slices.ContainsFunc(s.roots, waits)
}

// looked closes the channel that next returned. Caller holds mu.
func (s *deadlockWatch) looked() {
	if s.asked != nil {
		close(s.asked)
		s.asked = nil
	}
}

// look counts a look at every watched actor and returns the actors for which a release is due. It
// forgets actors that are no longer under pressure, or for which no actor waits. The next actor
// that waits for such an actor has it watched again, after it has entered the wait list.
func (s *deadlockWatch) look() (lookAt []*cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	keep := s.roots[:0]
	for _, a := range s.roots {
		f := a.flow.Load()
		which := f.pressed.Load()
		if which == 0 || !a.gate.Waited(&gateMark) {
			f.deadlock.listed = false
			continue
		}
		keep = append(keep, a)
		if f.deadlock.count(which) {
			lookAt = append(lookAt, a)
		}
	}
	clear(s.roots[len(keep):])
	s.roots = keep
	if len(keep) > 0 {
		s.arm()
	}
	return lookAt
}

// count counts a look and reports whether a release is due.
func (t *deadlockState) count(which uint32) bool {
	if t.which != which {
		t.which, t.looks, t.lookAt = which, 0, deadlockFirst
	}
	if t.looks++; t.looks < t.lookAt {
		return false
	}
	t.looks, t.lookAt = 0, min(2*t.lookAt, deadlockMost)
	return true
}

// soon makes the next release due after deadlockFirst looks.
func (s *deadlockWatch) soon(a *cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.flow.Load().deadlock.lookAt = deadlockFirst
}

// end stops the watch and ends the actors under pressure for which a sender is muted. They may be
// idle, so that no worker would end them, and the muted senders would not end either.
func (s *deadlockWatch) end() {
	s.mu.Lock()
	s.ended = true
	roots := s.roots
	s.roots = nil
	s.looked()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.mu.Unlock()
	for _, a := range roots {
		if a.box.Push(newOwn(s.sys, deadlockID, 0)) == mpsc.PushWoke {
			a.shared().TaskTerminated(nil, &a.task, ErrSystemStopped) // it was idle and is ours
		}
	}
}

// onlyMuted reports whether the system would be quiescent if no actors were muted.
func (s *kernelSystem) onlyMuted() bool {
	holds, ok := s.sched.OnlyHolds()
	if !ok {
		return false
	}
	st := s.Stats() // exact while nothing runs
	return holds == int64(st.Mutes-st.Unmutes)
}

// resolveDeadlock releases the actors that have waited for long for a, which is under pressure. It
// reports the deadlock if the waiting might never have ended. Owner only, in a turn.
func resolveDeadlock(a *cell, c *kernelTurn, idle bool) {
	if a.load&backpressure.Pressed == 0 || !a.gate.Waited(&gateMark) {
		return // it has come to an end by itself
	}
	r := collectWaits(a)
	r.Idle = idle
	c.count.released.Add(releaseWaiters(c, a.gate.Drain(&gateMark)))
	if r.Idle {
		a.sys().deadlocks.soon(a)
	}
	if r.Closed || r.Idle {
		c.count.deadlocks.Add(1)
		a.sys().reportDeadlock(r)
	}
}

// collectWaits collects the actors that wait for a, the actors that wait for these, and so on.
// Owner only. All of them are parked and stay so, since only the owner opens the gate of a. An
// actor that is woken by a signal is an exception: see peekMail.
func collectWaits(a *cell) PressureDeadlock {
	r := PressureDeadlock{Pressed: a.actorName()}
	for next := []*cell{a}; len(next) > 0 && len(r.Waits) < maxWaits; next = next[1:] {
		at := next[0]
		at.gate.Each(&gateMark, func(w waiting) bool {
			// Pairs with the swap in Park: the actor's earlier writes are visible.
			if w.muted.blockedOn.Parked() {
				wait := waitEdge(w.muted, at, a)
				r.Closed = r.Closed || wait.From != ""
				r.Waits = append(r.Waits, wait)
				next = append(next, w.muted)
			}
			return len(r.Waits) < maxWaits
		})
	}
	return r
}

// waitEdge describes an actor that waits for at, and through it for root.
func waitEdge(a *cell, at, root *cell) WaitEdge {
	w := WaitEdge{Who: a.actorName(), For: at.actorName()}
	peekMail(a, func(from uint64, id uint16) bool {
		w.Mail++
		if decls := a.typ().decls; from == root.id && !isOwn(id) && int(id) < len(decls) {
			w.From = decls[id].name
		}
		return w.Mail < maxMail
	})
	return w
}

// peekMail calls f with sender and behaviour of each message of an actor's mail, until f returns
// false. The actor is parked, but Stop and Kill wake it: then its mail may run meanwhile, and its
// nodes may be reused. So the result is a hint, as that of Context.peek is.
//
//go:norace
func peekMail(a *cell, f func(from uint64, id uint16) bool) {
	a.box.Peek(&a.in, maxMail, func(m *message) bool { return f(peekedFrom(m), peekedID(m)) })
}

// peekedFrom returns the sender of a message, as peekedID returns its behaviour. It is a function
// of its own because the pragma of peekMail does not apply to a function literal.
//
//go:norace
//go:noinline
func peekedFrom(m *message) uint64 { return m.From &^ msg.HasPlace }

func (s *kernelSystem) reportDeadlock(r PressureDeadlock) {
	if i := s.inspected.Load(); i != nil {
		i.deadlock(r)
	}
	if f := s.opts.onDeadlock; f != nil {
		s.guard("Hooks.PressureDeadlock", func() { f(r) })
		return
	}
	const line = "gallop: actors wait for one under pressure"
	if n, write := s.mayLog(line, "", ""); write {
		s.log(func(l logSink) {
			l.warn(line, "who", r.String(), "deadlock", r.Deadlock(), "so_far", n)
		})
	}
}
