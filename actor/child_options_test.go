package actor_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// warden is a supervisor that notes its children that are up.
type warden struct {
	diary    *diary
	children []actor.AnyRef
	fell     func(c *actor.Context, f actor.ChildDown)
}

var (
	wardenType = actor.NewType[warden]("warden")
	wardenDo   = actor.DeclareAsk[func(*warden, *actor.Context), struct{}](wardenType, "do")
	wardenFell = actor.Declare[actor.ChildDown](wardenType, "fell")
	wardenRose = actor.Declare[actor.ChildUp](wardenType, "rose")
	wardenWake = actor.Declare[actor.AnyRef](wardenType, "wake")
	_          = wardenType.Table(
		wardenDo.Handle(func(w *warden, c *actor.Context,
			f func(*warden, *actor.Context)) (none struct{}, err error) {
			f(w, c)
			return
		}),
		wardenFell.Handle(func(w *warden, c *actor.Context, f actor.ChildDown) {
			if w.fell != nil && !f.Final {
				w.fell(c, f)
			}
		}),
		wardenRose.Handle(func(w *warden, _ *actor.Context, _ actor.ChildUp) { w.diary.add("up") }),
		wardenWake.Handle(func(_ *warden, c *actor.Context, r actor.AnyRef) { actor.Restart(c, r) }))
)

func (w *warden) spawn(c *actor.Context, name string, care actor.Care[warden],
	start func(*mortal, *actor.Context) error) actor.Ref[mortal] {
	care.Fell, care.Rose = wardenFell, wardenRose
	// A copy: the child reads it at every restart, and must not read the warden's field.
	d := w.diary
	r := actor.SpawnUnder(c, mortalType, func(m *mortal) {
		*m = mortal{name: name, diary: d, onStart: start}
	}, care)
	w.children = append(w.children, r.Any())
	return r
}

func wardenIn(t testing.TB, sys *actor.System, r actor.Ref[warden],
	f func(*warden, *actor.Context)) {
	t.Helper()
	_, err := wardenDo.Ask(soon(t), r, f)
	must(t, err)
	quiet(t, sys)
}

// TestChildUp: the behaviour Rose gets a message whenever the child is up: after OnStart, and not
// if OnStart fails.
func TestChildUp(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var d diary
	fails := 1
	w := wardenType.Spawn(sys, warden{diary: &d, fell: func(c *actor.Context, f actor.ChildDown) {
		actor.Restart(c, f.Ref)
	}})
	var child actor.Ref[mortal]
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		child = w.spawn(c, "child", actor.Care[warden]{}, func(*mortal, *actor.Context) error {
			if fails > 0 {
				fails--
				return errUser
			}
			return nil
		})
	})
	d.says(t, "child: start", "child: start", "up")
	d.lines = nil
	doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
	quiet(t, sys)
	d.says(t, "child: stop panic", "child: start", "up")
}

// TestCare: Stop is called in place of the parent's order, once, and not when the parent is killed.
// Before decides which child is told first. A Restart after the order and before the end has no
// effect.
func TestCare(t *testing.T) {
	for _, kill := range []bool{false, true} {
		sys := start(t, actor.WithWorkers(1))
		var d diary
		w := wardenType.Spawn(sys, warden{diary: &d})
		care := actor.Care[warden]{Stop: func(c *actor.Context, r actor.AnyRef) {
			d.add("heardBy")
			actor.StopWith(c, r, errUser)
		}}
		wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
			w.spawn(c, "b", care, nil)
			care.Before = w.children[0]
			w.spawn(c, "a", care, nil)
			care.Before = actor.AnyRef{}
			w.spawn(c, "c", care, nil)
			panics(t, "is not a child of", func() {
				w.spawn(c, "d", actor.Care[warden]{Before: actor.Self[warden](c).Any()}, nil)
			})
		})
		d.lines = nil
		if kill {
			must(t, actor.KillWait(soon(t), w))
			d.says(t)
			continue
		}
		must(t, actor.StopWait(soon(t), w))
		e := errUser.Error()
		d.says(t, "heardBy", "c: stop "+e, "heardBy", "b: stop "+e, "heardBy", "a: stop "+e)
	}
}

