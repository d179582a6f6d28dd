package actors_test

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// Processes in runs of package actortest: their choices of the driver.

// flood is a scenario: a process floods another with a bound, which selects among its messages and a
// channel on which two others send.
func flood(match func(int) bool) func(r *actortest.R) {
	return func(r *actortest.R) {
		sys, got := r.System(), 0
		procs, c := actors.Join(sys), process.NewChan[int](0)
		to := process.Spawn(procs, func(self *process.Self[int]) {
			var n int
			for range 12 {
				process.Select(self, self.Receives(&n, match), process.RecvFrom(c, &n, nil))
				got++
			}
		}, process.WithBound(1))
		process.Go(procs, func(p *process.Proc) {
			for n := range 6 {
				to.Send(p, n)
			}
		})
		for range 2 {
			process.Go(procs, func(p *process.Proc) {
				for n := range 3 {
					c.Send(p, n)
				}
			})
		}
		r.Quiet()
		if got != 12 {
			r.Errorf("received %d: %v", got, procs.Blocked())
		}
	}
}

// TestDriver_SelectOfMessages: no order of a flood hangs in which a process selects among messages
// and channels. Taking a message makes room, of which the process tells, and that is a choice of
// the driver: it is made after the locks of the channels were given back.
func TestDriver_SelectOfMessages(t *testing.T) {
	actortest.Run(t, flood(nil), actortest.WithRuns(300))
	actortest.Run(t, flood(func(int) bool { return true }), actortest.WithRuns(50))
}

// TestDriver_CodeInSelect: a match, and the try of a When, are called while no lock is held: they
// may use the channels of the same Select. Nothing is lost, whichever case is chosen.
func TestDriver_CodeInSelect(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, c, e := actors.Join(sys), process.NewChan[int](1), process.Event{}
		tries, got := 0, map[string]int{}
		to := process.Spawn(procs, func(self *process.Self[int]) {
			for range 6 {
				var n int
				switch process.Select(self,
					self.Receives(&n, func(int) bool { return c.Len() >= 0 }),
					process.RecvFrom(c, &n, nil),
					process.When(&e, func() bool {
						if c.Len() == 0 && tries > 0 {
							tries--
							return true
						}
						return false
					})) {
				case 0:
					got["message"]++
				case 1:
					got["value"]++
				case 2:
					got["event"]++
				}
			}
		})
		for n := range 2 {
			equal(t, "reason", run(t, sys, func(p *process.Proc) {
				to.Send(p, n)
				c.Send(p, n)
			}), error(nil))
			equal(t, "reason", run(t, sys, func(p *process.Proc) {
				tries++
				e.Notify(p)
			}), error(nil))
		}
		quiet(t, sys)
		equal(t, "received", got, map[string]int{"message": 2, "value": 2, "event": 2})
	})
}

// scene has the objects for a process of an operation under test.
type scene struct {
	self   *process.Self[int]
	env    actor.Sender // by which it acts on actors
	c      *process.Chan[int]
	full   *process.Chan[int]
	mu     process.Mutex
	held   process.Mutex
	group  process.WaitGroup
	once   process.Once
	event  process.Event
	idle   process.Ref[int] // a process that waits for messages, and answers none
	server process.Ref[process.ReplyTo[int]]
	ended  process.Process
	actor  actor.Ref[account]
	puppet actor.Ref[puppet]
	name   string
}

