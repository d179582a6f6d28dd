package kernel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/seam"
)

// PressureDeadlock is actor.PressureDeadlock, which documents it.
type PressureDeadlock struct {
	Pressed ActorName
	Waits   []WaitEdge
	Closed  bool
	Idle    bool
}

// Deadlock reports whether nothing in the system could have ended the waiting.
func (r PressureDeadlock) Deadlock() bool { return r.Closed && r.Idle }

// String implements actor.PressureDeadlock.String.
func (r PressureDeadlock) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v is under pressure", r.Pressed)
	for _, w := range r.Waits {
		s.WriteString("; " + w.describe(r.Pressed.String()))
	}
	return s.String()
}

// WaitEdge is actor.WaitEdge, which documents it.
type WaitEdge struct {
	Who  ActorName
	For  ActorName
	Mail int
	From string
}

// String implements actor.WaitEdge.String.
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
	Sys   *System
	Mu    seam.Mutex
	Roots []*Cell    // guarded by mu
	alarm seam.Alarm // guarded by mu; nil: it was never needed
	ended bool       // guarded by mu
	// Closed after the next look; nil: next was not called. Guarded by mu.
	asked chan struct{}
}

// deadlockState is the state of the watch for one actor. Guarded by the watch's mu.
type deadlockState struct {
	Listed bool
	which  uint32 // the application of pressure that looks and lookAt belong to
	looks  int    // looks since an actor waits, or since the last release
	lookAt int    // the number of looks at which the next release is due
}

// watch begins to look after a, which is under pressure and for which an actor waits. Any
// goroutine.
func (s *deadlockWatch) watch(a *Cell) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := a.Flow.Load()
	if f.Deadlock.Listed {
		return
	}
	f.Deadlock.Listed, f.Deadlock.looks = true, 0
	s.Roots = append(s.Roots, a)
	if len(s.Roots) == 1 && !s.ended {
		s.arm()
	}
}

// arm sets the alarm. Caller holds mu.
func (s *deadlockWatch) arm() {
	clock := s.Sys.DeadlockClock()
	if s.alarm == nil {
		s.alarm = clock.NewAlarm(s.tick)
	}
	s.alarm.Set(clock.Nanos() + int64(s.Sys.Opts.DeadlockPeriod))
}

// tick looks once.
func (s *deadlockWatch) tick() {
	idle := s.Sys.OnlyMuted()
	for _, a := range s.Look() {
		word := uint64(0)
		if idle {
			word = 1
		}
		_ = s.Sys.Push(a, newOwn(s.Sys, deadlockID, word), asSignal) // an error: it has ended
	}
	s.Mu.Lock()
	s.looked()
	s.Mu.Unlock()
}

// next returns a channel that is closed after the next look. It returns nil if no actor waits for
// an actor under pressure, so that the watch has no actor to release. Any goroutine.
func (s *deadlockWatch) next() <-chan struct{} {
	s.Mu.Lock()
	defer s.Mu.Unlock()
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
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.releases()
}

// releases reports whether the watch has an actor to release. Caller holds mu.
func (s *deadlockWatch) releases() bool {
	waits := func(a *Cell) bool {
		return a.Flow.Load().pressed.Load() != 0 && a.Gate.Waited(&GateMark)
	}
	return !s.ended && slices.ContainsFunc(s.Roots, waits)
}

// looked closes the channel that next returned. Caller holds mu.
func (s *deadlockWatch) looked() {
	if s.asked != nil {
		close(s.asked)
		s.asked = nil
	}
}

// Look counts a look at every watched actor and returns the actors for which a release is due. It
// forgets actors that are no longer under pressure, or for which no actor waits. The next actor
// that waits for such an actor has it watched again, after it has entered the wait list.
func (s *deadlockWatch) Look() (lookAt []*Cell) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.ended {
		return nil
	}
	keep := s.Roots[:0]
	for _, a := range s.Roots {
		f := a.Flow.Load()
		which := f.pressed.Load()
		if which == 0 || !a.Gate.Waited(&GateMark) {
			f.Deadlock.Listed = false
			continue
		}
		keep = append(keep, a)
		if f.Deadlock.count(which) {
			lookAt = append(lookAt, a)
		}
	}
	clear(s.Roots[len(keep):])
	s.Roots = keep
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
func (s *deadlockWatch) soon(a *Cell) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a.Flow.Load().Deadlock.lookAt = deadlockFirst
}

