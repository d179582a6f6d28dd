package actor_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestDropMail: "makes a dead letter of each message that waits when the life ends, also of stashed
// and of urgent ones, with the reason ErrRestarted: the caller of a request among them is told so.
// Messages that come later run in the next life."
func TestDropMail(t *testing.T) {
	for name, typ := range sleeperTypes {
		for _, postpones := range []bool{true, false} {
			b := makeBed(t, typ, actor.Care[warden]{DropMail: true})
			if !postpones {
				wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
					w.fell = func(c *actor.Context, f actor.ChildDown) { actor.Restart(c, f.Ref) }
				})
			}
			got := make(chan error, 3)
			b.sleep(func() {
				b.tell.Send(b.sys, b.child, 1)
				b.asks(actor.WaitForRestart(soon(t)), got)
				inside(t, b.sys, func(c *actor.Context) { b.tell.Send(c, b.child, 2) })
				eventually(t, "the requests are there", func() bool { return actor.InMailbox(b.child) >= 5 })
			})
			for range 3 {
				err := receive(t, "the outcome", got)
				wants(t, err, actor.ErrRestarted)
				wants(t, err, errUser)
			}
			b.tell.Send(b.sys, b.child, 3)
			quiet(t, b.sys)
			if postpones {
				b.wake()
			}
			b.log.ranIs(t, 3)
			slices.Sort(b.log.dead)
			b.log.deadIs(t, actor.ErrRestarted, 1, 1, 1, 1, 2)
			t.Log(name, postpones)
		}
	}
}

// TestDropMail_StashAndUrgent is TestDropMail for stashed and for urgent messages.
func TestDropMail_StashAndUrgent(t *testing.T) {
	var dead []actor.DeadLetter
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
			dead = append(dead, l)
		}}), actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	var d diary
	w := wardenType.Spawn(sys, warden{diary: &d, fell: func(c *actor.Context, f actor.ChildDown) {
		actor.Restart(c, f.Ref)
	}})
	var child actor.Ref[mortal]
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		child = w.spawn(c, "child", actor.Care[warden]{DropMail: true}, nil)
		actor.SpawnUnder(c, mortalType, func(*mortal) {}, actor.Care[warden]{Fell: wardenFell})
	})
	doAct.Send(sys, child, func(_ *mortal, c *actor.Context) { actor.Become(c, stashing) })
	say.Send(sys, child, "stashed")
	quiet(t, sys)
	doAct.Send(sys, child, func(m *mortal, c *actor.Context) {
		rush.Send(c, child, func(*mortal, *actor.Context) {
			t.Error("urgent mail of the last life runs")
		})
		say.Send(c, child, "mail")
		panic(1)
	})
	quiet(t, sys)
	equal(t, "dead letters", len(dead), 3)
	for _, l := range dead {
		wants(t, l.Reason, actor.ErrRestarted)
		wants(t, l.Reason, actor.ErrPanicked)
	}
	say.Send(sys, child, "new")
	quiet(t, sys)
	equal(t, "the last line", d.lines[len(d.lines)-1], "child: new")
}

// TestRestart_Abandoned: "Requests whose callers have given up by the restart are dropped all the
// same, for the reason ErrRestarted": none runs in the next life, immediate or after a back-off.
func TestRestart_Abandoned(t *testing.T) {
	for name, typ := range sleeperTypes {
		for _, postpones := range []bool{true, false} {
			b := makeBed(t, typ, actor.Care[warden]{})
			if !postpones {
				wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
					w.fell = func(c *actor.Context, f actor.ChildDown) { actor.Restart(c, f.Ref) }
				})
			}
			ctx, cancel := context.WithCancel(actor.WaitForRestart(context.Background()))
			got := make(chan error, 3)
			giveUp := func() {
				cancel()
				for range 3 {
					wants(t, receive(t, "the outcome", got), context.Canceled)
				}
			}
			b.sleep(func() {
				b.tell.Send(b.sys, b.child, 5)
				b.asks(ctx, got)
				eventually(t, "the requests are there", func() bool { return actor.InMailbox(b.child) >= 4 })
				if !postpones {
					giveUp()
				}
			})
			if postpones {
				giveUp()
				b.wake()
			}
			b.log.ranIs(t, 5)
			b.log.deadIs(t, actor.ErrRestarted, 1, 1, 1)
			t.Log(name, postpones)
		}
	}
}

