package actors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestProcessToActor: a process sends to an actor, in order, and asks it in straight-line code.
func TestProcessToActor(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		reason := run(t, sys, func(p *process.Proc) {
			s := actors.Sender(p)
			for i := range 1000 {
				take.Send(s, r, i)
			}
			v, err := actors.Call(p, double, r, 21)
			equal(t, "reply", v, 42)
			equal(t, "error", err, error(nil))
			_, err = actors.Call(p, double, r, -1, process.Within(time.Hour))
			equal(t, "error", err, errPlanted)
		})
		equal(t, "reason", reason, error(nil))
		in(sys, r, func(p *puppet, _ *actor.Context) {
			equal(t, "messages", len(p.got), 1000)
			for i, n := range p.got {
				if i != n {
					t.Fatalf("message %d is %d", i, n)
				}
			}
		})
		quiet(t, sys)
	})
}

// TestActorToProcess: an actor sends to a process, in order, and asks it.
func TestActorToProcess(t *testing.T) {
	type question struct {
		n  int
		to process.ReplyTo[int]
	}
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		got := 0
		ref := process.Spawn(actors.Join(sys), func(self *process.Self[any]) {
			for {
				switch m := self.Receive().(type) {
				case int:
					equal(t, "message", m, got)
					got++
				case question:
					if m.n < 0 {
						self.Exit(errPlanted)
					}
					m.to.Reply(self, 2*m.n)
				}
			}
		})
		ask := func(c *actor.Context, n int) {
			actors.AskTo(c, ref, func(to process.ReplyTo[int]) any { return question{n, to} }, heard)
		}
		in(sys, r, func(_ *puppet, c *actor.Context) {
			for i := range 1000 {
				ref.Send(actors.Env(c), i)
			}
			ask(c, 21)
		})
		equal(t, "heard", quiet(t, sys), []string{"{42 <nil>}"})
		in(sys, r, func(_ *puppet, c *actor.Context) { ask(c, -1) })
		equal(t, "heard", quiet(t, sys), []string{"{0 gallop: actor stopped: planted}"})
		in(sys, r, func(_ *puppet, c *actor.Context) { ask(c, 1) })
		equal(t, "heard", quiet(t, sys), []string{"{0 gallop: actor stopped}"})
		equal(t, "got", got, 1000)
	})
}

// TestAskTo_Within: "If d is positive and passes first, the error is actor.ErrNoReply": also if the
// mailbox of the process is full as long.
func TestAskTo_Within(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		ref := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			self.Receive()
			self.Receive()
		})
		in(sys, r, func(_ *puppet, c *actor.Context) {
			actors.AskTo(c, ref, func(process.ReplyTo[int]) int { return 1 }, heard,
				actor.Within(time.Millisecond))
		})
		equal(t, "heard", quiet(t, sys), []string{fmt.Sprintf("{0 %v}", actor.ErrNoReply)})
		full := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			process.NewChan[int](0).Recv(self)
		}, process.WithBound(1))
		in(sys, r, func(_ *puppet, c *actor.Context) {
			full.Send(actors.Env(c), 1)
			actors.AskTo(c, full, func(process.ReplyTo[int]) int { return 1 }, heard,
				actor.Within(time.Millisecond))
		})
		equal(t, "heard", quiet(t, sys), []string{fmt.Sprintf("{0 %v}", actor.ErrNoReply)})
	})
}