// operations are all that a process does and others can observe, or that lets others run.
var operations = map[string]func(s *scene){
	"Yield":    func(s *scene) { s.self.Yield() },
	"Gas":      func(s *scene) { s.self.Gas(1) },
	"Sleep":    func(s *scene) { s.self.Sleep(0) },
	"Blocking": func(s *scene) { s.self.Blocking(func() {}) },
	"Wait":     func(s *scene) { _ = s.self.Wait(ended) },

	"Ref.Send":     func(s *scene) { s.idle.Send(s.self, 1) },
	"Ref.TrySend":  func(s *scene) { _ = s.idle.TrySend(s.self, 1) },
	"Ref.SendWait": func(s *scene) { _ = s.idle.SendWait(s.self, 1) },
	"Self.Send":    func(s *scene) { s.self.Ref().Send(s.self, 1) },
	"Ask": func(s *scene) {
		process.Ask(s.self, s.idle, func(process.ReplyTo[int]) int { return 1 })
	},
	"Call": func(s *scene) {
		_, _ = process.Call(s.self, s.server,
			func(r process.ReplyTo[int]) process.ReplyTo[int] { return r })
	},
	"Reply": func(s *scene) { _, to := process.NewReply[int](); to.Reply(s.self, 1) },
	"Fail":  func(s *scene) { _, to := process.NewReply[int](); to.Fail(s.self, errPlanted) },

	"Receive":       func(s *scene) { s.self.Receive() },
	"ReceiveMatch":  func(s *scene) { s.self.ReceiveMatch(func(int) bool { return true }) },
	"ReceiveWithin": func(s *scene) { s.self.ReceiveWithin(0, nil) },
	"ReceiveAfter":  func(s *scene) { s.self.ReceiveAfter(process.Mark{}, 0, nil) },
	"Mark":          func(s *scene) { s.self.Mark() },
	"Pending":       func(s *scene) { s.self.Pending() },

	"Chan.Send":    func(s *scene) { s.c.Send(s.self, 1) },
	"Chan.Recv":    func(s *scene) { s.full.Recv(s.self) },
	"Chan.TrySend": func(s *scene) { s.c.TrySend(s.self, 1) },
	"Chan.TryRecv": func(s *scene) { s.c.TryRecv(s.self) },
	"Chan.Close":   func(s *scene) { s.c.Close(s.self) },
	"Chan.Len":     func(s *scene) { s.c.Len() },
	"Chan.All": func(s *scene) {
		for range s.full.All(s.self) {
			break
		}
	},
	"Select":    func(s *scene) { process.Select(s.self, process.RecvFrom(s.full, nil, nil)) },
	"TrySelect": func(s *scene) { process.TrySelect(s.self, process.RecvFrom(s.c, nil, nil)) },
	"Block":     func(s *scene) { process.Block(s.self, &s.event, func() bool { return true }) },
	"Notify":    func(s *scene) { s.event.Notify(s.self) },

	"Mutex.Lock":     func(s *scene) { s.mu.Lock(s.self) },
	"Mutex.TryLock":  func(s *scene) { s.mu.TryLock() },
	"Mutex.Unlock":   func(s *scene) { s.held.Unlock(s.self) },
	"WaitGroup.Add":  func(s *scene) { s.group.Add(s.self, 1) },
	"WaitGroup.Wait": func(s *scene) { s.group.Wait(s.self) },
	"WaitGroup.Go":   func(s *scene) { s.group.Go(s.self, func(*process.Proc) {}) },
	"Once.Do":        func(s *scene) { s.once.Do(s.self, func() {}) },

	"Go":          func(s *scene) { process.Go(s.self, func(*process.Proc) {}) },
	"Spawn":       func(s *scene) { process.Spawn(s.self, func(*process.Self[int]) {}) },
	"SpawnLinked": func(s *scene) { process.SpawnLinked(&s.self.Proc, func(*process.Self[int]) {}) },
	"Cancel":      func(s *scene) { s.ended.Cancel(s.self, nil) },
	"Kill":        func(s *scene) { s.ended.Kill(s.self) },
	"Join":        func(s *scene) { _ = s.ended.Join(s.self) },
	"Status":      func(s *scene) { s.idle.Status() },
	"Result":      func(s *scene) { _, _ = s.idle.Result() },
	"Link":        func(s *scene) { s.self.Link(s.idle.Process) },
	"Unlink":      func(s *scene) { s.self.Unlink(s.idle.Process) },
	"Watch":       func(s *scene) { s.self.Watch(s.idle.Process, func(process.Down) int { return 0 }) },
	"TrapExit":    func(s *scene) { s.self.TrapExit(func(process.Exit) int { return 0 }) },
	"Register":    func(s *scene) { _ = process.Register(s.name, s.self.Ref()) },
	"Lookup":      func(s *scene) { process.Lookup[int](s.system(), s.name) },
	"Unregister":  func(s *scene) { s.system().Unregister(s.name) },
	"Blocked":     func(s *scene) { s.system().Blocked() },

	"actors.Call":    func(s *scene) { _, _ = actors.Call(s.self, balance, s.actor, struct{}{}) },
	"actors.Ask":     func(s *scene) { actors.Ask(s.self, balance, s.actor, struct{}{}) },
	"actors.Link":    func(s *scene) { actors.Link(s.self, s.puppet) },
	"actors.Unlink":  func(s *scene) { actors.Unlink(s.self, s.puppet) },
	"actors.Watch":   func(s *scene) { actors.Watch(s.self, s.puppet, func(actor.Down) int { return 0 }) },
	"actors.Ref":     func(s *scene) { actors.Ref(s.env, s.idle.Process) },
	"actor Send":     func(s *scene) { deposit.Send(s.env, s.actor, 1) },
	"actor TrySend":  func(s *scene) { _ = deposit.TrySend(s.env, s.actor, 1) },
	"actor Stop":     func(s *scene) { actor.Stop(s.env, s.actor) },
	"actor Kill":     func(s *scene) { actor.Kill(s.env, s.actor) },
	"actor StopWith": func(s *scene) { actor.StopWith(s.env, s.actor, errPlanted) },
}

