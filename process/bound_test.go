package process

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestBound_Sender: "A process that sends to it is suspended until there is room", in SendWait too;
// the mailbox of a process that is busy never exceeds its bound, and no message is lost.
func TestBound_Sender(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		const senders, each, limit = 3, 200, 4
		most, last := 0, [senders]int{}
		to := Spawn(s, func(self *Self[[2]int]) {
			for range senders * each {
				self.Yield() // busy: the bound holds
				most = max(most, self.Pending())
				m := self.Receive()
				if m[1] != last[m[0]]+1 {
					t.Errorf("sender %d: message %d behind %d", m[0], m[1], last[m[0]])
				}
				last[m[0]] = m[1]
			}
		}, WithBound(limit))
		for i := range senders {
			Go(s, func(p *Proc) {
				for n := range each {
					if n%2 == 0 {
						to.Send(p, [2]int{i, n + 1})
					} else if err := to.SendWait(p, [2]int{i, n + 1}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		quiet(t, s)
		equal(t, "last", last, [senders]int{each, each, each})
		if most > limit {
			t.Errorf("%d messages in a mailbox for %d", most, limit)
		}
	})
}

// busy spawns a process with a mailbox that receives on request, and otherwise waits at a channel.
func busy(s *System, o Option) (to Ref[int], receive *Chan[int], got *[]int) {
	receive, got = NewChan[int](0), new([]int)
	return Spawn(s, func(self *Self[int]) {
		for {
			n, ok := receive.Recv(self)
			for range n {
				*got = append(*got, self.Receive())
			}
			if !ok {
				return
			}
		}
	}, o), receive, got
}

// TestBound_Full: "Ref.TrySend returns ErrOverloaded. A Ref.Send from outside … cannot wait: its
// message becomes a dead letter", while the process waits for something else than messages.
func TestBound_Full(t *testing.T) {
	for _, o := range []Option{WithBound(2), WithWatermarks(2, 1)} {
		dead := []any{}
		s := Start(Config{Workers: 2, DeadLetters: func(d DeadLetter) { dead = append(dead, d.Message) }})
		to, receive, got := busy(s, o)
		quiet(t, s)
		to.Send(s, 1)
		equal(t, "error", to.TrySend(s, 2), error(nil))
		equal(t, "error", to.TrySend(s, 3), ErrOverloaded)
		to.Send(s, 4)
		sender := Go(s, func(p *Proc) { to.Send(p, 5) })
		g := s.Goroutine()
		sent := make(chan error)
		go func() { sent <- to.SendWait(s.Goroutine(), 6) }()
		quiet(t, s)
		equal(t, "waits", sender.Status(), Waiting)
		want := map[bool]string{true: "[4]", false: "[]"}[o.(limitOption).bounded]
		equal(t, "dead", fmt.Sprint(dead), want)
		receive.Send(g, 5-len(dead))
		equal(t, "error of SendWait", <-sent, error(nil))
		quiet(t, s)
		equal(t, "status", sender.Status(), Ended)
		equal(t, "received", len(*got), 5-len(dead))
		s.Stop()
	}
}

// TestBound_SelectiveReceive: "Messages that a receive has looked at and left take room too. A
// process waits for ever if its mailbox is full and no message in it matches": the bound holds for
// senders of each kind while the process waits in a receive.
func TestBound_SelectiveReceive(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		to := Spawn(s, func(self *Self[int]) {
			self.ReceiveMatch(func(n int) bool { return n == 99 })
		}, WithBound(1))
		quiet(t, s)
		equal(t, "error", to.TrySend(s, 1), error(nil))
		quiet(t, s)
		equal(t, "error", to.TrySend(s, 99), ErrOverloaded)
		Go(s, func(p *Proc) { to.Send(p, 99) })
		quiet(t, s)
		equal(t, "blocked", len(s.Blocked()), 2)
		_, over := to.Result()
		equal(t, "has it", over, false)
	})
}

// TestBound_Ends: a sender that waits goes on when the process ends, and learns of it; one that is
// cancelled while it waits has not sent.
func TestBound_Ends(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		to, receive, got := busy(s, WithBound(1))
		quiet(t, s)
		equal(t, "error", to.TrySend(s, 1), error(nil))
		var errs [2]error
		cancelled := Go(s, func(p *Proc) { to.Send(p, 2) })
		Go(s, func(p *Proc) { errs[0] = to.SendWait(p, 3) })
		quiet(t, s)
		cancelled.Cancel(s, nil)
		quiet(t, s)
		equal(t, "cancelled", cancelled.Status(), Ended)
		receive.Send(s.Goroutine(), 2)
		quiet(t, s)
		equal(t, "got", fmt.Sprint(*got), "[1 3]")
		equal(t, "error", to.TrySend(s, 4), error(nil))
		Go(s, func(p *Proc) { errs[1] = to.SendWait(p, 5) })
		quiet(t, s)
		to.Kill(s)
		quiet(t, s)
		equal(t, "errors", errs, [2]error{nil, ErrNoProcess})
		equal(t, "error", to.TrySend(s, 6), ErrNoProcess)
		equal(t, "error", to.SendWait(s.Goroutine(), 6), ErrNoProcess)
	})
}