// TestAsk_AbandonedRuns: "If ctx ends later, the request runs all the same, unless to is
// restarted".
func TestAsk_AbandonedRuns(t *testing.T) {
	b := makeBed(t, sleeperTypes["plain"], actor.Care[warden]{Decide: always(actor.DecideResume)})
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan error, 3)
	b.sleep(func() { // the sleeper is not restarted: Decide resumes it
		b.asks(ctx, got)
		eventually(t, "the requests are there", func() bool { return actor.InMailbox(b.child) >= 3 })
		cancel()
		for range 3 {
			wants(t, receive(t, "the outcome", got), context.Canceled)
		}
	})
	b.log.ranIs(t, 1, 1, 1)
}

// goneContext is a context whose Value calls runtime.Goexit after bad was set.
type goneContext struct {
	context.Context
	bad, asked *atomic.Bool
}

func (c goneContext) Value(key any) any {
	if c.bad.Load() {
		c.asked.Store(true)
		runtime.Goexit()
	}
	return c.Context.Value(key)
}

// TestRestart_ContextOfCaller: the context of a waiting request is foreign code. It is asked when
// the request is made whether its caller waits for a restart. It is not asked in the turns of the
// receiver, which go through all its mail: a context that misbehaves would cost the rest of the
// mail.
func TestRestart_ContextOfCaller(t *testing.T) {
	for name, typ := range sleeperTypes {
		for _, postpones := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", postponed: ", postpones), func(t *testing.T) {
				b := makeBed(t, typ, actor.Care[warden]{})
				if !postpones {
					wardenIn(t, b.sys, b.parent, func(w *warden, _ *actor.Context) {
						w.fell = func(c *actor.Context, f actor.ChildDown) { actor.Restart(c, f.Ref) }
					})
				}
				bad, asked := new(atomic.Bool), new(atomic.Bool)
				foul := goneContext{context.Background(), bad, asked}
				got := make(chan error, 4)
				caller, callerGo, heard := newCaller(func(_ *puppet, _ *actor.Context, r actor.Result[int]) {
					got <- r.Err
				})
				b.sleep(func() {
					b.tell.Send(b.sys, b.child, 5)
					b.asks(foul, got)
					callerGo.Send(b.sys, caller.Spawn(b.sys, puppet{}), func(c *actor.Context) {
						c.SetContext(foul)
						actor.AskTo(c, b.ask, b.child, 1, heard)
					})
					eventually(t, "the requests are there", func() bool { return actor.InMailbox(b.child) >= 5 })
					b.tell.Send(b.sys, b.child, 6)
					bad.Store(true)
				})
				if postpones {
					b.wake()
				}
				for range 4 {
					if err := receive(t, "the outcome of a request", got); postpones {
						wants(t, err, actor.ErrSuspended)
					} else {
						must(t, err)
					}
				}
				quiet(t, b.sys)
				equal(t, "asked in turns of the receiver", asked.Load(), false)
				if postpones {
					b.log.ranIs(t, 5, 6)
				} else {
					b.log.ranIs(t, 5, 1, 1, 1, 1, 6)
				}
			})
		}
	}
}

// foulHandler is a foreign handler that does not return.
type foulHandler struct {
	misdeed func()
	got     chan error
}

func (h foulHandler) Send(_ actor.Sender, r actor.Result[int]) { h.got <- r.Err; h.misdeed() }
func (h foulHandler) TrySend(from actor.Sender, r actor.Result[int]) error {
	h.Send(from, r)
	return nil
}

// TestRestart_HandlerOfCaller: an actor that goes into a back-off, or drops its mail, answers the
// requests in its mail. If a handler panics there, or calls runtime.Goexit, no other mail is lost.
func TestRestart_HandlerOfCaller(t *testing.T) {
	misdeeds := map[string]func(){"panic": func() { panic("foul") }, "Goexit": runtime.Goexit}
	for name, typ := range sleeperTypes {
		for misdeed, do := range misdeeds {
			for _, drops := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ", misdeed, ", drops: ", drops), func(t *testing.T) {
					b := makeBed(t, typ, actor.Care[warden]{DropMail: drops})
					got := make(chan error, 1)
					caller, callerGo, _ := newCaller(func(*puppet, *actor.Context, actor.Result[int]) {})
					b.sleep(func() {
						b.tell.Send(b.sys, b.child, 5)
						callerGo.Send(b.sys, caller.Spawn(b.sys, puppet{}), func(c *actor.Context) {
							b.ask.To(b.child).AskTo(c, 1, foulHandler{do, got})
						})
						eventually(t, "the request is there", func() bool { return actor.InMailbox(b.child) >= 2 })
						b.tell.Send(b.sys, b.child, 6)
					})
					b.wake()
					if err := receive(t, "the outcome", got); drops {
						wants(t, err, actor.ErrRestarted)
						b.log.deadIs(t, actor.ErrRestarted, 5, 1, 6)
					} else {
						wants(t, err, actor.ErrSuspended)
						b.log.ranIs(t, 5, 6)
					}
				})
			}
		}
	}
}
