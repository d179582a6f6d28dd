package actors_test

import (
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// sender is an actor that sends a process what it is sent itself.
type sender struct {
	to   process.Ref[int]
	sent int
}

var (
	senderType = actor.NewType[sender]("sender")
	pass       = actor.Declare[int](senderType, "pass")
	_          = senderType.Table(pass.Handle(func(s *sender, c *actor.Context, n int) {
		s.sent++
		s.to.Send(actors.Env(c), n)
	}))
)

// gated spawns a process with a mailbox for two that receives as many messages as the channel says,
// and then waits for the channel.
func gated(sys *actor.System, more ...process.Option) (to process.Ref[int],
	receive *process.Chan[int], got *[]int) {
	receive, got = process.NewChan[int](0), new([]int)
	o := append([]process.Option{process.WithBound(2)}, more...)
	return process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
		for {
			n, ok := receive.Recv(self)
			for range n {
				*got = append(*got, self.Receive())
			}
			if !ok {
				return
			}
		}
	}, o...), receive, got
}

// awaitMute waits until more than so many have been muted, and lets the system run meanwhile.
func awaitMute(t *testing.T, sys *actor.System, other actor.Ref[puppet], before uint64) {
	t.Helper()
	for tries := 0; sys.Stats().Mutes == before; tries++ {
		if _, err := double.Ask(t.Context(), other, 1); err != nil || tries == 100_000 {
			t.Fatalf("no actor is muted: %v", err)
		}
	}
}

// awaitPressure waits until the actor that stands for a process has found its mailbox full, and
// lets the system run meanwhile: on a busy machine hundreds may be sent before it has.
func awaitPressure(t *testing.T, sys *actor.System, other actor.Ref[puppet], p process.Process) {
	t.Helper()
	for tries := 0; actor.StatusOf(actors.Ref(sys, p)) != actor.StatusOverloaded; tries++ {
		if _, err := double.Ask(t.Context(), other, 1); err != nil || tries == 100_000 {
			t.Fatalf("no pressure: %v", err)
		}
	}
}

// TestMuting: "the message is let in, and the actor that has sent it is muted when its behaviour
// returns, until the process has made room". Mutants: a letIn that does not tell; a look that
// applies no pressure.
func TestMuting(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		to, receive, got := gated(sys, actors.WithMuting())
		release, err := sys.Hold() // else the runtime lets go what nothing can end
		equal(t, "error", err, error(nil))
		other := puppetType.Spawn(sys, puppet{})
		s := senderType.Spawn(sys, sender{to: to})
		for n := range 100 {
			pass.Send(sys, s, n)
			if n == 3 {
				awaitPressure(t, sys, other, to.Process)
			}
		}
		awaitMute(t, sys, other, 0)
		g := actors.Join(sys).Goroutine()
		receive.Send(g, 2)
		receive.Send(g, 98)
		release()
		quiet(t, sys)
		equal(t, "received", len(*got), 100)
		for i, n := range *got {
			if i != n {
				t.Fatalf("message %d comes as the %dth", n, i)
			}
		}
		st := sys.Stats()
		equal(t, "dead letters", st.DeadLetters, uint64(0))
		equal(t, "muted still", st.Mutes-st.Unmutes, uint64(0))
		equal(t, "blocked", len(actors.Join(sys).Blocked()), 1)
	})
}

// TestMuting_Conservation: with real workers, in any order, each message is received once, those of
// one sender in their order, whether the process is busy, waits in a receive, or for what is last;
// and no actor stays muted.
func TestMuting_Conservation(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		const senders, each = 4, 500
		got, last, most := 0, [senders]int{}, 0
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			for n := range senders * each {
				if n%3 == 0 {
					self.Yield() // busy
				}
				most = max(most, self.Pending())
				m := self.Receive()
				if from := m / each; m%each != last[from] {
					t.Errorf("message %d of %d comes as the %dth", m%each, from, last[from])
				} else {
					last[from]++
				}
				got++
			}
		}, process.WithWatermarks(8, 2), actors.WithMuting())
		for i := range senders {
			s := senderType.Spawn(sys, sender{to: to})
			in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				for n := range each {
					pass.Send(c, s, i*each+n)
				}
			})
		}
		quiet(t, sys)
		equal(t, "received", got, senders*each)
		st := sys.Stats()
		equal(t, "dead letters", st.DeadLetters, uint64(0))
		equal(t, "muted still", st.Mutes-st.Unmutes, uint64(0))
		// Senders that were overloaded while the mailbox became full may go on until they are not.
		t.Logf("at most %d in the mailbox, %d mutes", most, st.Mutes)
	})
}

// passInATurn has the sender pass so many messages, all of which are there when it begins: fewer
// than a batch, or it would be overloaded, and never muted.
func passInATurn(sys *actor.System, s actor.Ref[sender], n int) {
	in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		for n := range n {
			pass.Send(c, s, n)
		}
	})
}

