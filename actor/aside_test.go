package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// Tests of code that runs beside the mailbox: urgent mail and callbacks, which may yield, fail and
// end a life in one turn.

// lodger is an actor with both, and its supervisor is the landlord.
type (
	lodger   struct{}
	landlord struct {
		fell func(*actor.Context, actor.ChildDown)
	}
)

// house has a system of one worker, so that the messages of one behaviour are found together.
type house struct {
	log              []string
	starts           int
	onStart          func(*actor.Context, int) error // with the number of the start
	onStop           func(*actor.Context)
	lodgers          *actor.Type[lodger]
	say, tell, hurry actor.Behaviour[lodger, string] // ordinary, urgent, and urgent and yielding
	fault            actor.Behaviour[lodger, struct{}]
	fell             actor.Behaviour[landlord, actor.ChildDown]
}

func (h *house) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func newHouse() *house {
	h := &house{lodgers: actor.NewType[lodger]("lodger")}
	h.say = actor.Declare[string](h.lodgers, "say")
	h.tell = actor.Declare[string](h.lodgers, "tell", actor.Urgent())
	h.hurry = actor.Declare[string](h.lodgers, "hurry", actor.Urgent())
	h.fault = actor.Declare[struct{}](h.lodgers, "fault", actor.Urgent())
	h.lodgers.OnStart(func(_ *lodger, c *actor.Context) error {
		if h.starts++; h.onStart != nil {
			return h.onStart(c, h.starts)
		}
		return nil
	}).OnStop(func(_ *lodger, c *actor.Context, _ error) {
		if h.onStop != nil {
			h.onStop(c)
		}
	})
	h.lodgers.Table(
		h.say.Handle(func(_ *lodger, _ *actor.Context, s string) { h.note("%s", s) }),
		h.tell.Handle(func(_ *lodger, _ *actor.Context, s string) { h.note("urgent %s", s) }),
		h.hurry.Handle(func(_ *lodger, c *actor.Context, s string) {
			h.note("urgent %s", s)
			if actor.Yield(c, h.say, "more of "+s); s == "end" {
				c.Stop()
			}
		}),
		h.fault.Handle(func(*lodger, *actor.Context, struct{}) { panic("a fault") }),
	)
	return h
}

// live runs a system in which a supervisor runs a script with its child, and decides when the child
// falls. It returns the log.
func (h *house) live(t *testing.T, script func(c *actor.Context, k actor.Ref[lodger]),
	decide func(*actor.Context, actor.Ref[lodger])) string {
	t.Helper()
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			h.note("panic in %s", p.Behaviour)
		}}),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			h.note("dead %v", d.Message)
		}}))
	landlords := actor.NewType[landlord]("landlord")
	begin := actor.Declare[struct{}](landlords, "begin")
	act := actor.Declare[actor.Ref[lodger]](landlords, "act")
	h.fell = actor.Declare[actor.ChildDown](landlords, "fell")
	var child actor.Ref[lodger]
	landlords.Table(begin.Handle(func(_ *landlord, c *actor.Context, _ struct{}) {
		child = actor.SpawnSupervised(c, h.lodgers, func(*lodger) {}, h.fell)
		act.Send(c, actor.Self[landlord](c), child)
	}), act.Handle(func(_ *landlord, c *actor.Context, k actor.Ref[lodger]) {
		script(c, k)
	}), h.fell.Handle(func(_ *landlord, c *actor.Context, f actor.ChildDown) {
		if !f.Final {
			h.note("fell: %v", f.Reason)
			decide(c, child)
		}
	}))
	begin.Send(sys, landlords.Spawn(sys, landlord{}), struct{}{})
	quiet(t, sys)
	return strings.Join(h.log, "; ")
}

func stopChild(c *actor.Context, k actor.Ref[lodger])    { actor.Stop(c, k) }
func restartChild(c *actor.Context, k actor.Ref[lodger]) { actor.Restart(c, k) }

