package actortest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/internal/kernel"
)

// desk2 defers its replies, and gives them on request.
type desk2 struct {
	open    []actor.Deferred[string]
	stashes bool
}

// order is a request to a desk.
type order struct {
	item string
	n    int
}

var (
	desk2Type = actor.NewType[desk2]("clerk")
	place     = actor.DeclareAsk[order, string](desk2Type, "place")
	giveAll   = actor.Declare[string](desk2Type, "give")
	_         = desk2Type.Table(place.Handle((*desk2).place), giveAll.Handle((*desk2).give))

	patronType = actor.NewType[patron]("patron")
	goAsk      = actor.Declare[actor.Ref[desk2]](patronType, "go")
	heard      = actor.Declare[actor.Result[string]](patronType, "heard")
	_          = patronType.Table(goAsk.Handle((*patron).goAsk), heard.Handle((*patron).heard))
)

func (d *desk2) place(c *actor.Context, o order) (string, error) {
	if d.stashes {
		return place.Stash(c, o)
	}
	d.open = append(d.open, actor.Defer(c, place))
	return "", nil
}

func (d *desk2) give(c *actor.Context, s string) {
	for _, r := range d.open {
		r.Reply(c, s, nil)
	}
	d.open = nil
	actor.UnstashAll(c)
}

// patron asks a desk, and hears.
type patron struct{ replies int }

func (p *patron) goAsk(c *actor.Context, d actor.Ref[desk2]) {
	actor.AskTo(c, place, d, order{"apples", 7}, heard)
}
func (p *patron) heard(*actor.Context, actor.Result[string]) { p.replies++ }

// asksIn is a scenario in which an actor asks a desk, and then more happens.
func asksIn(d desk2, then func(r *actortest.R, d actor.Ref[desk2])) func(*actortest.R) {
	return func(r *actortest.R) {
		at := desk2Type.Spawn(r.System(), d)
		goAsk.Send(r.System(), patronType.Spawn(r.System(), patron{}), at)
		then(r, at)
	}
}

// TestRun_NoCallerWaitsForever: no caller waits for ever: neither for a deferred reply, nor for the
// reply to a stashed request. The failure names the caller, the actor and the request.
func TestRun_NoCallerWaitsForever(t *testing.T) {
	quiet := func(r *actortest.R, _ actor.Ref[desk2]) { r.Quiet() }
	for name, c := range map[string]struct {
		say      string
		scenario func(*actortest.R)
	}{
		"put off": {`patron#2 waits for clerk#1.place {item:"apples" n:7}: clerk#1 put its reply off at 0s and has not given it`, asksIn(desk2{}, quiet)},
		"stashed": {`patron#2 waits for clerk#1.place {item:"apples" n:7}: clerk#1 has the request in its stash`, asksIn(desk2{stashes: true}, quiet)},
	} {
		t.Run(name, func(t *testing.T) {
			said := fails(t, "a caller waits for ever:\n"+c.say, c.scenario, actortest.WithRuns(3))
			if again := replayed(t, said, c.scenario); again != asFound(said) {
				t.Errorf("first:\n%s\nreplayed:\n%s", said, again)
			}
			actortest.Run(t, c.scenario, actortest.AllowWaiting(), actortest.WithRuns(3))
			actortest.Run(t, c.scenario, actortest.AllowWaiting("other", "clerk"), actortest.WithRuns(3))
			fails(t, c.say, c.scenario, actortest.AllowWaiting("other"), actortest.WithRuns(3))
		})
	}
}

// slack has a child that it never brings up again.
type slack struct{ child actor.Ref[desk2] }

var (
	slackType  = actor.NewType[slack]("slack")
	slackDown  = actor.Declare[kernel.ChildDown](slackType, "fell")
	slackChild = actor.DeclareAsk[struct{}, actor.Ref[desk2]](slackType, "child")
)

func init() {
	slackType.OnStart(func(s *slack, c *actor.Context) error {
		s.child = spawnUnder(c, desk2Type, slackDown)
		return nil
	}).Table(slackDown.Handle(func(_ *slack, c *actor.Context, f kernel.ChildDown) {
		standby(c, f.Ref)
	}),
		slackChild.Handle(func(s *slack, _ *actor.Context, _ struct{}) (actor.Ref[desk2],
			error) {
			return s.child, nil
		}))
}

// TestRun_NoCallerWaitsForTheSuspended: nor for an actor that has failed and is never restarted.
func TestRun_NoCallerWaitsForTheSuspended(t *testing.T) {
	scenario := func(r *actortest.R) {
		child, err := slackChild.Ask(r.Context(), slackType.Spawn(r.System(), slack{}),
			struct{}{})
		if err != nil {
			r.Fatalf("%v", err)
		}
		suspend(r.System(), child.Any())
		r.Quiet()
		goAsk.Send(r.System(), patronType.Spawn(r.System(), patron{}), child)
	}
	said := fails(t, `waits for clerk#2.place {item:"apples" n:7}: clerk#2 is suspended`, scenario,
		actortest.WithRuns(5))
	if !strings.Contains(said, "slack#1.fell ") || !strings.Contains(said, "} from the runtime\n") {
		t.Errorf("it said\n%s", said)
	}
}

// keen brings its child up again at once.
type keen struct{ child actor.Ref[patron] }

var (
	keenType  = actor.NewType[keen]("keen")
	keenDown  = actor.Declare[kernel.ChildDown](keenType, "fell")
	keenChild = actor.DeclareAsk[struct{}, actor.Ref[patron]](keenType, "child")
)