func (s *scene) system() *process.System { return actors.Join(actor.SystemOf(s.actor)) }

// ended is a context that has ended.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// newScene makes the objects of a process. Nothing runs meanwhile.
func newScene(procs *process.System, sys *actor.System, name string) *scene {
	s := &scene{name: name, c: process.NewChan[int](3), full: process.NewChan[int](1)}
	s.full.TrySend(procs, 1)
	s.held.TryLock()
	s.idle = process.Spawn(procs, func(self *process.Self[int]) { process.Select(self) })
	s.server = process.Spawn(procs, func(self *process.Self[process.ReplyTo[int]]) {
		for {
			self.Receive().Reply(self, 1)
		}
	})
	s.ended = process.Go(procs, func(*process.Proc) {})
	s.actor, s.puppet = accountType.Spawn(sys, account{}), puppetType.Spawn(sys, puppet{})
	return s
}

// TestDriver_Choices: each operation of a process that others can observe, or that lets others run,
// is a choice of the driver. Two processes take two steps each, with the operation between them.
// There are orders in which a step of one lies between the steps of the other.
func TestDriver_Choices(t *testing.T) {
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			actortest.Run(t, func(r *actortest.R) {
				procs, order := actors.Join(r.System()), ""
				scenes := []*scene{newScene(procs, r.System(), "a"), newScene(procs, r.System(), "b")}
				r.Quiet()
				for _, s := range scenes {
					ref := process.Spawn(procs, func(self *process.Self[int]) {
						s.self, s.env = self, actors.Sender(self)
						order += s.name
						op(s)
						order += s.name
					})
					ref.Send(procs, 1)
				}
				r.Quiet()
				if len(order) != 4 {
					r.Errorf("steps %q: %v", order, procs.Blocked())
				}
				seen[order] = true
			}, actortest.WithRuns(60), actortest.WithStrategies(actortest.Random(), actortest.PCT(2)),
				actortest.AllowWaiting())
			delete(seen, "aabb")
			delete(seen, "bbaa")
			if len(seen) == 0 {
				t.Error("no order in which a step of the one is between those of the other")
			}
		})
	}
}

// TestDriver_Ends: the end of a process is a choice, too: others may act after its last step and
// before it has ended.
func TestDriver_Ends(t *testing.T) {
	seen := map[bool]bool{}
	actortest.Run(t, func(r *actortest.R) {
		stepped := false
		p := process.Go(actors.Join(r.System()), func(*process.Proc) { stepped = true })
		process.Go(actors.Join(r.System()), func(q *process.Proc) {
			for !stepped {
				q.Yield()
			}
			_, over := p.Result()
			seen[over] = true
		})
		r.Quiet()
	})
	equal(t, "it had ended", seen, map[bool]bool{true: true, false: true})
}