// TestMuting_Bounds: "The mailbox exceeds the bound by what behaviours send in a turn each": an
// actor that sends ten times as fast as the process receives fills it no further. Mutant: a
// muteForProxy that does not end the turn.
func TestMuting_Bounds(t *testing.T) {
	for _, seed := range []uint64{3, 4} { // else a proxy whose thread loses its processor looks late
		sys := actor.Start(actor.WithDeterministic(seed))
		most, got := 0, 0
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			for range 90 {
				for range 10 {
					self.Yield()
				}
				most = max(most, self.Pending())
				self.Receive()
				got++
			}
		}, process.WithBound(10), actors.WithMuting())
		s := senderType.Spawn(sys, sender{to: to})
		passInATurn(sys, s, 90)
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		equal(t, "received", got, 90)
		if most > 14 {
			t.Errorf("%d messages in a mailbox for 10", most)
		}
		sys.Stop()
	}
}

// TestMuting_BoundsBehindMuted: the same while the actor that stands for the process is muted,
// since the process has sent to an actor under pressure. Mutant: a muteForProxy that passes a gate
// ajar.
func TestMuting_BoundsBehindMuted(t *testing.T) {
	for _, seed := range []uint64{3, 4} {
		sys := actor.Start(actor.WithDeterministic(seed))
		release, err := sys.Hold() // else the runtime lets go what nothing can end
		equal(t, "error", err, error(nil))
		most, got := 0, 0
		sink, other := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		in(sys, sink, func(_ *puppet, c *actor.Context) { c.ApplyPressure() })
		_, err = double.Ask(t.Context(), sink, 1)
		equal(t, "error", err, error(nil))
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			take.Send(actors.Sender(self), sink, 1)
			most = self.Pending()
			for range 90 {
				self.Receive()
				got++
			}
		}, process.WithBound(10), actors.WithMuting())
		awaitMute(t, sys, other, 0)
		s := senderType.Spawn(sys, sender{to: to})
		passInATurn(sys, s, 90)
		awaitMute(t, sys, other, 1)
		in(sys, sink, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
		release()
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		equal(t, "received", got, 90)
		if most > 14 {
			t.Errorf("%d messages in a mailbox for 10", most)
		}
		sys.Stop()
	}
}

// TestMuting_Selective: "While it waits in a receive, and has looked at all there is, no actor is
// muted for it": what it waits for comes from an actor that the full mailbox would mute. Mutant: a
// crowded without "!b.idle".
func TestMuting_Selective(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		found := 0
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			found = self.ReceiveMatch(func(n int) bool { return n == 49 })
		}, process.WithBound(1), actors.WithMuting())
		s := senderType.Spawn(sys, sender{to: to})
		for n := range 50 {
			pass.Send(sys, s, n)
		}
		quiet(t, sys)
		equal(t, "found", found, 49)
		equal(t, "deadlocks", sys.Stats().PressureDeadlocks, uint64(0))
	})
}

// TestMuting_Deadlock: "while it waits for something else than a message, and the mailbox is full,
// a muted actor cannot bring that": a process that asks an actor which is muted for it gets its
// reply, since the actor is let go, and the deadlock is reported.
func TestMuting_Deadlock(t *testing.T) {
	for _, o := range []actor.Option{actor.WithWorkers(1), actor.WithWorkers(2),
		actor.WithDeterministic(7)} {
		reports := make(chan actor.PressureDeadlock, 10)
		sys := actor.Start(o, actor.WithHooks(actor.Hooks{
			PressureDeadlock: func(r actor.PressureDeadlock) { reports <- r },
			DeadLetter:       func(actor.DeadLetter) {}, // the process ends, and leaves mail
		}))
		a, muted := puppetType.Spawn(sys, puppet{}), process.NewChan[int](1)
		var v int
		var err error
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			muted.Recv(self)
			v, err = actors.Call(self, double, a, 21)
		}, process.WithBound(1), actors.WithMuting())
		if werr := sys.Wait(t.Context()); werr != nil {
			t.Fatal(werr)
		}
		flood := func(_ *puppet, c *actor.Context) {
			for n := range 3 {
				to.Send(actors.Env(c), n)
			}
		}
		in(sys, a, flood) // has the pressure applied
		if werr := sys.Wait(t.Context()); werr != nil {
			t.Fatal(werr)
		}
		in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			do.Send(c, a, flood)
			muted.TrySend(actors.Env(c), 1)
		})
		if werr := sys.Wait(t.Context()); werr != nil {
			t.Fatal(werr)
		}
		equal(t, "reply", v, 42)
		equal(t, "error", err, error(nil))
		if sys.Stats().Mutes == 0 || len(reports) == 0 {
			t.Fatalf("%d mutes, %d reports", sys.Stats().Mutes, len(reports))
		}
		r := <-reports
		equal(t, "under pressure", r.Pressed.Type, "process")
		equal(t, "idle", r.Idle, true)
		sys.Stop()
	}
}

