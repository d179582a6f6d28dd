package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// sleeper is a child that falls and is in a back-off until the test restarts it. The log of its
// messages is outside of its state, which does not survive.
type sleeper struct{ log *sleepLog }

type sleepLog struct {
	mu   sync.Mutex
	ran  []int
	dead []int
	why  []error
}

func (l *sleepLog) note(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ran = append(l.ran, n)
}

// ranIs fails the test unless the messages with these numbers have run, in this order.
func (l *sleepLog) ranIs(t testing.TB, want ...int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.ran, want) {
		t.Fatalf("run %v, want %v", l.ran, want)
	}
}

// deadIs fails the test unless the messages with these numbers are dead letters, with the reason
// why and the reason of the fall.
func (l *sleepLog) deadIs(t testing.TB, why error, want ...int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.dead, want) {
		t.Fatalf("dead letters %v, want %v", l.dead, want)
	}
	for _, err := range l.why {
		wants(t, err, why)
		wants(t, err, errUser)
	}
}

// sleeperType is a type of sleepers with its behaviours.
type sleeperType struct {
	typ  *actor.Type[sleeper]
	tell actor.Behaviour[sleeper, int]
	rush actor.Behaviour[sleeper, int]
	fall actor.Behaviour[sleeper, cue]
	ask  actor.AskBehaviour[sleeper, int, int]
}

// cue makes a sleeper fall: it tells that it has begun, and falls when it is told.
type cue struct{ begun, when chan struct{} }

func newCue() cue { return cue{make(chan struct{}), make(chan struct{})} }

func newSleeperType(opts ...actor.TypeOption) *sleeperType {
	s := &sleeperType{typ: actor.NewType[sleeper]("sleeper", opts...)}
	s.tell = actor.Declare[int](s.typ, "tell")
	s.rush = actor.Declare[int](s.typ, "rush", actor.Urgent())
	s.fall = actor.Declare[cue](s.typ, "fall")
	s.ask = actor.DeclareAsk[int, int](s.typ, "ask")
	run := func(s *sleeper, _ *actor.Context, n int) { s.log.note(n) }
	s.typ.Table(s.tell.Handle(run), s.rush.Handle(run),
		s.fall.Handle(func(_ *sleeper, _ *actor.Context, q cue) {
			close(q.begun)
			<-q.when
			panic(errUser)
		}),
		s.ask.Handle(func(s *sleeper, _ *actor.Context, n int) (int, error) {
			s.log.note(n)
			return 2 * n, nil
		}))
	return s
}

// There are three types, because the runtime has three forms of a back-off.
var sleeperTypes = map[string]*sleeperType{
	"plain":      newSleeperType(),
	"bounded":    newSleeperType(actor.WithBound(5000, actor.OverflowMute)),
	"watermarks": newSleeperType(actor.WithWatermarks(2, 1)),
}

// bed is a system with a sleeper.
type bed struct {
	*sleeperType
	t      testing.TB
	sys    *actor.System
	parent actor.Ref[warden]
	child  actor.Ref[sleeper]
	log    *sleepLog
}

// makeBed makes a bed. The sleeper is in a back-off as soon as it falls, and then the system is
// quiet.
func makeBed(t testing.TB, typ *sleeperType, care actor.Care[warden], opts ...actor.Option) *bed {
	t.Helper()
	b := &bed{sleeperType: typ, t: t, log: &sleepLog{}}
	b.sys = start(t, append([]actor.Option{actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
			b.log.mu.Lock()
			defer b.log.mu.Unlock()
			if n, ok := l.Message.(int); ok {
				b.log.dead, b.log.why = append(b.log.dead, n), append(b.log.why, l.Reason)
			}
		}}), actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}})}, opts...)...)
	b.parent = wardenType.Spawn(b.sys, warden{diary: new(diary),
		fell: func(c *actor.Context, f actor.ChildDown) {
			actor.Postpone(c, f.Ref)
		}})
	wardenIn(t, b.sys, b.parent, func(_ *warden, c *actor.Context) {
		care.Fell = wardenFell
		b.child = actor.SpawnUnder(c, typ.typ, func(s *sleeper) { s.log = b.log }, care)
	})
	return b
}

