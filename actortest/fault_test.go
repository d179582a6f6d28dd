package actortest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
)

// TestFaults: the table affects the messages that it names, and the counts add up.
func TestFaults(t *testing.T) {
	send := func(r *actortest.R, n int) (ran int) {
		p := puppetType.Spawn(r.System(), puppet{})
		for range n {
			do.Send(r.System(), p, func(*actor.Context) { ran++ })
		}
		r.Quiet()
		return ran
	}
	for name, c := range map[string]struct {
		fault    actortest.Fault
		ran, may int // at least, and at most
	}{
		"panic": {actortest.Fault{Type: "puppet", Behaviour: "do", At: 3, Action: actortest.FaultPanic},
			2, 2},
		"stop": {actortest.Fault{Type: "puppet", At: 3, Action: actortest.FaultStop}, 3, 3},
		"kill": {actortest.Fault{Type: "puppet", At: 3, Action: actortest.FaultKill}, 3, 3},
		"drop": {actortest.Fault{Behaviour: "do", At: 2, Times: 2, Action: actortest.FaultDrop}, 3,
			3},
		"drop all":  {actortest.Fault{Times: -1, Action: actortest.FaultDrop}, 0, 0},
		"drop some": {actortest.Fault{Times: -1, OneIn: 2, Action: actortest.FaultDrop}, 0, 5},
		"delay":     {actortest.Fault{At: 1, Times: 3, Action: actortest.FaultDelay}, 5, 5},
		"preempt":   {actortest.Fault{Times: -1, Action: actortest.FaultPreempt}, 5, 5},
		"flood":     {actortest.Fault{At: 2, Action: actortest.FaultFlood}, 5, 5},
		"collect":   {actortest.Fault{Times: -1, Action: actortest.FaultCollect}, 5, 5},
		"starve":    {actortest.Fault{Times: -1, Action: actortest.FaultStarve}, 5, 5},
		"jump":      {actortest.Fault{Times: -1, Action: actortest.FaultJump, For: time.Hour}, 5, 5},
		"elsewhere": {actortest.Fault{Type: "other", Action: actortest.FaultPanic}, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			least, most := 5, 0
			actortest.Run(t, func(r *actortest.R) {
				ran := send(r, 5)
				least, most = min(least, ran), max(most, ran)
			}, actortest.WithFaults(c.fault), actortest.WithRuns(20), actortest.WithTwice())
			if least < c.ran || most > c.may || c.ran < c.may && least == most {
				t.Errorf("%d to %d ran, want %d to %d", least, most, c.ran, c.may)
			}
		})
	}
}

// TestFaults_Refuse: TrySend finds its receiver overloaded when the table says so.
func TestFaults_Refuse(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		with(r, func(c *actor.Context) {
			for i, want := range []error{nil, actor.ErrOverloaded, nil} {
				if err := tick.TrySend(c, actor.Self[puppet](c), 1); !errors.Is(err, want) {
					r.Errorf("TrySend %d: %v, want %v", i+1, err, want)
				}
			}
		})
	}, actortest.WithFaults(actortest.Fault{Behaviour: "tick", At: 2, Action: actortest.FaultRefuse}),
		actortest.WithRuns(5))
}

// TestFaults_RefuseLast: a TrySend that is refused anyhow is not counted by the table: from inside
// and from outside.
func TestFaults_RefuseLast(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		with(r, func(c *actor.Context) {
			c.ApplyPressure()
			for _, from := range []actor.Sender{c, r.System(), c} {
				if err := tick.TrySend(from, actor.Self[puppet](c), 1); !errors.Is(err, actor.ErrOverloaded) {
					r.Errorf("under pressure: %v", err)
				}
			}
			c.ReleasePressure()
			for i, want := range []error{nil, actor.ErrOverloaded, nil} {
				if err := tick.TrySend(c, actor.Self[puppet](c), 1); !errors.Is(err, want) {
					r.Errorf("TrySend %d: %v, want %v", i+1, err, want)
				}
			}
		})
	}, actortest.WithFaults(actortest.Fault{Behaviour: "tick", At: 2, Action: actortest.FaultRefuse}),
		actortest.WithRuns(5))
}

// frail is an actor with a heap, and something to do at its beginning and its end.
type frail struct{ text heap.String }

var (
	frailType = actor.NewType[frail]("frail").
			OnStart(func(*frail, *actor.Context) error { return nil }).
			OnStop(func(f *frail, c *actor.Context, _ error) {})
	write = actor.DeclareAsk[int, error](frailType, "write")
	_     = frailType.Table(write.Handle((*frail).write))
)