// TestMuting_Ends: actors that are muted for a process are let go when it ends, and learn of it by
// dead letters; a stop of the system lets them go as well.
func TestMuting_Ends(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		for range 2 {
			to, _, _ := gated(sys, actors.WithMuting())
			release, err := sys.Hold()
			equal(t, "error", err, error(nil))
			s, other := senderType.Spawn(sys, sender{to: to}), puppetType.Spawn(sys, puppet{})
			muted := sys.Stats().Mutes
			for n := range 50 {
				pass.Send(sys, s, n)
				if n == 3 {
					awaitPressure(t, sys, other, to.Process)
				}
			}
			awaitMute(t, sys, other, muted)
			to.Kill(actors.Join(sys))
			release()
			quiet(t, sys)
			equal(t, "status", s.Status(), actor.StatusIdle)
		}
		st := sys.Stats()
		equal(t, "dead letters", st.DeadLetters, uint64(100))
		equal(t, "muted still", st.Mutes-st.Unmutes, uint64(0))
	})
}

// TestMuting_Shutdown: a system in Shutdown lets the process, and those that are muted for it, do
// what they have begun.
func TestMuting_Shutdown(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		got := 0
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			for range 80 {
				self.Yield()
				self.Receive()
				got++
			}
		}, process.WithBound(2), actors.WithMuting())
		s := senderType.Spawn(sys, sender{to: to})
		for n := range 80 {
			pass.Send(sys, s, n)
		}
		equal(t, "error", sys.Shutdown(t.Context()), error(nil))
		equal(t, "received", got, 80)
		equal(t, "deadlocks", sys.Stats().PressureDeadlocks, uint64(0))
	})
}

// TestMuting_Orders: in every order that actortest finds, with TrySend and another process among
// the senders, what was taken is received, and the system becomes quiet.
func TestMuting_Orders(t *testing.T) {
	var mutes atomic.Uint64
	actortest.Run(t, func(r *actortest.R) {
		sys, got := r.System(), 0
		to := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			for range 9 {
				self.Yield()
				self.Receive()
				got++
			}
		}, process.WithBound(1), actors.WithMuting())
		for range 2 {
			s := senderType.Spawn(sys, sender{to: to})
			in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				for n := range 3 {
					pass.Send(c, s, n)
				}
			})
		}
		process.Go(actors.Join(sys), func(p *process.Proc) {
			for n := range 3 {
				to.Send(p, n)
			}
		})
		r.Quiet()
		if got != 9 {
			r.Errorf("received %d: %v", got, actors.Join(sys).Blocked())
		}
		if st := sys.Stats(); st.Mutes != st.Unmutes || st.DeadLetters != 0 {
			r.Errorf("%d mutes, %d unmutes, %d dead letters", st.Mutes, st.Unmutes, st.DeadLetters)
		}
		mutes.Add(sys.Stats().Mutes)
	}, actortest.WithStrategies(actortest.Random(), actortest.PCT(3)), actortest.WithTwice())
	if mutes.Load() == 0 {
		t.Error("no actor was muted in any order")
	}
}

// TestMuting_Misuse: "Spawn panics without either".
func TestMuting_Misuse(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(1))
	defer sys.Stop()
	spawn := func(o ...process.Option) func() {
		return func() { process.Spawn(actors.Join(sys), func(*process.Self[int]) {}, o...) }
	}
	panics(t, "Spawn: muting without a bound or watermarks", spawn(actors.WithMuting()))
	panics(t, "Spawn: muting twice",
		spawn(process.WithBound(1), actors.WithMuting(), actors.WithMuting()))
}

// TestMuting_RequestFails: a request that is not made holds no sender back. It gives its place in the
// mailbox back, and the process, which has all the messages there are by then, mutes no actor any
// more. No deadlock has to be found for that.
func TestMuting_RequestFails(t *testing.T) {
	sys, _ := onVirtualTime(t, actor.WithDeterministic(3))
	p := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
		self.ReceiveMatch(func(n int) bool { return n == 7 })
	}, process.WithBound(1), actors.WithMuting())
	quiet(t, sys)
	r := puppetType.Spawn(sys, puppet{})
	process.Go(actors.Join(sys), func(q *process.Proc) {
		_, _ = process.Call(q, p, func(process.ReplyTo[int]) int {
			for n := range 2 {
				in(sys, r, func(_ *puppet, c *actor.Context) { p.Send(actors.Env(c), n) })
			}
			for sys.Stats().Mutes == 0 {
				q.Yield()
			}
			in(sys, r, func(_ *puppet, c *actor.Context) { p.Send(actors.Env(c), 7) })
			panic("planted")
		})
	})
	quiet(t, sys)
	if _, over := p.Result(); !over {
		t.Errorf("not received: %v", actors.Join(sys).Blocked())
	}
	equal(t, "deadlocks", sys.Stats().PressureDeadlocks, uint64(0))
}
