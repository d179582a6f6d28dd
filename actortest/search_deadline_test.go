package actortest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// hurried is a test with a deadline that keeps its log.
type hurried struct {
	testing.TB
	end time.Time
	log *strings.Builder
}

func (h hurried) Deadline() (time.Time, bool) { return h.end, !h.end.IsZero() }
func (h hurried) Logf(f string, a ...any)     { fmt.Fprintf(h.log, f, a...) }

// TestRun_Deadline: "Run ends early, and logs that, some seconds before the test's deadline": an
// endless search is cut, and a short one is not.
func TestRun_Deadline(t *testing.T) {
	for name, c := range map[string]struct {
		left time.Duration // 0: no deadline
		opt  actortest.Option
		cut  bool
	}{
		"runs":             {time.Second / 5, actortest.WithRuns(math.MaxInt), true},
		"budget":           {time.Second / 5, actortest.WithBudget(time.Hour), true},
		"past":             {-time.Second, actortest.WithRuns(2), true},
		"few runs":         {time.Hour, actortest.WithRuns(2), false},
		"without deadline": {0, actortest.WithRuns(2), false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hurried{TB: t, log: new(strings.Builder)}
			if c.left != 0 {
				h.end = time.Now().Add(c.left)
			}
			actortest.Run(h, func(r *actortest.R) {
				take.Send(r.System(), stepType.Spawn(r.System(), step{}), struct{}{})
			}, c.opt)
			if got := h.log.String(); strings.Contains(got, "cut short") != c.cut ||
				!strings.Contains(got, "no failure") {
				t.Errorf("the log says %q, want it cut: %v", got, c.cut)
			}
		})
	}
}

type step struct{}

var (
	stepType = actor.NewType[step]("step")
	take     = actor.Declare[struct{}](stepType, "take")
	_        = stepType.Table(take.Handle(func(*step, *actor.Context, struct{}) {}))
)
