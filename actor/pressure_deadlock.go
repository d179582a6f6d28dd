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
// pressure, and that might wait for ever: in a circle, or because nothing is left that
// could go on.
//
// The runtime has let go those actors in Waits that wait for Pressed itself, for the
// mail that they have. If the pressure lasts it does so again, each time after twice as
// long, unless the system is Idle.
type PressureDeadlock struct {
	// Pressed is the actor that has applied pressure.
	Pressed ActorName
	// Waits says who waits for whom: those nearest to Pressed first, at most 32.
	Waits []WaitEdge
	// Closed says that the waiting goes in a circle: one of those who wait has a message
	// from Pressed in its mailbox, which may be what Pressed waits for.
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
	// Mail is how many messages it has, counted up to 1,000: 1,000 may mean more.
	Mail int
	// From is the behaviour of a message among these that the actor under pressure has
	// sent; "" if there is none.
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
	deadlockFirst  = 2                     // looks before those who wait are let go: 30 to 60 ms
	deadlockMost   = 256                   // looks between two times: about 8 s
	maxWaits       = 32                    // in a report
	maxMail        = 1000                  // messages looked at in one mailbox
)

// deadlockWatch looks after actors under pressure for which others are muted. Applied pressure
// alone can keep an actor muted for ever; muting without it cannot, as package backpressure shows.
// The watch is an alarm that is set only while there are such actors.
//
// It decides nothing itself: it sends the actor a message, in whose turn the owner of the gate
// looks at everything and does it. So it cannot disagree with a pressure that is released
// meanwhile: the message finds nothing to do.
type deadlockWatch struct {
	sys   *System
	mu    seam.Mutex
	roots []*cell    // guarded by mu
	alarm seam.Alarm // guarded by mu; nil: it was never needed
	ended bool       // guarded by mu
	// Guarded by mu: closed after the next look; nil: it was not asked for.
	asked chan struct{}
}

// deadlockState is what the watch knows of one actor. Guarded by the watch's mu.
type deadlockState struct {
	listed bool
	which  uint32 // the application of pressure that the rest is about
	looks  int    // since then, or since those who wait were let go last
	lookAt int    // when they will be
}

// watch begins to look after b, under pressure, for which an actor waits. Any goroutine.
func (s *deadlockWatch) watch(a *cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := a.flow.Load()
	if f.deadlock.listed {
		return
	}
	f.deadlock = deadlockState{listed: true}
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

// next returns a channel that is closed when the watch has looked again. It returns nil if no actor
// waits for an actor under pressure, so that the watch will let none go. Any goroutine.
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

// releases reports whether the watch will let an actor go. Caller holds mu.
func (s *deadlockWatch) releases() bool {
	waits := func(a *cell) bool {
		return a.flow.Load().pressed.Load() != 0 && a.gate.Waited(&gateMark)
	}
	return !s.ended && slices.ContainsFunc(s.roots, waits)
}

// looked tells those that asked. Caller holds mu.
func (s *deadlockWatch) looked() {
	if s.asked != nil {
		close(s.asked)
		s.asked = nil
	}
}

// look counts a look at every actor and returns those whose time has come. It forgets those that
// are watched for nothing: the next actor that waits for such a one lists it again, since it asks
// for that after it has entered the wait list.
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

// count counts a look and reports whether it is time to let those that wait go.
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

// soon makes the next time come as soon as the first.
func (s *deadlockWatch) soon(a *cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.flow.Load().deadlock.lookAt = deadlockFirst
}

// end stops the watch and ends the actors under pressure for which a sender is muted: no worker
// will, since they may be idle, and those that wait would not come to their end.
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
func (s *System) onlyMuted() bool {
	holds, ok := s.sched.OnlyHolds()
	if !ok {
		return false
	}
	st := s.Stats() // exact while nothing runs
	return holds == int64(st.Mutes-st.Unmutes)
}

// resolveDeadlock lets those that have waited for long because of applied pressure go on. It
// reports the deadlock if the waiting might never have ended. Owner only, in a turn.
func (a *cell) resolveDeadlock(c *Context, idle bool) {
	if a.load&backpressure.Pressed == 0 || !a.gate.Waited(&gateMark) {
		return // it has come to an end by itself
	}
	r := a.collectWaits()
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

// collectWaits finds out who waits for an actor, and whom they keep waiting. Owner only. The
// waiting actors are parked and stay so, since only the owner opens this gate; so do those that
// wait for them, and so on. Exceptions are those that a signal wakes: see peekMail.
func (a *cell) collectWaits() PressureDeadlock {
	r := PressureDeadlock{Pressed: a.actorName()}
	for next := []*cell{a}; len(next) > 0 && len(r.Waits) < maxWaits; next = next[1:] {
		at := next[0]
		at.gate.Each(&gateMark, func(w waiting) bool {
			// Pairs with the swap in Park: what it wrote before is visible.
			if w.muted.blockedOn.Parked() {
				wait := w.muted.waitFor(at, a)
				r.Closed = r.Closed || wait.From != ""
				r.Waits = append(r.Waits, wait)
				next = append(next, w.muted)
			}
			return len(r.Waits) < maxWaits
		})
	}
	return r
}

// waitFor describes an actor that waits for at and in the end for root.
func (a *cell) waitFor(at, root *cell) WaitEdge {
	w := WaitEdge{Who: a.actorName(), For: at.actorName()}
	a.peekMail(func(from uint64, id uint16) bool {
		w.Mail++
		if decls := a.typ().decls; from == root.id && !isOwn(id) && int(id) < len(decls) {
			w.From = decls[id].name
		}
		return w.Mail < maxMail
	})
	return w
}

// peekMail calls f with the senders and behaviours of an actor's mail until it returns false. The
// actor is parked; but Stop and Kill wake it, and then its mail may run meanwhile, and its nodes be
// used again. So this is a hint, as Context.peek is.
//
//go:norace
func (a *cell) peekMail(f func(from uint64, id uint16) bool) {
	a.box.Peek(&a.in, maxMail, func(m *message) bool { return f(peekedFrom(m), peekedID(m)) })
}

// peekedFrom returns who has sent a message, as peekedID returns what it is for. The pragma of
// peekMail does not reach into a function literal.
//
//go:norace
//go:noinline
func peekedFrom(m *message) uint64 { return m.From &^ msg.HasPlace }

func (s *System) reportDeadlock(r PressureDeadlock) {
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
