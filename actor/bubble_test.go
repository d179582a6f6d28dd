package actor_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// These tests run systems in bubbles of testing/synctest. The goroutines of a bubble may not use a
// channel of another bubble. Its time begins with the year 2000, and passes when all its goroutines
// wait.

// TestBubble_Ask: calls that asks of one bubble have left for reuse do no harm in the next bubble.
// A channel of the earlier bubble would make Go end the process. There are more bubbles than places
// for recycled calls, of which each processor has one.
func TestBubble_Ask(t *testing.T) {
	for range 40 {
		synctest.Test(t, func(t *testing.T) {
			sys := start(t)
			r := puppetType.Spawn(sys, puppet{})
			for i := range 3 {
				v, err := try.Ask(t.Context(), r, func(*puppet, *actor.Context) (any, error) {
					time.Sleep(time.Millisecond) // in the bubble's time, so that the caller parks
					return i, nil
				})
				if v != i || err != nil {
					t.Fatal(v, err)
				}
			}
		})
	}
}

// TestBubble_FarTimer: a timer that is due in a century is not due yet.
func TestBubble_FarTimer(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		sys := start(t)
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			actor.After(c, century, count, 1)
			actor.After(c, 24*time.Hour, count, 1)
		})
		ctx, cancel := context.WithTimeout(t.Context(), century-time.Hour)
		defer cancel()
		if err := sys.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("before a century has passed, Wait returned", err)
		}
		if err := sys.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
