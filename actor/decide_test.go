package actor_test

import (
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// under is a system with a mortal that is supervised. The parent keeps each ChildDown, and restarts
// the child unless the ChildDown is final or the decision is to escalate.
type under struct {
	sys      *actor.System
	parent   actor.Ref[mortal]
	child    actor.Ref[mortal]
	falls    []actor.ChildDown
	diary    diary
	asked    []error // the arguments of Decide
	reported []actor.PanicReport
	stayDown bool
}

func newUnder(t *testing.T, care actor.Care[mortal], child mortal) *under {
	t.Helper()
	u := &under{}
	u.sys = start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			u.reported = append(u.reported, p)
		}}))
	u.parent = mortalType.Spawn(u.sys, mortal{name: "parent",
		onFell: func(_ *mortal, c *actor.Context, f actor.ChildDown) {
			u.falls = append(u.falls, f)
			switch {
			case f.Decided() == actor.DecideEscalate:
				c.Exit(f.Reason)
			case !f.Final && !u.stayDown:
				actor.Restart(c, f.Ref)
			case !f.Final:
				actor.Standby(c, f.Ref)
			}
		}})
	if decide := care.Decide; decide != nil {
		care.Decide = func(reason error) actor.Decision {
			u.asked = append(u.asked, reason)
			return decide(reason)
		}
	}
	child.name, child.diary = "child", &u.diary
	in(t, u.parent, func(_ *mortal, c *actor.Context) {
		care.Fell = onFell
		u.child = actor.SpawnUnder(c, mortalType, func(m *mortal) { *m = child }, care)
	})
	quiet(t, u.sys)
	return u
}

func (u *under) do(t *testing.T, f act) {
	t.Helper()
	doAct.Send(u.sys, u.child, f)
	quiet(t, u.sys)
}

func always(d actor.Decision) func(error) actor.Decision {
	return func(error) actor.Decision { return d }
}

var (
	errBad    = errors.New("bad")
	panicUser = func(*mortal, *actor.Context) { panic(errUser) }
	exitUser  = func(_ *mortal, c *actor.Context) { c.Exit(errUser) }
)

// TestDecide_Resume: "lets the child go on with its state, mail, timers, children, stash, and the
// replies that it had deferred before. The message over which it panicked is gone. The panic is
// reported as usual". The caller gets ErrPanicked, and the supervisor is not told.
func TestDecide_Resume(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideResume)}, mortal{})
	u.do(t, func(m *mortal, c *actor.Context) {
		m.n = 7
		mortalType.SpawnChild(c, mortal{name: "pup", diary: &u.diary, born: true})
		actor.After(c, 1, say, "timer")
		actor.Become(c, stashing)
	})
	say.Send(u.sys, u.child, "stashed")
	_, err := fetchIn.Ask(soon(t), u.child, panicUser)
	wants(t, err, actor.ErrPanicked)
	wants(t, err, errUser)
	u.do(t, func(_ *mortal, c *actor.Context) { c.Exit(errBad) })
	u.do(t, func(m *mortal, c *actor.Context) {
		m.note("n %d", m.n)
		actor.Become(c, mortalType.Variant())
		actor.UnstashAll(c)
	})
	say.Send(u.sys, u.child, "mail")
	quiet(t, u.sys)
	equal(t, "lines", len(u.diary.lines), 5) // with a line of the timer, somewhere among them
	equal(t, "falls", len(u.falls), 0)
	equal(t, "panics reported", len(u.reported), 1)
	wants(t, u.asked[0], actor.ErrPanicked)
	wants(t, u.asked[1], errBad)
	must(t, actor.StopWait(soon(t), u.parent))
	equal(t, "falls", len(u.falls), 0)
	equal(t, "was asked", len(u.asked), 2)
}

// TestDecide_ResumeLinked: DecideResume also works for a fall because a linked actor has failed.
func TestDecide_ResumeLinked(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideResume)}, mortal{})
	other := mortalType.Spawn(u.sys, mortal{})
	u.do(t, func(m *mortal, c *actor.Context) { m.n = 7; actor.Link(c, other) })
	doAct.Send(u.sys, other, panicUser)
	quiet(t, u.sys)
	n, err := fetch.Ask(soon(t), u.child, func(m *mortal) int { return m.n })
	must(t, err)
	equal(t, "its state", n, 7)
	equal(t, "was asked", len(u.asked), 1)
}