// sleep makes the sleeper fall. Before that it calls the functions before.
func (b *bed) sleep(before ...func()) {
	b.t.Helper()
	q := newCue()
	b.fall.Send(b.sys, b.child, q)
	receive(b.t, "the turn in which it falls", q.begun)
	for _, f := range before {
		f()
	}
	close(q.when)
	quiet(b.t, b.sys)
}

func (b *bed) wake() {
	b.t.Helper()
	actor.Restart(b.sys, b.child)
	quiet(b.t, b.sys)
}

// asks asks a sleeper in each form, and sends the errors to got. The sleeper is down or goes down
// meanwhile.
func (b *bed) asks(ctx context.Context, got chan<- error) {
	go func() { _, err := b.ask.Ask(ctx, b.child, 1); got <- err }()
	go func() {
		_, err := bridge.AskAll(ctx, b.ask, []actor.Ref[sleeper]{b.child}, 1)
		got <- err
	}()
	go func() {
		for _, r := range bridge.Replies(ctx, b.ask, []actor.Ref[sleeper]{b.child}, 1) {
			got <- r.Err
		}
	}()
}

// TestPostpone_Asks: "requests fail at once with ErrSuspended, also requests that are in the
// mailbox already"; "The error also wraps the reason for which the receiver fell".
func TestPostpone_Asks(t *testing.T) {
	for name, typ := range sleeperTypes {
		t.Run(name, func(t *testing.T) {
			b := makeBed(t, typ, actor.Care[warden]{})
			got := make(chan error, 10)
			hears := func(_ *puppet, c *actor.Context, r actor.Result[int]) { got <- r.Err }
			caller, callerGo, heard := newCaller(hears)
			to := caller.Spawn(b.sys, puppet{})
			in := func() {
				b.asks(soon(t), got)
				callerGo.Send(b.sys, to, func(c *actor.Context) {
					actor.AskTo(c, b.ask, b.child, 1, heard)
					actor.AskTo(c, b.ask, b.child, 1, heard, actor.Within(1<<40))
				})
			}
			check := func() {
				for range 5 {
					err := receive(t, "the outcome of an ask", got)
					wants(t, err, actor.ErrSuspended)
					wants(t, err, errUser)
					if errors.Is(err, actor.ErrStopped) {
						t.Errorf("%v is ErrStopped", err)
					}
				}
			}
			b.sleep(in)
			check()
			in()
			check()
			equal(t, "it has run", len(b.log.ran), 0)
			b.wake()
			n, err := b.ask.Ask(soon(t), b.child, 4)
			must(t, err)
			equal(t, "the reply in the next life", n, 8)
		})
	}
}

// newCaller makes a type of actors that ask. hears is called for each outcome.
func newCaller(hears func(*puppet, *actor.Context, actor.Result[int])) (*actor.Type[puppet],
	actor.Behaviour[puppet, func(*actor.Context)], actor.Behaviour[puppet, actor.Result[int]]) {
	typ := actor.NewType[puppet]("caller")
	run := actor.Declare[func(*actor.Context)](typ, "go")
	heard := actor.Declare[actor.Result[int]](typ, "heard")
	typ.Table(run.Handle(func(_ *puppet, c *actor.Context, f func(*actor.Context)) {
		f(c)
	}), heard.Handle(hears))
	return typ, run, heard
}