func init() {
	keenType.OnStart(func(k *keen, c *actor.Context) error {
		k.child = spawnUnder(c, patronType, keenDown)
		return nil
	}).Table(keenDown.Handle(func(_ *keen, c *actor.Context, f kernel.ChildDown) {
		restart(c, f.Ref)
	}),
		keenChild.Handle(func(k *keen, _ *actor.Context, _ struct{}) (actor.Ref[patron],
			error) {
			return k.child, nil
		}))
}

// TestRun_NoCallerWaitsAfterRestart: replies to requests from before a restart are not delivered
// after it.
func TestRun_NoCallerWaitsAfterRestart(t *testing.T) {
	for _, stashes := range []bool{false, true} {
		actortest.Run(t, func(r *actortest.R) {
			child, err := keenChild.Ask(r.Context(), keenType.Spawn(r.System(), keen{}),
				struct{}{})
			if err != nil {
				r.Fatalf("%v", err)
			}
			goAsk.Send(r.System(), child, desk2Type.Spawn(r.System(), desk2{stashes: stashes}))
			r.Quiet()
			suspend(r.System(), child.Any())
		}, actortest.WithRuns(5))
	}
}

// TestRun_NoCallerWaits: a run passes in which each caller got a reply, has given up, or has ended.
func TestRun_NoCallerWaits(t *testing.T) {
	for name, scenario := range map[string]func(*actortest.R){
		"heard": asksIn(desk2{},
			func(r *actortest.R, d actor.Ref[desk2]) {
				r.Quiet()
				giveAll.Send(r.System(), d, "yes")
			}),
		"heard of a stashed one": asksIn(desk2{stashes: true},
			func(r *actortest.R, d actor.Ref[desk2]) {
				r.Quiet()
				actor.Stop(r.System(), d)
			}),
		"gave up": func(r *actortest.R) {
			_, err := place.Ask(r.Context(), desk2Type.Spawn(r.System(), desk2{}),
				order{"pears", 1})
			if err == nil {
				r.Errorf("a reply")
			}
		},
		"timed out": func(r *actortest.R) {
			d := desk2Type.Spawn(r.System(), desk2{})
			actortest.In(r, patronType, patron{}, func(_ *patron, c *actor.Context) {
				actor.AskTo(c, place, d, order{"kiwis", 3}, heard, actor.Within(time.Minute))
			})
			r.Advance(time.Hour)
		},
		"ended": func(r *actortest.R) {
			d, p := desk2Type.Spawn(r.System(), desk2{}), patronType.Spawn(r.System(), patron{})
			goAsk.Send(r.System(), p, d)
			r.Quiet()
			actor.Stop(r.System(), p)
		},
		"timer": asksIn(desk2{}, func(r *actortest.R, d actor.Ref[desk2]) {
			with(r, func(c *actor.Context) {
				actor.After(c, time.Hour, do, func(c *actor.Context) { giveAll.Send(c, d, "late") })
			})
		}),
	} {
		t.Run(name, func(t *testing.T) { actortest.Run(t, scenario, actortest.WithRuns(20)) })
	}
}

// TestRun_TimerWithoutEnd: a timer that goes on for ever does not hide a caller that waits for
// ever.
func TestRun_TimerWithoutEnd(t *testing.T) {
	fails(t, "patron#2 waits for clerk#1.place",
		asksIn(desk2{}, func(r *actortest.R, _ actor.Ref[desk2]) {
			with(r, func(c *actor.Context) { actor.Every(c, time.Hour, tick, 1) })
		}), actortest.WithRuns(1), actortest.WithSteps(500), actortest.WithShrink(0))
}

// TestAsk_ThatCannotBeAnswered: an Ask of the scenario whose context has no end is found at once,
// and not by the watchdog; the caller is named.
func TestAsk_ThatCannotBeAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		say      string
		scenario func(*actortest.R)
	}{
		"background": {`the scenario waits for clerk#1.place {item:"plums" n:2}: clerk#1 put its reply off`, func(r *actortest.R) {
			place.Ask(context.Background(), desk2Type.Spawn(r.System(), desk2{}),
				order{"plums", 2})
		}},
		"canceled one day": {"the scenario waits, and nothing can happen any more:\nthe scenario " +
			"waits for clerk#1.place", func(r *actortest.R) {
			place.Ask(t.Context(), desk2Type.Spawn(r.System(), desk2{}),
				order{"plums", 2})
		}},
		"several": {"the scenario waits for clerk#1.place: clerk#1 asked at", func(r *actortest.R) {
			bridge.AskAll(context.Background(), place,
				[]actor.Ref[desk2]{desk2Type.Spawn(r.System(), desk2{})}, order{})
		}},
		"in a turn": {"puppet#2 waits for clerk#1.place", func(r *actortest.R) {
			d := desk2Type.Spawn(r.System(), desk2{})
			with(r, func(c *actor.Context) {
				place.Ask(context.Background(), d, order{})
			})
			r.Quiet()
		}},
		"held": {"only a goroutine outside of the run could change that", func(r *actortest.R) {
			r.System().Hold()
			r.System().Wait(context.Background())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			said := fails(t, c.say, c.scenario, actortest.WithRuns(1))
			if strings.Contains(said, "for 10 s") {
				t.Errorf("it has waited:\n%s", said)
			}
		})
	}
}