// TestAside_Yield: a message that an urgent message or a callback yields runs once, or is a dead
// letter, also with other signals in the system queue.
func TestAside_Yield(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(*house)
		script  func(h *house, c *actor.Context, k actor.Ref[lodger])
		want    string
	}{
		{"TwoUrgent", nil, func(h *house, c *actor.Context, k actor.Ref[lodger]) {
			h.hurry.Send(c, k, "1")
			h.hurry.Send(c, k, "2")
		}, "urgent 1; urgent 2; more of 2; more of 1"},
		{"AndEnds", nil, func(h *house, c *actor.Context, k actor.Ref[lodger]) {
			h.hurry.Send(c, k, "end")
		}, "urgent end; fell: <nil>; dead more of end"},
		{"AndIsStopped", nil, func(h *house, c *actor.Context, k actor.Ref[lodger]) {
			h.hurry.Send(c, k, "1")
			actor.Stop(c, k)
		}, "urgent 1; dead more of 1"},
		{"AndDrains", nil, func(h *house, c *actor.Context, k actor.Ref[lodger]) {
			actor.Drain(c, k)
			h.hurry.Send(c, k, "1")
		}, "urgent 1; more of 1"},
		{"AndIsRestarted", nil, func(h *house, c *actor.Context, k actor.Ref[lodger]) {
			h.hurry.Send(c, k, "1")
			actor.Restart(c, k)
		}, "urgent 1; more of 1"},
		{"OnStartOfARestart", func(h *house) {
			h.onStart = func(c *actor.Context, n int) error {
				actor.Yield(c, h.say, fmt.Sprint("start ", n))
				return nil
			}
		}, func(_ *house, c *actor.Context, k actor.Ref[lodger]) {
			actor.Restart(c, k)
		}, "start 2; start 1"},
		{"OnStartThatFails", func(h *house) {
			h.onStart = func(c *actor.Context, n int) error {
				actor.Yield(c, h.say, fmt.Sprint("start ", n))
				return errors.New("no")
			}
		}, func(*house, *actor.Context, actor.Ref[lodger]) {}, "fell: no; dead start 1"},
		{"OnStopOfARestart", func(h *house) {
			h.onStop = func(c *actor.Context) {
				if h.starts == 1 {
					actor.Yield(c, h.say, "stop")
				}
			}
		}, func(_ *house, c *actor.Context, k actor.Ref[lodger]) { actor.Restart(c, k) }, "stop"},
		{"OnStopForGood", func(h *house) {
			h.onStop = func(c *actor.Context) { actor.Yield(c, h.say, "stop") }
		}, func(_ *house, c *actor.Context, k actor.Ref[lodger]) { actor.Stop(c, k) }, "dead stop"},
		{"OnStopThatPanics", func(h *house) {
			h.onStop = func(c *actor.Context) {
				actor.Yield(c, h.say, "stop")
				panic("no")
			}
		}, func(_ *house, c *actor.Context, k actor.Ref[lodger]) {
			actor.Stop(c, k)
		}, "dead stop; panic in OnStop"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHouse()
			if tc.prepare != nil {
				tc.prepare(h)
			}
			equal(t, "what happened", h.live(t, func(c *actor.Context, k actor.Ref[lodger]) {
				tc.script(h, c, k)
			}, stopChild), tc.want)
		})
	}
}

// TestAside_StartFails: if a start fails, the urgent messages that came before it wait for the next
// life, or become dead letters.
func TestAside_StartFails(t *testing.T) {
	for _, tc := range []struct {
		name   string
		decide func(*actor.Context, actor.Ref[lodger])
		want   string
	}{
		{"Stopped", stopChild,
			"panic in OnStart; fell: gallop: actor panicked: not today; dead 1; dead 2; dead say"},
		{"Restarted", restartChild,
			"panic in OnStart; fell: gallop: actor panicked: not today; urgent 1; urgent 2; say"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHouse()
			h.onStart = func(_ *actor.Context, n int) error {
				if n == 2 {
					panic("not today")
				}
				return nil
			}
			equal(t, "what happened", h.live(t, func(c *actor.Context, k actor.Ref[lodger]) {
				actor.Restart(c, k)
				h.tell.Send(c, k, "1")
				h.tell.Send(c, k, "2")
				h.say.Send(c, k, "say")
			}, tc.decide), tc.want)
		})
	}
}