// TestWaitForRestart: the request is kept and runs after the restart, for any ChildOptions.Backlog;
// "The mark is inherited".
func TestWaitForRestart(t *testing.T) {
	for name, typ := range sleeperTypes {
		t.Run(name, func(t *testing.T) {
			b := makeBed(t, typ, actor.Care[warden]{Backlog: -1})
			ctx, cancel := context.WithCancel(actor.WaitForRestart(soon(t)))
			defer cancel()
			got := make(chan error, 10)
			b.sleep(func() { b.asks(ctx, got) })
			b.asks(ctx, got)
			_, err := b.ask.Ask(soon(t), b.child, 1) // a request without the mark fails
			wants(t, err, actor.ErrSuspended)
			quiet(t, b.sys)
			equal(t, "outcomes", len(got), 0)
			b.wake()
			for range 6 {
				must(t, receive(t, "the reply", got))
			}
			b.log.ranIs(t, 1, 1, 1, 1, 1, 1)
		})
	}
	var none context.Context
	panics(t, "WaitForRestart with a nil context", func() { actor.WaitForRestart(none) })
}

// TestPostpone_Sends: "ordinary and urgent messages are kept up to a bound … and run after the
// restart; beyond the bound they become dead letters with the reason ErrSuspended, and TrySend
// returns that error"; messages that waited before do not count; "For an actor with a bound … the
// smaller of the two bounds counts". The messages come from a behaviour and from outside, and again
// in the next life.
func TestPostpone_Sends(t *testing.T) {
	for name, typ := range sleeperTypes {
		for _, backlog := range []int{-1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, backlog), func(t *testing.T) {
				b := makeBed(t, typ, actor.Care[warden]{Backlog: backlog})
				room := max(backlog, 0)
				for life := range 2 {
					b.log.ran, b.log.dead, b.log.why = nil, nil, nil
					b.sleep(func() {
						for n := range 10 {
							b.tell.Send(b.sys, b.child, n)
						}
					})
					tried := 0
					inside(t, b.sys, func(c *actor.Context) {
						if room > 0 {
							must(t, b.tell.TrySend(c, b.child, 10))
							tried++
						}
					})
					if room > 0 {
						must(t, b.tell.TrySend(b.sys, b.child, 11))
						tried++
					}
					quiet(t, b.sys)
					b.tell.Send(b.sys, b.child, 12)
					quiet(t, b.sys)
					inside(t, b.sys, func(c *actor.Context) {
						for n := 13; n < 20; n++ {
							b.tell.Send(c, b.child, n)
						}
					})
					quiet(t, b.sys)
					want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
					if tried == 2 {
						want = append(want, 10, 11)
					}
					wants(t, b.tell.TrySend(b.sys, b.child, 20), actor.ErrSuspended)
					inside(t, b.sys, func(c *actor.Context) {
						wants(t, b.tell.TrySend(c, b.child, 20), actor.ErrSuspended)
					})
					if room > 0 {
						want = append(want, 12)
					}
					b.log.deadIs(t, actor.ErrSuspended, []int{12, 13, 14, 15, 16, 17, 18, 19}[min(room, 1):]...)
					b.log.ranIs(t)
					b.wake()
					b.log.ranIs(t, want...)
					equal(t, "mutes", b.sys.Stats().Mutes, b.sys.Stats().Unmutes)
					must(t, b.tell.TrySend(b.sys, b.child, 100+life))
					quiet(t, b.sys)
				}
			})
		}
	}
}

// TestPostpone_BoundOfType: "For an actor with a bound (WithBound) the smaller of the two bounds
// counts".
func TestPostpone_BoundOfType(t *testing.T) {
	for _, o := range []actor.Overflow{actor.OverflowMute, actor.OverflowRefuse} {
		b := makeBed(t, newSleeperType(actor.WithBound(2, o)), actor.Care[warden]{})
		b.sleep()
		inside(t, b.sys, func(c *actor.Context) {
			for n := range 4 {
				b.tell.Send(c, b.child, n)
			}
			wants(t, b.tell.TrySend(c, b.child, 4), actor.ErrSuspended)
		})
		b.log.deadIs(t, actor.ErrSuspended, 2, 3)
		b.wake()
		b.log.ranIs(t, 0, 1)
		equal(t, "mutes", b.sys.Stats().Mutes, 0)
	}
}