// end stops the watch and ends the actors under pressure for which a sender is muted. They may be
// idle, so that no worker would end them, and the muted senders would not end either.
func (s *deadlockWatch) end() {
	s.Mu.Lock()
	s.ended = true
	roots := s.Roots
	s.Roots = nil
	s.looked()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.Mu.Unlock()
	for _, a := range roots {
		if a.Box.Push(newOwn(s.Sys, deadlockID, 0)) == mpsc.PushWoke {
			a.Shared().TaskTerminated(nil, &a.Task, ErrSystemStopped) // it was idle and is ours
		}
	}
}

// OnlyMuted reports whether the system would be quiescent if no actors were muted.
func (s *System) OnlyMuted() bool {
	holds, ok := s.Sched.OnlyHolds()
	if !ok {
		return false
	}
	st := s.Stats() // exact while nothing runs
	return holds == int64(st.Mutes-st.Unmutes)
}

// resolveDeadlock releases the actors that have waited for long for a, which is under pressure. It
// reports the deadlock if the waiting might never have ended. Owner only, in a turn.
func resolveDeadlock(a *Cell, c *Turn, idle bool) {
	if a.Load&backpressure.Pressed == 0 || !a.Gate.Waited(&GateMark) {
		return // it has come to an end by itself
	}
	r := CollectWaits(a)
	r.Idle = idle
	c.Count.released.Add(releaseWaiters(c, a.Gate.Drain(&GateMark)))
	if r.Idle {
		a.Sys().Deadlocks.soon(a)
	}
	if r.Closed || r.Idle {
		c.Count.deadlocks.Add(1)
		a.Sys().reportDeadlock(r)
	}
}

// CollectWaits collects the actors that wait for a, the actors that wait for these, and so on.
// Owner only. All of them are parked and stay so, since only the owner opens the gate of a. An
// actor that is woken by a signal is an exception: see PeekMail.
func CollectWaits(a *Cell) PressureDeadlock {
	r := PressureDeadlock{Pressed: a.ActorName()}
	for next := []*Cell{a}; len(next) > 0 && len(r.Waits) < maxWaits; next = next[1:] {
		at := next[0]
		at.Gate.Each(&GateMark, func(w Waiting) bool {
			// Pairs with the swap in Park: the actor's earlier writes are visible.
			if w.Muted.BlockedOn.Parked() {
				wait := waitEdge(w.Muted, at, a)
				r.Closed = r.Closed || wait.From != ""
				r.Waits = append(r.Waits, wait)
				next = append(next, w.Muted)
			}
			return len(r.Waits) < maxWaits
		})
	}
	return r
}

// waitEdge describes an actor that waits for at, and through it for root.
func waitEdge(a *Cell, at, root *Cell) WaitEdge {
	w := WaitEdge{Who: a.ActorName(), For: at.ActorName()}
	PeekMail(a, func(from uint64, id uint16) bool {
		w.Mail++
		if decls := a.Typ().Decls; from == root.ID && !isOwn(id) && int(id) < len(decls) {
			w.From = decls[id].Name
		}
		return w.Mail < maxMail
	})
	return w
}

// PeekMail calls f with sender and behaviour of each message of an actor's mail, until f returns
// false. The actor is parked, but Stop and Kill wake it: then its mail may run meanwhile, and its
// nodes may be reused. So the result is a hint, as that of Turn.peek is. Any goroutine.
//
//go:norace
func PeekMail(a *Cell, f func(from uint64, id uint16) bool) {
	a.Box.Peek(&a.In, maxMail, func(m *Message) bool { return f(peekedFrom(m), peekedID(m)) })
}

// peekedFrom returns the sender of a message, as peekedID returns its behaviour. It is a function
// of its own because the pragma of PeekMail does not apply to a function literal.
//
//go:norace
//go:noinline
func peekedFrom(m *Message) uint64 { return m.From &^ msg.HasPlace }

func (s *System) reportDeadlock(r PressureDeadlock) {
	if i := s.inspected.Load(); i != nil {
		(*i).Deadlock(r)
	}
	if f := s.Opts.OnDeadlock; f != nil {
		s.Guard("Hooks.PressureDeadlock", func() { f(r) })
		return
	}
	const line = "gallop: actors wait for one under pressure"
	if n, write := s.mayLog(line, "", ""); write {
		s.log(func(l logSink) {
			l.warn(line, "who", r.String(), "deadlock", r.Deadlock(), "so_far", n)
		})
	}
}
