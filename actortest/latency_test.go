package actortest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// till asks a slow database, and gives up after a while.
type till struct {
	db    func(context.Context) (int, error)
	says  actor.Handler[string]
	ended bool
}

var (
	tillType = actor.NewType[till]("till")
	bill     = actor.Declare[time.Duration](tillType, "bill")
	billed   = actor.Declare[actor.Result[int]](tillType, "billed")
	tooLate  = actor.Declare[struct{}](tillType, "too late")
	block    = actor.Declare[struct{}](tillType, "block")
	_        = tillType.Table(bill.Handle((*till).bill), billed.Handle((*till).billed),
		tooLate.Handle((*till).tooLate), block.Handle((*till).block))
)

func (t *till) bill(c *actor.Context, timeOut time.Duration) {
	actor.Pipe(c, billed, t.db)
	actor.After(c, timeOut, tooLate, struct{}{})
}

func (t *till) billed(c *actor.Context, r actor.Result[int]) {
	if !t.ended {
		t.says.Send(c, fmt.Sprintf("billed %d, %v", r.Value, r.Err))
	}
	t.ended = true
}

func (t *till) tooLate(c *actor.Context, _ struct{}) {
	if !t.ended {
		t.says.Send(c, "too late")
	}
	t.ended = true
}

func (t *till) block(c *actor.Context, _ struct{}) {
	began := c.Now()
	c.Blocking(func() { _, _ = t.db(context.Background()) })
	t.says.Send(c, c.Now().Sub(began).String())
}

// TestSleep_InAPipe: "There it waits in virtual time": a dependency can be slow without a test's
// waiting for it, and no field of the code under test says how slow.
func TestSleep_InAPipe(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		says := actortest.NewProbe[string](r, "says")
		slow := func(ctx context.Context) (int, error) { return 7, actor.Sleep(ctx, 3*time.Hour) }
		a := tillType.Spawn(r.System(), till{db: slow, says: says.Handler()})
		bill.Send(r.System(), a, 4*time.Hour)
		r.Advance(3*time.Hour - 1)
		if all := says.Got(); len(all) != 0 {
			r.Errorf("early: %v", all)
		}
		r.Advance(1)
		if all := says.Got(); len(all) != 1 || all[0] != "billed 7, <nil>" {
			r.Errorf("after 3 h: %v", all)
		}
	}, actortest.WithRuns(20))
}

// TestSleep_InBlocking: the same in Blocking, with any context. Others go on meanwhile.
func TestSleep_InBlocking(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		says := actortest.NewProbe[string](r, "says")
		slow := func(ctx context.Context) (int, error) { return 7, actor.Sleep(ctx, time.Hour) }
		for range 6 { // more than there are workers
			block.Send(r.System(), tillType.Spawn(r.System(), till{db: slow, says: says.Handler()}),
				struct{}{})
		}
		other := actortest.NewProbe[int](r, "other")
		other.Handler().Send(r.System(), 1)
		r.Quiet()
		if len(other.Got()) != 1 || len(says.Got()) != 0 {
			r.Errorf("%v, %v", other.Got(), says.Got())
		}
		r.Advance(time.Hour)
		if all := says.Got(); len(all) != 6 || all[0] != "1h0m0s" {
			r.Errorf("%v", all)
		}
	}, actortest.WithRuns(20))
}

// TestLatency: "makes every function of Pipe and Blocking take virtual time, from least to most":
// which comes first, the result or the time-out, is for the order to choose; and whether the
// function does its work before the time-out.
func TestLatency(t *testing.T) {
	seen := map[string]bool{}
	actortest.Run(t, func(r *actortest.R) {
		says := actortest.NewProbe[string](r, "says")
		var at time.Duration
		began := time.Time{}
		with(r, func(c *actor.Context) { began = c.Now() })
		r.Quiet()
		db := func(context.Context) (int, error) {
			with(r, func(c *actor.Context) { at = c.Now().Sub(began) })
			return 1, nil
		}
		bill.Send(r.System(), tillType.Spawn(r.System(), till{db: db, says: says.Handler()}),
			15*time.Millisecond)
		r.Advance(10*time.Millisecond - 1)
		if len(says.Got()) != 0 {
			r.Errorf("early: %v", says.Got())
		}
		r.Advance(10*time.Millisecond + 1)
		if len(says.Got()) != 1 {
			r.Fatalf("%v", says.Got())
		}
		seen[fmt.Sprintf("%s, worked before: %v", says.Got()[0], at < 15*time.Millisecond)] = true
	}, actortest.WithLatency(10*time.Millisecond, 20*time.Millisecond, "till"),
		actortest.WithStrategies(actortest.Random()))
	want := []string{"billed 1, <nil>, worked before: true", "too late, worked before: true",
		"too late, worked before: false"}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("not seen: %s; seen: %v", w, seen)
		}
	}
}

// TestLatency_Blocking: and for a type by its name alone.
func TestLatency_Blocking(t *testing.T) {
	for typ, want := range map[string]string{"till": "1m0s", "other": "0s"} {
		actortest.Run(t, func(r *actortest.R) {
			says := actortest.NewProbe[string](r, "says")
			none := func(context.Context) (int, error) { return 0, nil }
			block.Send(r.System(), tillType.Spawn(r.System(), till{db: none, says: says.Handler()}),
				struct{}{})
			r.Advance(time.Hour)
			if all := says.Got(); len(all) != 1 || all[0] != want {
				r.Errorf("%s: %v", typ, all)
			}
		}, actortest.WithLatency(time.Minute, time.Minute, typ), actortest.WithLatency(0, 0),
			actortest.WithRuns(5))
	}
}