// TestCare_StopYields: the message that ChildOptions.Stop yields runs "exactly once, or becomes a
// dead letter". Here the parent leaves for good. Stop yields one even for a child that has ended
// before the parent is told to leave.
func TestCare_StopYields(t *testing.T) {
	for round := range scaled(50) {
		var dead letters
		sys := start(t, actor.WithWorkers(2), dead.option(),
			actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
				t.Error(p.Value)
			}}))
		w := wardenType.Spawn(sys, warden{diary: new(diary)})
		care := actor.Care[warden]{Stop: func(c *actor.Context, r actor.AnyRef) {
			actor.Yield(c, wardenWake, r)
			actor.Stop(c, r)
		}}
		wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
			w.spawn(c, "told last", care, nil)
			child := w.spawn(c, "told first", care, nil)
			actor.Stop(c, actor.Self[warden](c))
			if round%2 == 0 {
				return
			}
			for actor.Kill(c, child); child.Status() != actor.StatusEnded; {
				runtime.Gosched()
			}
		})
		equal(t, "yielded messages that are dead letters", dead.n.Load(), 2)
		if sys.Stop(); t.Failed() {
			return
		}
	}
}

// TestCare_Place: the place of a child is found, also if the child has ended and the parent has not
// been told. After the parent was told, the actor is no child. Nor is a child of another actor, or
// an actor of another system whose parent has the same number.
func TestCare_Place(t *testing.T) {
	sys, elsewhere := start(t, actor.WithWorkers(2)), start(t, actor.WithWorkers(1))
	d := diary{}
	w, v := wardenType.Spawn(sys, warden{diary: &d}), wardenType.Spawn(elsewhere,
		warden{diary: new(diary)})
	equal(t, "number", v.ID(), w.ID())
	var ended, foreign actor.AnyRef
	wardenIn(t, elsewhere, v, func(v *warden, c *actor.Context) {
		for range 3 { // the first of them have the numbers of w's children
			foreign = v.spawn(c, "foreign", actor.Care[warden]{}, nil).Any()
		}
	})
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		w.spawn(c, "old", actor.Care[warden]{}, nil)
		r := w.spawn(c, "old", actor.Care[warden]{}, nil)
		w.spawn(c, "old", actor.Care[warden]{}, nil)
		plain := mortalType.SpawnChild(c, mortal{born: true})
		ended = r.Any()
		actor.Kill(c, ended)
		eventually(t, "its end", func() bool { return r.Status() == actor.StatusEnded })
		w.spawn(c, "before one that has ended", actor.Care[warden]{Before: ended}, nil)
		w.spawn(c, "before one that is not supervised", actor.Care[warden]{Before: plain.Any()}, nil)
	})
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		for _, r := range []actor.AnyRef{ended, foreign} {
			panics(t, "is not a child of", func() { w.spawn(c, "none", actor.Care[warden]{Before: r}, nil) })
		}
	})
	d.lines = nil
	must(t, actor.StopWait(soon(t), w))
	d.says(t, "before one that is not supervised: stop shutdown", "old: stop shutdown",
		"before one that has ended: stop shutdown", "old: stop shutdown")
}

// TestCare_StopCrashes: if Stop crashes for a child, the child gets an ordinary order to stop. Its
// siblings are not affected.
func TestCare_StopCrashes(t *testing.T) {
	for name, stop := range map[string]func(c *actor.Context, child actor.AnyRef){
		"panic":  func(*actor.Context, actor.AnyRef) { panic("stop") },
		"goexit": func(*actor.Context, actor.AnyRef) { runtime.Goexit() },
		"late":   func(c *actor.Context, child actor.AnyRef) { actor.Drain(c, child); panic("stop") },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			var d diary
			w := wardenType.Spawn(sys, warden{diary: &d})
			calls := 0
			care := actor.Care[warden]{Stop: func(c *actor.Context, child actor.AnyRef) {
				calls++
				stop(c, child)
			}}
			wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
				w.spawn(c, "a", actor.Care[warden]{}, nil)
				w.spawn(c, "b", care, nil)
				w.spawn(c, "c", care, nil)
			})
			d.lines = nil
			must(t, actor.StopWait(soon(t), w))
			d.says(t, "c: stop shutdown", "b: stop shutdown", "a: stop shutdown")
			equal(t, "calls of Stop", calls, 2)
		})
	}
}