func (f *frail) write(c *actor.Context, n int) (error, error) {
	a := c.Heap()
	_, err := heap.TryMakeSlice[byte](a, n)
	return err, nil
}

// TestFaults_Callbacks: "callbacks count as behaviours if they are named".
func TestFaults_Callbacks(t *testing.T) {
	for _, callback := range []string{"OnStart", "OnStop"} {
		t.Run(callback, func(t *testing.T) {
			actortest.Run(t, func(r *actortest.R) {
				p := frailType.Spawn(r.System(), frail{})
				r.Quiet()
				err := actor.StopWait(r.Context(), p)
				panics := r.System().Stats().Panics
				if r.Quiet(); panics != 1 || err != nil {
					r.Errorf("%d panics, %v", panics, err)
				}
			}, actortest.WithFaults(actortest.Fault{Type: "frail", Behaviour: callback,
				Action: actortest.FaultPanic}), actortest.WithRuns(10))
		})
	}
}

// initer has a behaviour with the name of a callback.
var (
	initerType = actor.NewType[puppet]("initer")
	initDo     = actor.Declare[deed](initerType, "init")
	_          = initerType.Table(initDo.Handle((*puppet).do)).OnStart(func(*puppet,
		*actor.Context) error {
		return nil
	})
)

// TestFaults_PassCallbacksBy: "They are no messages, so Drop and Refuse do not apply to them". A
// behaviour is one, with any name.
func TestFaults_PassCallbacksBy(t *testing.T) {
	failed, said := try(t, func(r *actortest.R) {
		p, ran := initerType.Spawn(r.System(), puppet{}), 0
		for range 2 {
			initDo.Send(r.System(), p, func(*actor.Context) { ran++ })
		}
		r.WhenQuiet(func() {
			if letters := r.System().Stats().DeadLetters; ran != 0 || letters != 2 {
				r.Errorf("%d have run, %d dead letters", ran, letters)
			}
		})
	}, actortest.WithRuns(5), actortest.WithFaults(
		actortest.Fault{Behaviour: "init", Action: actortest.FaultDrop},
		actortest.Fault{At: 2, Action: actortest.FaultDrop},
		actortest.Fault{Behaviour: "OnStart", Times: -1, Action: actortest.FaultDrop}))
	if failed || !strings.Contains(said, "fault 3 struck nothing") {
		t.Error(said)
	}
}

// warden hears of its child in every way that there is.
type warden struct {
	child actor.Ref[puppet]
	heard int
}

var (
	wardenType      = actor.NewType[warden]("warden")
	wardenChildDown = actor.Declare[kernel.ChildDown](wardenType, "fell")
	wardenChildUp   = actor.Declare[kernel.ChildUp](wardenType, "rose")
	wardenDown      = actor.Declare[actor.Down](wardenType, "down")
	wardenExit      = actor.Declare[actor.Exit](wardenType, "exit")
	_               = wardenType.OnStart((*warden).start).Table(wardenChildDown.Handle(hear),
		wardenChildUp.Handle(hear),
		wardenDown.Handle(hear), wardenExit.Handle(hear))
)

func hear[M any](w *warden, _ *actor.Context, _ M) { w.heard++ }

func (w *warden) start(c *actor.Context) error {
	care := kernel.ChildOptions{Down: kernel.AnyBehaviour(wardenChildDown).Descriptor(),
		Up: kernel.AnyBehaviour(wardenChildUp).Descriptor()}
	w.child = actor.Ref[puppet](kernel.SpawnUnder(kernel.TurnOf(c), (*kernel.AnyType)(puppetType).Info(),
		func(*puppet) {}, care))
	actor.TrapExit(c, wardenExit)
	actor.Link(c, w.child)
	actor.Watch(c, w.child, wardenDown)
	return nil
}

// TestFaults_DropNoNews: "Drop does not apply to messages of the runtime about ends and starts of
// other actors either".
func TestFaults_DropNoNews(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		var w *warden
		wardenType.SpawnFunc(r.System(), func(new *warden) { w = new })
		r.Quiet()
		actor.Kill(r.System(), w.child)
		r.WhenQuiet(func() {
			if w.heard != 4 {
				r.Errorf("heard %d of a start, a failure, an end and an exit", w.heard)
			}
		})
	}, actortest.WithFaults(actortest.Fault{Times: -1, Action: actortest.FaultDrop}),
		actortest.WithRuns(10))
}