// TestPostpone_Default: "1,000 if it is 0".
func TestPostpone_Default(t *testing.T) {
	b := makeBed(t, sleeperTypes["plain"], actor.Care[warden]{})
	b.sleep()
	for n := range 1500 {
		b.tell.Send(b.sys, b.child, n)
	}
	quiet(t, b.sys)
	equal(t, "dead letters", len(b.log.dead), 500)
	b.wake()
	equal(t, "run", len(b.log.ran), 1000)
	equal(t, "the first dead letter", b.log.dead[0], 1000)
}

// TestPostpone_Urgent: "ordinary and urgent messages are kept up to a bound".
func TestPostpone_Urgent(t *testing.T) {
	b := makeBed(t, sleeperTypes["plain"], actor.Care[warden]{Backlog: 2})
	b.sleep()
	b.tell.Send(b.sys, b.child, 1)
	b.rush.Send(b.sys, b.child, 2)
	quiet(t, b.sys)
	b.rush.Send(b.sys, b.child, 3)
	b.tell.Send(b.sys, b.child, 4)
	quiet(t, b.sys)
	b.log.deadIs(t, actor.ErrSuspended, 3, 4)
	b.wake()
	b.log.ranIs(t, 2, 1)
}

// TestPostpone_MutesNone: "no sender is muted for the actor; muted senders are released".
func TestPostpone_MutesNone(t *testing.T) {
	for name, typ := range sleeperTypes {
		t.Run(name, func(t *testing.T) {
			childDown, postpone := make(chan struct{}), make(chan struct{})
			b := makeBed(t, typ, actor.Care[warden]{Backlog: 2})
			wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
				w.fell = func(c *actor.Context, f actor.ChildDown) {
					close(childDown)
					c.Blocking(func() { <-postpone })
					actor.Postpone(c, f.Ref)
				}
			})
			q := newCue()
			close(q.when)
			b.fall.Send(b.sys, b.child, q)
			receive(t, "the fall", childDown)
			// The actor is muted because of the fall, before the supervisor has decided.
			muted := muteOn(t, b.sys, func(c *actor.Context) { b.tell.Send(c, b.child, 1) })
			close(postpone)
			quiet(t, b.sys) // Wait would not return if it were still muted
			equal(t, "it is muted", actor.Muted(muted), false)
			count.Send(b.sys, muted, 1)
			for range 10 {
				do.Send(b.sys, muted, func(_ *puppet, c *actor.Context) { b.tell.Send(c, b.child, 2) })
			}
			n, err := value.Ask(soon(t), muted, struct{}{})
			must(t, err)
			equal(t, "what the sender has done", n, 1)
			equal(t, "mutes", b.sys.Stats().Mutes, 1)
			equal(t, "unmutes", b.sys.Stats().Unmutes, 1)
		})
	}
}

// TestPostpone_SendWait: "SendWait waits for the restart, or until its context ends"; meanwhile
// a TrySend from outside is refused.
func TestPostpone_SendWait(t *testing.T) {
	for name, typ := range sleeperTypes {
		t.Run(name, func(t *testing.T) {
			b := makeBed(t, typ, actor.Care[warden]{})
			b.sleep()
			ctx, cancel := context.WithCancel(context.Background())
			gave, sent := make(chan error, 1), make(chan error, 3)
			go func() { gave <- b.tell.SendWait(ctx, b.child, 1) }()
			eventually(t, "it waits", func() bool { return actor.Waiting(b.child) == 1 })
			cancel()
			wants(t, receive(t, "SendWait to give up", gave), context.Canceled)
			for range 3 {
				go func() { sent <- b.tell.SendWait(soon(t), b.child, 2) }()
			}
			eventually(t, "all wait", func() bool { return actor.Waiting(b.child) == 3 })
			wants(t, b.tell.TrySend(b.sys, b.child, 3), actor.ErrSuspended)
			equal(t, "sent", len(sent), 0)
			b.wake()
			for range 3 {
				must(t, receive(t, "SendWait", sent))
			}
			quiet(t, b.sys)
			b.log.ranIs(t, 2, 2, 2)
		})
	}
}

