package actortest_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

var shrunkLine = regexp.MustCompile(`found by (\S+); made simpler in \d+ runs: (\d+) choices to (\d+), (\d+) events to (\d+)`)

// figures returns the line of a failing run on how it was made simpler.
func figures(t *testing.T, said string) (choices, left, events, shown int) {
	t.Helper()
	m := shrunkLine.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("not made simpler:\n%s", said)
	}
	n := func(i int) int { v, _ := strconv.Atoi(m[i]); return v }
	return n(2), n(3), n(4), n(5)
}

// busy is the scenario of a lost reply beside much that has nothing to do with it.
func busy(r *actortest.R) {
	for range 20 {
		left := 10
		var step deed
		step = func(c *actor.Context) {
			if left--; left > 0 {
				do.Send(c, actor.Self[puppet](c), step)
			}
		}
		with(r, step)
	}
	twoClients(r)
}

// TestShrink: "a simpler order that fails in the same way …. The failure and the replay command
// then belong to the simpler order."
func TestShrink(t *testing.T) {
	said := fails(t, "1 of 2 answers", busy, actortest.WithStrategies(actortest.Random()),
		actortest.WithRuns(5000), actortest.WithShrink(time.Minute))
	choices, left, _, _ := figures(t, said)
	if choices < 50 || left > 4 {
		t.Errorf("%d choices were made %d", choices, left)
	}
	if again := replayed(t, said, busy); again != asFound(said) {
		t.Errorf("first:\n%s\nreplayed:\n%s", said, again)
	}
	t.Log(shrunkLine.FindString(said))
}

// TestShrink_Events: the events end with the failure; later ones explain nothing.
func TestShrink_Events(t *testing.T) {
	said := fails(t, "lost", func(r *actortest.R) {
		lost := false
		with(r, func(*actor.Context) {
			if lost {
				r.Errorf("lost 1 of %d", 7)
			}
		})
		with(r, func(*actor.Context) { lost = true })
		for range 100 {
			with(r, func(*actor.Context) {})
		}
	}, actortest.WithStrategies(actortest.Random()), actortest.WithShrink(time.Minute))
	_, left, _, shown := figures(t, said)
	if left != 1 || shown > 6 || strings.Count(said, "puppet#") != shown ||
		!strings.Contains(said, " after the failure") {
		t.Errorf("%d choices, %d events:\n%s", left, shown, said)
	}
}

// TestShrink_Off: "With 0 the order is printed as it was found."
func TestShrink_Off(t *testing.T) {
	said := fails(t, "1 of 2 answers", twoClients, actortest.WithStrategies(actortest.PCT(3)),
		actortest.WithRuns(1000), actortest.WithShrink(0))
	if !strings.HasSuffix(strings.TrimSpace(said), "-gallop.replay=pct3-2-100") {
		t.Error(said)
	}
}

// TestShrink_SameClass: another failure is not taken for a simpler form of this one.
func TestShrink_SameClass(t *testing.T) {
	said := fails(t, "second came first", func(r *actortest.R) {
		var came []int
		for i := range 3 {
			with(r, func(*actor.Context) { came = append(came, i) })
		}
		r.Quiet()
		switch {
		case came[0] == 1:
			r.Errorf("second came first")
		case came[0] == 0:
			r.Errorf("as it should be, but an error all the same")
		}
	}, actortest.WithStrategies(actortest.PCT(3)), actortest.WithSeed(seedOfSecond(t)))
	t.Log(replayLine.FindString(said))
}

// seedOfSecond finds a seed with which the second actor runs first in the first order.
func seedOfSecond(t *testing.T) uint64 {
	for seed := range uint64(1000) {
		first := -1
		try(t, func(r *actortest.R) {
			first = -1
			for i := range 3 {
				with(r, func(*actor.Context) {
					if first < 0 {
						first = i
					}
				})
			}
		}, actortest.WithStrategies(actortest.PCT(3)), actortest.WithSeed(seed), actortest.WithRuns(1))
		if first == 1 {
			return seed
		}
	}
	t.Fatal("no such seed")
	return 0
}

// TestShrink_Time: it takes no longer than it may, however long a run is.
func TestShrink_Time(t *testing.T) {
	var again deed
	again = func(c *actor.Context) { do.Send(c, actor.Self[puppet](c), again) }
	began := time.Now()
	fails(t, "does not come to rest", func(r *actortest.R) { with(r, again); with(r, again) },
		actortest.WithShrink(50*time.Millisecond), actortest.WithRuns(1))
	t.Log(time.Since(began))
}