// TestDecide_Restart: DecideRestart has the effect of no Decide. For a child that "was not up"
// DecideResume is DecideRestart.
func TestDecide_Restart(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideRestart)}, mortal{})
	u.do(t, panicUser)
	u.diary.says(t, "child: start", "child: stop "+errUser.Error(), "child: start")
	equal(t, "falls", len(u.falls), 1)
	equal(t, "the decision", u.falls[0].Decided(), actor.DecideRestart)
	equal(t, "it fell at its start", u.falls[0].Starting, false)

	fails := 2
	u = newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideResume)},
		mortal{onStart: func(*mortal, *actor.Context) error {
			if fails--; fails >= 0 {
				return errBad
			}
			return nil
		}})
	equal(t, "falls", len(u.falls), 2)
	for _, f := range u.falls {
		wants(t, f.Reason, errBad)
		equal(t, "it fell at its start", f.Starting, true)
		equal(t, "the decision", f.Decided(), actor.DecideRestart)
	}
}

// TestDecide_Stop: "ends the child for good, with the reason of the failure, as [actor.StopWith]
// would". The supervisor gets a ChildDown that is Final.
func TestDecide_Stop(t *testing.T) {
	for name, f := range map[string]act{"panic": panicUser, "exit": exitUser} {
		t.Run(name, func(t *testing.T) {
			u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideStop)}, mortal{})
			u.do(t, f)
			equal(t, "falls", len(u.falls), 1)
			equal(t, "final", u.falls[0].Final, true)
			equal(t, "the decision", u.falls[0].Decided(), actor.DecideStop)
			wants(t, joined(t, u.child), errUser)
			u.diary.says(t, "child: start", "child: stop "+errUser.Error())
		})
	}
}

// TestDecide_Escalate: "suspends it; its supervisor is to fail as well". The parent here fails.
func TestDecide_Escalate(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideEscalate)}, mortal{})
	u.do(t, panicUser)
	wants(t, joined(t, u.parent), errUser)
	wants(t, joined(t, u.child), errUser)
	equal(t, "the decision", u.falls[0].Decided(), actor.DecideEscalate)
	equal(t, "final", u.falls[0].Final, false)
}

// TestDecide_ByCause: Decide decides by the reason.
func TestDecide_ByCause(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: func(reason error) actor.Decision {
		if errors.Is(reason, errBad) {
			return actor.DecideResume
		}
		return actor.DecideRestart
	}}, mortal{})
	for range 3 {
		u.do(t, func(*mortal, *actor.Context) { panic(errBad) })
	}
	equal(t, "falls", len(u.falls), 0)
	u.do(t, panicUser)
	equal(t, "falls", len(u.falls), 1)
}

// TestDecide_NotAsked: Decide is not called for normal ends, for Suspend, for Restart, for orders
// to end, nor while the child drains.
func TestDecide_NotAsked(t *testing.T) {
	for name, f := range map[string]func(u *under){
		"Stop":    func(u *under) { actor.StopWith(u.sys, u.child, errUser) },
		"Kill":    func(u *under) { actor.Kill(u.sys, u.child) },
		"Suspend": func(u *under) { actor.Suspend(u.sys, u.child) },
		"Restart": func(u *under) { actor.Restart(u.sys, u.child) },
		"Exit": func(u *under) {
			doAct.Send(u.sys, u.child, func(_ *mortal, c *actor.Context) { c.Stop() })
		},
		"Normal": func(u *under) {
			doAct.Send(u.sys, u.child, func(_ *mortal, c *actor.Context) { c.Exit(actor.Normal(errUser)) })
		},
		"Drain": func(u *under) {
			doAct.Send(u.sys, u.child, func(_ *mortal, c *actor.Context) {
				doAct.Send(c, u.child, panicUser)
				actor.Drain(c, u.child)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideResume)}, mortal{})
			f(u)
			quiet(t, u.sys)
			equal(t, "was asked", len(u.asked), 0)
		})
	}
}