// TestPostpone_Ends: kept messages become dead letters when the actor ends for good, or its system
// ends. Callers that wait get an error.
func TestPostpone_Ends(t *testing.T) {
	for name, end := range map[string]func(b *bed){
		"Stop":       func(b *bed) { actor.Stop(b.sys, b.child) },
		"Kill":       func(b *bed) { actor.Kill(b.sys, b.child) },
		"Supervisor": func(b *bed) { actor.Stop(b.sys, b.parent) },
		"Shutdown":   func(b *bed) { must(b.t, b.sys.Shutdown(soon(b.t))) },
		"System":     func(b *bed) { b.sys.Stop() },
	} {
		for class, typ := range sleeperTypes {
			t.Run(name+"/"+class, func(t *testing.T) {
				b := makeBed(t, typ, actor.Care[warden]{})
				b.sleep(func() { b.tell.Send(b.sys, b.child, 1) })
				b.tell.Send(b.sys, b.child, 2)
				quiet(t, b.sys)
				waited := make(chan error, 2)
				go func() { waited <- b.tell.SendWait(soon(t), b.child, 3) }()
				eventually(t, "it waits", func() bool { return actor.Waiting(b.child) == 1 })
				go func() {
					_, err := b.ask.Ask(actor.WaitForRestart(soon(t)), b.child, 4)
					waited <- err
				}()
				quiet(t, b.sys)
				end(b)
				for range 2 {
					if err := receive(t, "the end", waited); !errors.Is(err, actor.ErrStopped) &&
						!errors.Is(err, actor.ErrSystemStopped) {
						t.Errorf("those who wait hear %v", err)
					}
				}
				b.sys.Stop()
				slices.Sort(b.log.dead)
				if dead := slices.DeleteFunc(b.log.dead, func(n int) bool {
					return n > 2
				}); !slices.Equal(dead, []int{1, 2}) {
					t.Errorf("dead letters %v", dead)
				}
				b.log.ranIs(t)
			})
		}
	}
}

// TestStandby: "its mail waits as with an immediate restart. Postpone may follow."
func TestStandby(t *testing.T) {
	b := makeBed(t, sleeperTypes["plain"], actor.Care[warden]{Backlog: -1})
	wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
		w.fell = func(c *actor.Context, f actor.ChildDown) {
			actor.Standby(c, f.Ref)
			actor.Standby(c, f.Ref)
		}
	})
	b.sleep(func() { b.tell.Send(b.sys, b.child, 1) }) // the system is quiet
	got := make(chan error, 3)
	b.asks(soon(t), got)
	b.tell.Send(b.sys, b.child, 2)
	quiet(t, b.sys)
	equal(t, "outcomes", len(got), 0)
	equal(t, "dead letters", len(b.log.dead), 0)
	actor.Postpone(b.sys, b.child)
	for range 3 {
		wants(t, receive(t, "the outcome", got), actor.ErrSuspended)
	}
	b.wake()
	b.log.ranIs(t, 1, 2)
	panics(t, "is not supervised", func() { actor.Standby(b.sys, b.parent) })
}

// TestPostpone_Status: the status of an actor in a back-off is overloaded.
func TestPostpone_Status(t *testing.T) {
	b := makeBed(t, sleeperTypes["plain"], actor.Care[warden]{})
	b.sleep()
	equal(t, "it stands", b.child.Status(), actor.StatusOverloaded)
	b.wake()
	equal(t, "it stands", b.child.Status(), actor.StatusIdle)
}

