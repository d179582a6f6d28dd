package supervise_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestDecide: Decide decides by the error: resume, restart, stop or escalate.
func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		decision supervise.Decision
		want     string
		noted    string
	}{
		"Restart":  {supervise.DecideRestart, "a running, b running", "-a, +a"},
		"Resume":   {supervise.DecideResume, "a running, b running", ""},
		"Stop":     {supervise.DecideStop, "a stopped, b running", "-a"},
		"Escalate": {supervise.DecideEscalate, "", "-a, -b"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			var seen events
			a := h.child("a")
			a.Decide = func(err error) supervise.Decision {
				if errors.Is(err, errUser) {
					return c.decision
				}
				return supervise.DecideRestart
			}
			h.run(supervise.Spec{Name: "app", Intensity: often, OnEvent: seen.add,
				Children: []supervise.Child{a, h.child("b")}})
			h.d.take()
			ref := h.find("a")
			do.Send(h.sys, ref, exitWithError)
			h.quiet()
			equal(t, "what happened", h.d.take(), c.noted)
			if c.want == "" {
				var e *supervise.EscalationError
				if err := h.reason(); !errors.As(err, &e) || !e.Decided ||
					!errors.Is(err, errUser) || errors.Is(err, supervise.ErrIntensity) {
					t.Errorf("reason %v", err)
				}
				return
			}
			equal(t, "states", h.states(), c.want)
			if c.decision == supervise.DecideStop {
				equal(t, "events", seen.take(), "app/a (toy) ended: user's own")
			}
		})
	}
}

// TestNormal: an end with a result of actor.Normal is a normal one: a Transient child is not
// restarted, Wait returns nil, and the information is kept.
func TestNormal(t *testing.T) {
	h := newHarness(t)
	a := h.child("a")
	a.Restart = supervise.Transient
	h.run(supervise.Spec{Name: "app", Children: []supervise.Child{a}})
	h.tell(func(_ *testChild, c *actor.Context) { c.Exit(actor.Normal(errUser)) }, "a")
	n := h.tree().Children[0]
	equal(t, "state", n.State, supervise.Stopped)
	wants(t, n.Last, errUser)
	actor.StopWith(h.sys, h.root, actor.Normal(errUser))
	h.must(h.root.Wait(h.soon()))
}

// TestMail: DropMail and WhileDown reach the child.
func TestMail(t *testing.T) {
	for _, c := range []struct {
		drop      bool
		whileDown int
		want      string
	}{
		{false, 0, "-a, +a, a queued, a 0, a 1, a 2"},
		{true, 0, "-a, +a, a 0, a 1, a 2"},
		{false, 2, "-a, +a, a 0, a 1"},
		{false, supervise.RefuseWhileDown, "-a, +a"},
	} {
		h := newHarness(t)
		w := h.child("a")
		w.DropMail, w.WhileDown, w.Backoff = c.drop, c.whileDown, supervise.Backoff{First: second}
		h.run(supervise.Spec{Name: "app", Children: []supervise.Child{w}})
		h.d.take()
		a := h.find("a")
		do.Send(h.sys, a, func(_ *testChild, ctx *actor.Context) {
			if c.whileDown == 0 {
				say.Send(ctx, a, "queued")
			}
			panic("crash")
		})
		h.quiet()
		for i := range 3 {
			say.Send(h.sys, a, fmt.Sprint(i))
		}
		_, err := ping.Ask(h.soon(), a, struct{}{})
		wants(t, err, actor.ErrSuspended)
		h.advance(second)
		equal(t, fmt.Sprint(c.drop, c.whileDown), h.d.take(), c.want)
	}
}

// TestRestarting: in OnStop a child is told that it may come up again only where its supervisor may
// restart it.
func TestRestarting(t *testing.T) {
	escalate := func(error) supervise.Decision { return supervise.DecideEscalate }
	for _, tt := range []struct {
		name    string
		restart supervise.Restart
		decide  func(error) supervise.Decision
		what    act // it does itself; nil: its older sibling falls
		want    bool
	}{
		{"Permanent, panic", supervise.Permanent, nil, crash, true},
		{"Permanent, normal end", supervise.Permanent, nil, finish, true},
		{"Permanent, taken down", supervise.Permanent, nil, nil, true},
		{"Permanent, escalates", supervise.Permanent, escalate, crash, false},
		{"Transient, panic", supervise.Transient, nil, crash, true},
		{"Transient, error", supervise.Transient, nil, exitWithError, true},
		{"Transient, normal end", supervise.Transient, nil, finish, false},
		{"Transient, ErrShutdown", supervise.Transient, nil, exitShutdown, false},
		{"Transient, taken down", supervise.Transient, nil, nil, true},
		{"Temporary, panic", supervise.Temporary, nil, crash, false},
		{"Temporary, error", supervise.Temporary, nil, exitWithError, false},
		{"Temporary, normal end", supervise.Temporary, nil, finish, false},
		{"Temporary, ended with its group", supervise.Temporary, nil, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t)
			said := make(chan bool, 10)
			typ := actor.NewType[askedChild]("asked").OnStop(
				func(_ *askedChild, c *actor.Context, _ error) { said <- c.Restarting() })
			run := actor.Declare[act](typ, "run")
			typ.Table(run.Handle(func(_ *askedChild, c *actor.Context, f act) { f(nil, c) }))
			h.run(supervise.Spec{Name: "app", Strategy: supervise.OneForAll,
				Children: []supervise.Child{h.child("older"),
					supervise.Worker[askedChild]{Name: "a", Type: typ, Restart: tt.restart,
						Decide: tt.decide}}})
			r, err := supervise.Find[askedChild](h.soon(), h.root, "a")
			h.must(err)
			if tt.what == nil {
				h.tell(crash, "older")
			} else {
				run.Send(h.sys, r, tt.what)
				h.quiet()
			}
			equal(t, "Restarting", <-said, tt.want)
		})
	}
}

// askedChild is a child that runs the functions that it is sent.
type askedChild struct{}