// TestStop: Stop, Shutdown and Run unwind processes, and messages of their deferred functions
// become dead letters.
func TestStop(t *testing.T) {
	ends := map[string]func(sys *actor.System){
		"Stop":     (*actor.System).Stop,
		"Shutdown": func(sys *actor.System) { _ = sys.Shutdown(context.Background()) },
		"Run":      func(sys *actor.System) { _ = sys.Run() },
		"process":  func(sys *actor.System) { actors.Join(sys).Stop() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				r, unwound := puppetType.Spawn(sys, puppet{}), 0
				var p [3]process.Process
				for i := range p {
					p[i] = process.Go(actors.Join(sys), func(p *process.Proc) {
						defer func() {
							take.Send(actors.Sender(p), r, 1)
							_, err := actors.Call(p, double, r, 1)
							equal(t, "error", errors.Is(err, actor.ErrSystemStopped), true)
							unwound++
						}()
						process.Select(p) // for ever
					})
				}
				quiet(t, sys)
				equal(t, "blocked", len(actors.Join(sys).Blocked()), len(p))
				end(sys)
				equal(t, "unwound", unwound, len(p))
				for _, p := range p {
					reason, _ := p.Result()
					equal(t, "reason", reason, process.ErrStopped)
				}
				equal(t, "dead letters", sys.Stats().DeadLetters, uint64(2*len(p)))
			})
		})
	}
}

// TestJoin_AfterStop: processes that are joined to a system that has stopped end at once.
func TestJoin_AfterStop(t *testing.T) {
	sys := actor.Start()
	sys.Stop()
	p := process.Go(actors.Join(sys), func(*process.Proc) { t.Error("it runs") })
	reason, _ := p.Result()
	equal(t, "reason", reason, process.ErrStopped)
}

// TestShutdown_LetsProcessesGoOn: running processes go on to their end, though goroutines are
// refused.
func TestShutdown_LetsProcessesGoOn(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r, sent := puppetType.Spawn(sys, puppet{}), 0
		in(sys, r, func(_ *puppet, c *actor.Context) {
			process.Go(actors.Env(c), func(p *process.Proc) {
				for sent < 100 {
					v, err := actors.Call(p, double, r, 1)
					if v != 2 || err != nil {
						t.Error(v, err)
						return
					}
					sent++
				}
			})
		})
		equal(t, "error", sys.Shutdown(context.Background()), error(nil))
		equal(t, "sent", sent, 100)
	})
}

// TestDeadLetters: dead letters of processes have the common form, for the hook and for the feed.
func TestDeadLetters(t *testing.T) {
	var letters []actor.DeadLetter
	sys := actor.Start(actor.WithWorkers(1), actor.WithHooks(actor.Hooks{
		DeadLetter: func(l actor.DeadLetter) { letters = append(letters, l) }}))
	ref := process.Spawn(actors.Join(sys), func(self *process.Self[int]) { self.Exit(errPlanted) })
	if err := sys.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	feed := inspect.DeadLetters(sys)
	defer feed.Close()
	ref.Send(actors.Join(sys), 5)
	recent, _ := feed.Recent()
	equal(t, "letters of the feed", len(recent), 1)
	equal(t, "receiver", recent[0].Actor, actor.ActorName{Type: "process", ID: ref.ID()})
	equal(t, "in place of the behaviour", recent[0].Behaviour, "int")
	equal(t, "dead letters", sys.Stats().DeadLetters, uint64(1))
	sys.Stop()
	equal(t, "letters", letters, []actor.DeadLetter{{ActorID: ref.ID(), Type: "process", Message: 5,
		Reason: errPlanted}})
}

// TestDeadLetters_Full: a refusal by a full mailbox has its own reason.
func TestDeadLetters_Full(t *testing.T) {
	var letters []actor.DeadLetter
	sys := actor.Start(actor.WithWorkers(1), quietLogger, actor.WithHooks(actor.Hooks{
		DeadLetter: func(l actor.DeadLetter) { letters = append(letters, l) }}))
	defer sys.Stop()
	never := process.NewChan[int](0)
	ref := process.Spawn(actors.Join(sys), func(self *process.Self[int]) { never.Recv(self) },
		process.WithBound(1))
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		ref.Send(actors.Join(sys), n)
	}
	equal(t, "letters", letters, []actor.DeadLetter{{ActorID: ref.ID(), Type: "process", Message: 1,
		Reason: process.ErrOverloaded}})
}