// TestPostpone_Deterministic: a few senders, a fall and a restart in many orders. Each message runs
// once or is a dead letter, no actor is left muted, and each caller gets an answer.
func TestPostpone_Deterministic(t *testing.T) {
	for seed := range uint64(nightly(200, 5000)) {
		for name, typ := range sleeperTypes {
			b := makeBed(t, typ, actor.Care[warden]{Backlog: 2}, actor.WithDeterministic(seed))
			heard := 0
			caller, callerGo, hears := newCaller(func(_ *puppet, _ *actor.Context, r actor.Result[int]) {
				heard++
			})
			q := newCue()
			close(q.when)
			b.fall.Send(b.sys, b.child, q)
			for k := range 3 {
				callerGo.Send(b.sys, caller.Spawn(b.sys, puppet{}), func(c *actor.Context) {
					for n := range 4 {
						b.tell.Send(c, b.child, 10*k+n)
						actor.AskTo(c, b.ask, b.child, 100, hears)
					}
				})
			}
			actor.Restart(b.sys, b.child)
			quiet(t, b.sys)
			actor.Restart(b.sys, b.child)
			quiet(t, b.sys)
			st := b.sys.Stats()
			heardBy := slices.DeleteFunc(slices.Concat(b.log.ran, b.log.dead), func(n int) bool {
				return n == 100
			})
			slices.Sort(heardBy)
			if !slices.Equal(heardBy, []int{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}) || heard != 12 ||
				st.Mutes != st.Unmutes {
				t.Fatalf("seed %d, %s: run or dead %v, %d of 12 heard, %d mutes, %d unmutes", seed, name,
					heardBy,
					heard, st.Mutes, st.Unmutes)
			}
			b.sys.Stop()
		}
	}
}

// TestPostpone_Storm: behaviours and goroutines send, ask and try while their receiver falls, is in
// a back-off and comes up, again and again, on several workers, with recycled nodes. Each message
// runs once or is a dead letter once, and the messages of one sender run in order.
func TestPostpone_Storm(t *testing.T) {
	for name, typ := range sleeperTypes {
		t.Run(name, func(t *testing.T) {
			const senders, each = 6, 1000
			n := scaled(each)
			b := makeBed(t, typ, actor.Care[warden]{Backlog: 20}, actor.WithWorkers(4))
			wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
				w.fell = func(c *actor.Context, f actor.ChildDown) {
					actor.Postpone(c, f.Ref)
					wardenWake.Send(c, actor.Self[warden](c), f.Ref) // a message that restarts it
				}
			})
			var heard atomic.Int64
			caller, callerGo, hears := newCaller(func(*puppet, *actor.Context, actor.Result[int]) {
				heard.Add(1)
			})
			var wait sync.WaitGroup
			for k := range senders {
				from := caller.Spawn(b.sys, puppet{})
				wait.Go(func() {
					for i := range n {
						if k%2 == 0 {
							b.tell.Send(b.sys, b.child, k*each+i)
						} else {
							callerGo.Send(b.sys, from, func(c *actor.Context) {
								b.tell.Send(c, b.child, k*each+i)
								if i%3 == 0 {
									actor.AskTo(c, b.ask, b.child, -1, hears)
								}
							})
						}
						if i%20 == 0 {
							q := newCue()
							close(q.when)
							b.fall.Send(b.sys, b.child, q)
						}
					}
				})
			}
			wait.Wait()
			quiet(t, b.sys)
			b.wake()
			heardBy := slices.DeleteFunc(slices.Concat(b.log.ran, b.log.dead), func(n int) bool {
				return n < 0
			})
			slices.Sort(heardBy)
			if len(heardBy) != senders*n || len(slices.Compact(heardBy)) != senders*n {
				t.Errorf("%d of %d have run or are dead letters", len(heardBy), senders*n)
			}
			equal(t, "outcomes of requests", int(heard.Load()), senders/2*((n+2)/3))
			last := make([]int, senders)
			for _, n := range slices.DeleteFunc(b.log.ran, func(n int) bool { return n < 0 }) {
				if k := n / each; n < last[k] {
					t.Fatalf("%d has run after %d", n, last[k])
				} else {
					last[k] = n
				}
			}
			equal(t, "mutes", b.sys.Stats().Mutes, b.sys.Stats().Unmutes)
			t.Logf("%d dead letters", len(b.log.dead))
		})
	}
}
