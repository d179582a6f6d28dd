package actortest_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/internal/kernel"
)

// parent restarts its child a minute after each failure.
type parent struct{ child actor.Ref[puppet] }

var (
	parentType = actor.NewType[parent]("parent")
	childDown  = actor.Declare[kernel.ChildDown](parentType, "fell")
	wake       = actor.Declare[kernel.AnyRef](parentType, "wake")
	whose      = actor.DeclareAsk[struct{}, actor.Ref[puppet]](parentType, "whose")
)

func init() {
	parentType.OnStart((*parent).start).Table(childDown.Handle((*parent).childDown),
		wake.Handle((*parent).wake),
		whose.Handle((*parent).whose))
}

func (b *parent) start(c *actor.Context) error {
	b.child = spawnUnder(c, puppetType, childDown)
	return nil
}

func (b *parent) childDown(c *actor.Context, f kernel.ChildDown) {
	if !f.Final {
		standby(c, f.Ref)
		actor.After(c, time.Minute, wake, f.Ref)
	}
}

func (b *parent) wake(c *actor.Context, r kernel.AnyRef) { restart(c, r) }

func (b *parent) whose(*actor.Context, struct{}) (actor.Ref[puppet], error) {
	return b.child, nil
}

// downChild returns a child that has failed, and is restarted in a minute.
func downChild(r *actortest.R) actor.Ref[puppet] {
	child, err := whose.Ask(r.Context(), parentType.Spawn(r.System(), parent{}),
		struct{}{})
	if err != nil {
		r.Fatalf("%v", err)
	}
	do.Send(r.System(), child, func(c *actor.Context) { c.Exit(errPlanted) })
	r.Quiet()
	return child
}

// waiters are actors that wait for an actor that is down.
var waiters = map[string]func(r *actortest.R, down actor.Ref[puppet], done deed){
	"send": func(r *actortest.R, down actor.Ref[puppet], done deed) {
		w := with(r, func(c *actor.Context) { tick.Send(c, down, 1) })
		do.Send(r.System(), w, done)
	},
	"chain": func(r *actortest.R, down actor.Ref[puppet], done deed) {
		w := with(r, func(c *actor.Context) { tick.Send(c, down, 1) })
		with(r, func(c *actor.Context) { do.Send(c, w, done) })
	},
	"request": func(r *actortest.R, down actor.Ref[puppet], done deed) {
		with(r, func(c *actor.Context) {
			_, _ = ask.Ask(context.Background(), down, func(*actor.Context) {})
			done(c)
		})
	},
	"parent": func(r *actortest.R, down actor.Ref[puppet], done deed) {
		p := with(r, func(c *actor.Context) {
			do.Send(c, puppetType.SpawnChild(c, puppet{}), func(c *actor.Context) {
				_, _ = ask.Ask(context.Background(), down, func(*actor.Context) {})
				done(c)
			})
		})
		r.Quiet()
		actor.Stop(r.System(), p)
	},
}

// TestR_AdvanceOverWaiting: "runs the actors, each timer at its time", also if an actor waits
// meanwhile for one that a timer restarts. Quiet does not mind that wait either.
func TestR_AdvanceOverWaiting(t *testing.T) {
	for name, waits := range waiters {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(r *actortest.R) {
				var at time.Time
				waits(r, downChild(r), func(c *actor.Context) { at = c.Now() })
				r.Quiet()
				r.Advance(time.Minute - 1)
				if !at.IsZero() {
					r.Errorf("it went on at %v", at)
				}
				r.Advance(1)
				if at.IsZero() {
					r.Errorf("it did not go on")
				}
			}, actortest.WithRuns(20))
		})
	}
}

// TestRun_WaitsAtItsEnd: "if an actor still waits then, time goes on until none does". A scenario
// that has sent to an actor that is down need not know for how long.
func TestRun_WaitsAtItsEnd(t *testing.T) {
	for name, waits := range waiters {
		t.Run(name, func(t *testing.T) {
			ended := 0
			actortest.Run(t, func(r *actortest.R) {
				waits(r, downChild(r), func(*actor.Context) { ended++ })
			}, actortest.WithRuns(5))
			if ended != 6 { // the first order is run twice
				t.Errorf("%d of 6 went on", ended)
			}
		})
	}
}

// TestRun_WaitsForNothing: while time goes on for others, an actor that waits for ever is not
// overlooked.
func TestRun_WaitsForNothing(t *testing.T) {
	fails(t, "not quiet: gallop: actortest: it does not come to rest", func(r *actortest.R) {
		p, q := puppetType.Spawn(r.System(), puppet{}), puppetType.Spawn(r.System(), puppet{})
		wait := func(other actor.Ref[puppet]) deed {
			return func(c *actor.Context) {
				c.Blocking(func() { // a circle of Ask would be told
					_, _ = bridge.AskAll(context.Background(), ask,
						[]actor.Ref[puppet]{other}, func(*actor.Context) {})
				})
			}
		}
		do.Send(r.System(), p, wait(q))
		do.Send(r.System(), q, wait(p))
		with(r, func(c *actor.Context) { actor.Every(c, time.Hour, tick, 1) })
		r.Quiet()
	}, actortest.WithRuns(1), actortest.WithSteps(500))
}

// TestR_AdvanceHeld: "It waits for all that Wait waits for, except for actors": it does not wait
// for time where a goroutine outside holds the system.
func TestR_AdvanceHeld(t *testing.T) {
	fails(t, "Advance(1s): gallop: actortest: nothing can happen any more", func(r *actortest.R) {
		_, _ = r.System().Hold()
		r.Advance(time.Second)
	}, actortest.WithRuns(1))
}

// TestRun_EndsItsSystem: a scenario may stop its system itself. Its messages are still counted.
func TestRun_EndsItsSystem(t *testing.T) {
	for name, end := range map[string]func(r *actortest.R){
		"Stop":     func(r *actortest.R) { r.System().Stop() },
		"Run":      func(r *actortest.R) { _ = r.System().Run() },
		"Shutdown": func(r *actortest.R) { _ = r.System().Shutdown(r.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(r *actortest.R) {
				sys := r.System()
				tick.Send(sys, puppetType.Spawn(sys, puppet{}), 1)
				end(r)
			}, actortest.WithRuns(3))
		})
	}
}