// TestAside_UrgentBeforeTheStart: an urgent message that comes before the start of its actor starts
// the actor, and is not lost if OnStart panics.
func TestAside_UrgentBeforeTheStart(t *testing.T) {
	h := newHouse()
	h.onStart = func(*actor.Context, int) error { panic("never") }
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			h.note("dead %v", d.Message)
		}}))
	p := puppetType.Spawn(sys, puppet{})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		k := h.lodgers.Spawn(c, lodger{})
		h.tell.Send(c, k, "1")
		h.tell.Send(c, k, "2")
	})
	quiet(t, sys)
	equal(t, "what happened", strings.Join(h.log, "; "), "dead 1; dead 2")
}

// TestAside_FaultAfterARestart: "a panic never takes the process or a worker down". Nor does it in
// the turn that has restarted the actor.
func TestAside_FaultAfterARestart(t *testing.T) {
	h := newHouse()
	equal(t, "what happened", h.live(t, func(c *actor.Context, k actor.Ref[lodger]) {
		h.say.Send(c, k, "say")
		actor.Restart(c, k)
		h.fault.Send(c, k, struct{}{})
	}, stopChild), "panic in fault; fell: gallop: actor panicked: a fault; dead say")
}

// TestAside_ReplyToOneself: the handles in messages to oneself are roots, and a reply to oneself is
// such a message, with a time-out or without.
func TestAside_ReplyToOneself(t *testing.T) {
	type entry struct{ v int }
	guests := actor.NewType[lodger]("book")
	begin := actor.Declare[bool](guests, "begin")
	waste := actor.Declare[struct{}](guests, "waste")
	enter := actor.DeclareAsk[struct{}, heap.Ptr[entry]](guests, "enter")
	var got []int
	entered := actor.Declare[actor.Result[heap.Ptr[entry]]](guests, "entered")
	guests.Table(begin.Handle(func(_ *lodger, c *actor.Context, within bool) {
		self := actor.Self[lodger](c)
		if within {
			actor.AskTo(c, enter, self, struct{}{}, entered, actor.Within(time.Minute))
		} else {
			actor.AskTo(c, enter, self, struct{}{}, entered)
		}
		waste.Send(c, self, struct{}{}) // between the request and its reply
	}), waste.Handle(func(_ *lodger, c *actor.Context, _ struct{}) {
		heap.MakeSlice[byte](c.Heap(), 40_000)
	}), enter.Handle(func(_ *lodger, c *actor.Context, _ struct{}) (heap.Ptr[entry], error) {
		p := heap.New[entry](c.Heap())
		p.Deref(c.Heap()).v = 42
		return p, nil
	}), entered.Handle(func(_ *lodger, c *actor.Context, r actor.Result[heap.Ptr[entry]]) {
		got = append(got, r.Value.Deref(c.Heap()).v)
	}))
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			t.Error(p.Value)
		}}))
	for _, within := range []bool{false, true} {
		begin.Send(sys, guests.Spawn(sys, lodger{}), within)
		quiet(t, sys) // after a long turn a second worker would run the next actor beside this one
	}
	equal(t, "entries read", fmt.Sprint(got), "[42 42]")
}

// TestAside_ReplyForNone: if the caller of a request has given up, a parcel in the reply is
// discarded.
func TestAside_ReplyForNone(t *testing.T) {
	before := heap.Blobs()
	typ := actor.NewType[lodger]("porter")
	fetch := actor.DeclareAsk[chan struct{}, heap.Parcel](typ, "fetch")
	typ.Table(fetch.Handle(func(_ *lodger, _ *actor.Context, go1 chan struct{}) (heap.Parcel, error) {
		<-go1 // the caller has given up
		return heap.NewParcel(strings.Repeat("x", 100)), nil
	}))
	sys := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	hold := make(chan struct{})
	go cancel()
	if _, err := fetch.Ask(ctx, typ.Spawn(sys, lodger{}), hold); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(hold)
	quiet(t, sys)
	equal(t, "blobs left", heap.Blobs().Live, before.Live)
}