// TestFaults_DropOfOutcomes: the dead letter of an outcome says who has answered, with a time-out
// and without.
func TestFaults_DropOfOutcomes(t *testing.T) {
	typ := actor.NewType[puppet]("asking")
	answer := actor.DeclareAsk[int, int](typ, "answer")
	hear := actor.Declare[actor.Result[int]](typ, "hear")
	begin := actor.Declare[actor.Ref[puppet]](typ, "begin")
	typ.Table(
		answer.Handle(func(_ *puppet, _ *actor.Context, n int) (int, error) { return n, nil }),
		hear.Handle(func(*puppet, *actor.Context, actor.Result[int]) {
			t.Error("an outcome was not dropped")
		}),
		begin.Handle(func(_ *puppet, c *actor.Context, other actor.Ref[puppet]) {
			actor.AskTo(c, answer, other, 1, hear)
			actor.AskTo(c, answer, other, 2, hear, actor.Within(time.Second))
		}))
	var from []uint64
	actortest.Run(t, func(r *actortest.R) {
		from = nil
		caller, other := typ.Spawn(r.System(), puppet{}), typ.Spawn(r.System(), puppet{})
		begin.Send(r.System(), caller, other)
		r.WhenQuiet(func() {
			if want := []uint64{other.ID(), other.ID()}; !slices.Equal(from, want) {
				r.Errorf("dead letters from %d, want %d", from, want)
			}
		})
	}, actortest.WithFaults(actortest.Fault{Behaviour: "hear", Times: -1,
		Action: actortest.FaultDrop}),
		actortest.WithRuns(10),
		actortest.WithSystem(actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			from = append(from, d.From)
		}})))
}

// TestFaults_Starve: "the actor's arena is full from now on".
func TestFaults_Starve(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		p := frailType.Spawn(r.System(), frail{})
		for i := range 3 {
			full, err := write.Ask(r.Context(), p, 100_000)
			if (full != nil) != (i > 0) || err != nil {
				r.Errorf("write %d: %v, %v", i+1, full, err)
			}
		}
	}, actortest.WithFaults(actortest.Fault{Behaviour: "write", At: 2, Action: actortest.FaultStarve}),
		actortest.WithRuns(10))
}

// sloth is a puppet that is slow only by the table.
var (
	slothType = actor.NewType[puppet]("sloth")
	doSlowly  = actor.Declare[deed](slothType, "do")
	_         = slothType.Table(doSlowly.Handle((*puppet).do))
)

// TestFaults_Delay: "its worker waits until no other worker can run". Actors that the worker has
// made runnable before go elsewhere.
func TestFaults_Delay(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		var got []string
		say := func(what string) deed { return func(*actor.Context) { got = append(got, what) } }
		sloth := slothType.Spawn(r.System(), puppet{})
		with(r, func(c *actor.Context) {
			doSlowly.Send(c, sloth, say("sloth"))
			for range 5 {
				do.Send(c, puppetType.Spawn(c, puppet{}), say("other"))
			}
		})
		r.WhenQuiet(func() {
			if len(got) != 6 || got[5] != "sloth" {
				r.Errorf("%v", got)
			}
		})
	}, actortest.WithFaults(actortest.Fault{Type: "sloth", Action: actortest.FaultDelay}),
		actortest.WithRuns(40))
}

// TestFaults_Jump: "the clock jumps by For".
func TestFaults_Jump(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		rang := false
		with(r, func(c *actor.Context) {
			actor.After(c, time.Hour, do, func(*actor.Context) { rang = true })
			tick.Send(c, actor.Self[puppet](c), 1)
		})
		if r.Quiet(); !rang {
			r.Errorf("the timer has not rung")
		}
	}, actortest.WithFaults(actortest.Fault{Behaviour: "tick", Action: actortest.FaultJump,
		For: time.Hour}),
		actortest.WithRuns(20))
}

// TestFaults_BadRows: "Faults panics if a fault is invalid".
func TestFaults_BadRows(t *testing.T) {
	for name, f := range map[string]actortest.Fault{
		"no action":     {},
		"jump nowhere":  {Action: actortest.FaultJump},
		"stop for long": {Action: actortest.FaultStop, For: time.Second},
		"before all":    {Action: actortest.FaultStop, At: -1},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			actortest.WithFaults(f)
		}()
	}
}

// TestInjectedPanic_SaysWhere: the panic also names values that the row leaves open.
func TestInjectedPanic_SaysWhere(t *testing.T) {
	for want, f := range map[string]actortest.Fault{"store.*": {Type: "store"},
		"*.put": {Behaviour: "put"}, "*.*": {}} {
		if got := (actortest.InjectedPanic{Fault: f}).Error(); got != "gallop: actortest: "+
			"injected panic in "+want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