// TestPostpone: "Until then the actor no longer holds the system": Wait returns and a
// virtual clock moves on; its mail waits all the same, and runs after the restart.
func TestPostpone(t *testing.T) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := start(t, actor.WithWorkers(2), actor.WithClock(clock))
	// Two diaries, since the order of the warden and the child is chance.
	var d, up diary
	w := wardenType.Spawn(sys, warden{diary: &d, fell: func(c *actor.Context, f actor.ChildDown) {
		actor.Postpone(c, f.Ref)
		actor.Postpone(c, f.Ref) // does nothing more
		actor.After(c, time.Minute, wardenWake, f.Ref)
	}})
	var child actor.Ref[mortal]
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		child = w.spawn(c, "child", actor.Care[warden]{}, nil)
		w.diary = &up
	})
	for range 2 { // the holds are in balance
		d.lines, up.lines = nil, nil
		doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
		quiet(t, sys)
		say.Send(sys, child, "kept")
		must(t, clock.Advance(soon(t), time.Minute-1))
		d.says(t, "child: stop panic")
		must(t, clock.Advance(soon(t), 1))
		d.says(t, "child: stop panic", "child: start", "child: kept")
		up.says(t, "up")
	}
	doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
	quiet(t, sys)
	must(t, actor.StopWait(soon(t), w))
	quiet(t, sys)
	actor.Postpone(sys, child)
	panics(t, "is not supervised", func() { actor.Postpone(sys, w) })
}

// TestAs: "It returns false if r is zero or its actor has another state type".
func TestAs(t *testing.T) {
	sys := start(t)
	r := mortalType.Spawn(sys, mortal{born: true})
	got, ok := actor.As[mortal](r.Any())
	equal(t, "as it is", got, r)
	equal(t, "ok", ok, true)
	_, ok = actor.As[warden](r.Any())
	equal(t, "other type", ok, false)
	_, ok = actor.As[mortal](actor.AnyRef{})
	equal(t, "zero", ok, false)
}

// TestCare_StopReported: the report of a panic in Stop names Stop. The last caller, which has had
// its answer, gets no error.
func TestCare_StopReported(t *testing.T) {
	reports := make(chan actor.PanicReport, 1)
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			reports <- p
		}}))
	w := wardenType.Spawn(sys, warden{diary: new(diary)})
	wardenIn(t, sys, w, func(w *warden, c *actor.Context) {
		w.spawn(c, "a", actor.Care[warden]{Stop: func(*actor.Context, actor.AnyRef) {
			panic("stop")
		}}, nil)
	})
	_, err := wardenDo.Ask(soon(t), w, func(_ *warden, c *actor.Context) { c.Stop() })
	must(t, err)
	quiet(t, sys)
	p := receive(t, "the report", reports)
	equal(t, "where", fmt.Sprint(p.Type, " ", p.Behaviour, " ", p.MessageID), "warden Stop 0")
	must(t, actor.StopWait(soon(t), w))
}

// TestCare_RoseOfAnother: a Rose of another actor's type panics before anything is spawned.
func TestCare_RoseOfAnother(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var d diary
	other := actor.Declare[actor.ChildUp](actor.NewType[warden]("another warden"), "rose")
	w := wardenType.Spawn(sys, warden{diary: &d})
	before := sys.Stats().Spawned
	wardenIn(t, sys, w, func(_ *warden, c *actor.Context) {
		panics(t, "another warden.rose", func() {
			actor.SpawnUnder(c, mortalType, func(m *mortal) {
				*m = mortal{name: "ghost", diary: &d}
			}, actor.Care[warden]{Fell: wardenFell, Rose: other})
		})
	})
	must(t, actor.StopWait(soon(t), w))
	d.says(t)
	equal(t, "actors spawned", sys.Stats().Spawned, before)
}