// TestDecide_Panics: if Decide panics, or returns a value that is no decision, the decision is
// DecideRestart. The reason of the fall stays, and the report names Decide.
func TestDecide_Panics(t *testing.T) {
	for name, d := range map[string]func(error) actor.Decision{
		"panics": func(error) actor.Decision { panic(errBad) },
		"wrong":  always(actor.DecideEscalate + 1),
	} {
		for how, f := range map[string]act{"panic": panicUser, "exit": exitUser} {
			t.Run(name+"/"+how, func(t *testing.T) {
				u := newUnder(t, actor.Care[mortal]{Decide: d}, mortal{})
				for life := range 2 {
					u.do(t, f)
					equal(t, "falls", len(u.falls), life+1)
					wants(t, u.falls[life].Reason, errUser)
					equal(t, "was asked", len(u.asked), life+1)
				}
				last := u.reported[len(u.reported)-1]
				equal(t, "where it panicked", last.Behaviour, "Decide")
			})
		}
	}
}

// TestChildDown_Starting: Starting is true if "init or OnStart failed, with Reason as the error, or
// it was taken down before they ran". It is false for later falls, and for the end of a child that
// is down.
func TestChildDown_Starting(t *testing.T) {
	bad := false
	u := newUnder(t, actor.Care[mortal]{}, mortal{onStart: func(*mortal, *actor.Context) error {
		if bad {
			panic(errBad)
		}
		return nil
	}})
	u.stayDown = true
	u.do(t, panicUser)
	bad = true
	actor.Restart(u.sys, u.child)
	quiet(t, u.sys)
	actor.Stop(u.sys, u.child)
	quiet(t, u.sys)
	for i, want := range []actor.ChildDown{{Starting: false}, {Starting: true}, {Final: true}} {
		equal(t, "it fell at its start", u.falls[i].Starting, want.Starting)
		equal(t, "final", u.falls[i].Final, want.Final)
	}
	wants(t, u.falls[1].Reason, errBad)
}

// TestDecide_ResumeDeferred: "The caller of a request gets [actor.ErrPanicked], also if the
// behaviour had deferred the reply. There are two exceptions: a request that was stashed stays in
// the stash …; a reply that was handed over belongs to the other actor."
func TestDecide_ResumeDeferred(t *testing.T) {
	u := newUnder(t, actor.Care[mortal]{Decide: always(actor.DecideResume)}, mortal{})
	other := mortalType.Spawn(u.sys, mortal{})
	var late, before actor.Deferred[struct{}]
	ask := func(f act) <-chan error {
		outcome, runs := make(chan error, 1), make(chan struct{})
		go func() {
			_, err := fetchIn.Ask(soon(t), u.child, func(m *mortal, c *actor.Context) {
				close(runs)
				f(m, c)
			})
			outcome <- err
		}()
		<-runs
		quiet(t, u.sys)
		return outcome
	}
	putOff := ask(func(_ *mortal, c *actor.Context) { before = actor.Defer(c, fetchIn) })
	err := receive(t, "the outcome", ask(func(_ *mortal, c *actor.Context) {
		late = actor.Defer(c, fetchIn)
		panic(errUser)
	}))
	wants(t, err, actor.ErrPanicked)
	wants(t, err, errUser)
	equal(t, "a late reply is the first", late.Reply(u.sys, struct{}{}, nil), false)
	handedOver := ask(func(_ *mortal, c *actor.Context) {
		late = actor.Defer(c, fetchIn)
		late.HandOver(c, other)
		panic(errUser)
	})
	equal(t, "the other's reply is the first", late.Reply(u.sys, struct{}{}, nil), true)
	must(t, receive(t, "the outcome", handedOver))
	again := func(*mortal, *actor.Context) {}
	stashed := ask(func(_ *mortal, c *actor.Context) {
		_, _ = fetchIn.Stash(c, again)
		panic(errUser)
	})
	equal(t, "the other reply is the first", before.Reply(u.sys, struct{}{}, nil), true)
	must(t, receive(t, "the outcome", putOff))
	u.do(t, func(_ *mortal, c *actor.Context) { actor.UnstashAll(c) })
	must(t, receive(t, "the outcome", stashed))
	equal(t, "falls", len(u.falls), 0)
}
