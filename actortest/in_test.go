package actortest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// TestIn: "calls f in a turn of the actor, … and returns the actions of f": sends, asks and timers.
func TestIn(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		bank := actortest.NewProbe[int](r, "bank")
		d := desk2Type.Spawn(r.System(), desk2{})
		gone := puppetType.Spawn(r.System(), puppet{})
		actor.Stop(r.System(), gone)
		r.Quiet()
		left, after := 50, 0
		var busy deed
		busy = func(c *actor.Context) { // of others, which send meanwhile
			if left--; left > 0 {
				do.Send(c, actor.Self[puppet](c), busy)
			}
		}
		with(r, busy)
		turn := actortest.In(r, patronType, patron{}, func(p *patron, c *actor.Context) {
			bank.Handler().Send(c, 3)
			p.goAsk(c, d)
			actor.After(c, time.Minute, goAsk, d).Cancel(c)
			actor.After(c, time.Hour, goAsk, d)
			actor.After(c, 0, heard, actor.Result[string]{Value: "soon"})
			actor.Every(c, time.Second, heard, actor.Result[string]{Value: "tick"})
			tick.Send(c, gone, 1)
			bank.Handler().Send(c, 4)
			p.heard(c, actor.Result[string]{})
			after = p.replies
		})
		want := []actortest.Sent{
			{To: "bank#1", Behaviour: "got", Message: 3},
			{To: "clerk#2", Behaviour: "place", Message: order{"apples", 7}, Request: true},
			{To: "puppet#3", Behaviour: "tick", Message: 1, Dead: true},
			{To: "bank#1", Behaviour: "got", Message: 4},
		}
		if len(turn.Sent) != len(want) {
			r.Fatalf("sent %+v", turn.Sent)
		}
		for i, s := range turn.Sent {
			if s != want[i] {
				r.Errorf("sent %+v, want %+v", s, want[i])
			}
		}
		if ints := actortest.Of[int](turn.Sent); len(ints) != 3 || ints[1] != 1 {
			r.Errorf("ints: %v", ints)
		}
		armed := turn.Armed
		if len(armed) != 3 || armed[0].Behaviour != "go" || armed[0].After != time.Hour ||
			armed[0].Every != 0 || armed[1].After != 0 || armed[2].Every != time.Second {
			r.Errorf("armed: %+v", armed)
		}
		if of := actortest.Of[actor.Result[string]](armed); len(of) != 2 || of[1].Value != "tick" {
			r.Errorf("armed: %+v", of)
		}
		if after != 1 || turn.Stopped || turn.Reason != nil || turn.Ref.Status() != actor.StatusIdle {
			r.Errorf("%d replies, stopped: %v, %v", after, turn.Stopped, turn.Reason)
		}
		actor.Stop(r.System(), turn.Ref)
	}, actortest.WithRuns(30))
}

// TestIn_Ends: "it has called Stop or Exit", with its reason.
func TestIn_Ends(t *testing.T) {
	why := errors.New("no money")
	actortest.Run(t, func(r *actortest.R) {
		a := actortest.In(r, puppetType, puppet{}, func(_ *puppet, c *actor.Context) { c.Stop() })
		b := actortest.In(r, puppetType, puppet{},
			func(_ *puppet, c *actor.Context) { c.Exit(why) })
		if !a.Stopped || a.Reason != nil || !b.Stopped || !errors.Is(b.Reason, why) ||
			a.Ref.Status() != actor.StatusEnded {
			r.Errorf("%+v, %+v", a, b)
		}
	}, actortest.WithRuns(3))
}

// refusing does not start.
var refusing = actor.NewType[int]("refusing")

func init() {
	refusing.OnStart(func(*int, *actor.Context) error { return errPlanted }).Table()
}

// TestIn_Fails: a panic of the function fails the run, as that of a behaviour does; so does an
// actor that has ended before, and a function that waits for time.
func TestIn_Fails(t *testing.T) {
	for say, f := range map[string]func(r *actortest.R){
		"puppet#1.In panicked: planted": func(r *actortest.R) {
			actortest.In(r, puppetType, puppet{},
				func(*puppet, *actor.Context) { panic(errPlanted) })
		},
		"In: refusing#1 had ended before the function could run": func(r *actortest.R) {
			actortest.In(r, refusing, 1, func(*int, *actor.Context) {})
		},
		"In: the function in puppet#1 still waits": func(r *actortest.R) {
			actortest.In(r, puppetType, puppet{}, func(_ *puppet, c *actor.Context) {
				c.Blocking(func() { actor.Sleep(t.Context(), time.Second) })
			})
		},
	} {
		fails(t, say, f, actortest.WithRuns(1))
	}
}