// TestBound_LetsIn: "Trapped exits, messages of monitors, and messages that the process sends to
// itself are always admitted, and take room".
func TestBound_LetsIn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		var refused error
		pending := 0
		p := Spawn(s, func(self *Self[string]) {
			self.TrapExit(func(Exit) string { return "exit" })
			self.Ref().Send(self, "itself")
			if err := self.Ref().SendWait(self, "itself"); err != nil {
				t.Error(err)
			}
			other := Go(self, func(*Proc) {})
			other.Join(self)
			self.Watch(other, func(Down) string { return "down" })
			self.Process().Cancel(self, errors.New("trapped"))
			refused, pending = self.Ref().TrySend(s, "more"), self.Pending()
		}, WithBound(1))
		equal(t, "reason", result(t, s, p.Process), nil)
		equal(t, "refused", refused, ErrOverloaded)
		equal(t, "pending", pending, 4)
	})
}

// TestBound_Deadlock: "Two processes that send to each other, and whose mailboxes are full, wait
// for ever: System.Blocked says so".
func TestBound_Deadlock(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		flood := func(other *Chan[Ref[int]]) Ref[int] {
			return Spawn(s, func(self *Self[int]) {
				to, _ := other.Recv(self)
				for n := range 10 {
					to.Send(self, n)
				}
				self.Receive()
			}, WithBound(1))
		}
		toA, toB := NewChan[Ref[int]](1), NewChan[Ref[int]](1)
		a, b := flood(toA), flood(toB)
		toA.TrySend(s, b)
		toB.TrySend(s, a)
		quiet(t, s)
		for _, w := range s.Blocked() {
			equal(t, "waits for", w.On, "full mailbox")
		}
		equal(t, "blocked", len(s.Blocked()), 2)
	})
}

// TestBound_Options: invalid arguments panic at the call.
func TestBound_Options(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	panics(t, "WithBound: the limit is less than 1", func() { WithBound(0) })
	panics(t, "WithWatermarks: want 0 ≤ low < high", func() { WithWatermarks(2, 2) })
	panics(t, "Spawn: a bound and watermarks", func() {
		Spawn(s, func(*Self[int]) {}, WithBound(1), WithWatermarks(2, 1))
	})
}

// TestBound_Call: "at most for d": a caller waits for room in the mailbox no longer, as a process
// and as a goroutine, and for the reply as long as is left; without a time it waits until there is
// room, or the process has ended. A request for which there was no room is not made. Mutants: an
// awaitWithin that does not look whether its timer has fired; one that leaves its place in the
// line; a callBounded that has all of d for the reply.
func TestBound_Call(t *testing.T) {
	type request struct {
		back ReplyTo[int]
		n    int
	}
	const d = 20 * time.Millisecond
	onBoth(t, func(t *testing.T, s *System) {
		made := 0
		call := func(by Party, to Ref[request], d time.Duration) (int, error) {
			limit := CallOption{}
			if d > 0 {
				limit = Within(d)
			}
			return Call(by, to, func(back ReplyTo[int]) request {
				made++
				return request{back, made}
			}, limit)
		}
		receive := NewChan[int](0)
		to := Spawn(s, func(self *Self[request]) {
			for {
				n, ok := receive.Recv(self)
				for range n {
					if m := self.Receive(); m.n == 1 {
						m.back.Reply(self, m.n)
					}
				}
				if !ok {
					return
				}
			}
		}, WithBound(1))
		quiet(t, s)
		to.Send(s, request{})
		var v int
		var err error
		Go(s, func(p *Proc) { _, err = call(p, to, d) })
		quiet(t, s)
		equal(t, "error", err, ErrTimeout)
		if !s.stepwise {
			_, err = call(s.Goroutine(), to, d)
			equal(t, "error of a goroutine", err, ErrTimeout)
		}
		equal(t, "made", made, 0)
		Go(s, func(p *Proc) { v, err = call(p, to, time.Hour) })
		receive.Send(s.Goroutine(), 2)
		quiet(t, s)
		equal(t, "error", err, error(nil))
		equal(t, "reply", v, 1)

		if s.stepwise { // virtual time is exact
			to.Send(s, request{})
			begin := s.Now()
			Go(s, func(p *Proc) { _, err = call(p, to, 10*time.Hour) })
			Go(s, func(p *Proc) { p.Sleep(6 * time.Hour); receive.Send(p, 2) })
			quiet(t, s)
			equal(t, "error", err, ErrTimeout)
			equal(t, "time", s.Now().Sub(begin), 10*time.Hour)
			equal(t, "made", made, 2)
		}
		made = 1
		to.Send(s, request{})
		Go(s, func(p *Proc) { _, err = call(p, to, 0) })
		quiet(t, s)
		equal(t, "made", made, 1)
		to.Kill(s)
		quiet(t, s)
		equal(t, "error", err, ErrKilled)
		equal(t, "made", made, 1)
	})
}

// TestBound_Ask: a request that is refused is answered by ErrOverloaded, and is no dead letter; a
// process that asks is suspended until there is room.
func TestBound_Ask(t *testing.T) {
	s := Start(Config{Workers: 1, DeadLetters: func(d DeadLetter) { t.Errorf("dead: %v", d.Message) }})
	never := NewChan[int](0)
	to := Spawn(s, func(self *Self[ReplyTo[int]]) {
		never.Recv(self)
		self.Receive()
		self.Receive().Reply(self, 7)
	}, WithBound(1))
	quiet(t, s)
	ask := func(back ReplyTo[int]) ReplyTo[int] { return back }
	Ask(s, to, ask)
	_, err := Ask(s, to, ask).Reply(s.Goroutine())
	equal(t, "error", err, ErrOverloaded)
	v := 0
	caller := Go(s, func(p *Proc) { v, err = Ask(p, to, ask).Reply(p) })
	quiet(t, s)
	equal(t, "status", caller.Status(), Waiting)
	never.Close(s)
	quiet(t, s)
	equal(t, "error", err, error(nil))
	equal(t, "reply", v, 7)
	s.Stop()
}
