package inspect

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
)

// Recent has the last reports of one sort, beside the user's [actor.Hooks]: a report is in both.
// Its methods may be called from any goroutine.
type Recent[T any] struct {
	stop func()
	mu   sync.Mutex
	all  []T    // guarded by mu: a ring
	n    uint64 // guarded by mu
}

// hear adds a report.
func (r *Recent[T]) hear(report T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) < RecentReports {
		r.all = append(r.all, report)
	} else {
		r.all[r.n%RecentReports] = report
	}
	r.n++
}

// RecentReports is how many reports a [Recent] keeps.
const RecentReports = 64

// All returns the reports that it keeps, the oldest first.
func (r *Recent[T]) All() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) < RecentReports {
		return slices.Clone(r.all)
	}
	oldest := r.n % RecentReports
	return slices.Concat(r.all[oldest:], r.all[:oldest])
}

// Total returns how many there were.
func (r *Recent[T]) Total() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// Close ends it. What it has stays.
func (r *Recent[T]) Close() { r.stop() }

// Panic is a behaviour that has panicked. Its Value is a text, so that nothing of the actor is
// kept.
type Panic struct {
	At time.Time // when it was reported
	actor.PanicReport
}

// LongTurn is a behaviour that has run or blocked for long.
type LongTurn struct {
	At time.Time // when it was reported
	actor.LongTurnReport
}

// PressureDeadlock is a circle of actors that wait.
type PressureDeadlock struct {
	At time.Time // when it was reported
	actor.PressureDeadlock
}

// Panics keeps the last panics.
func Panics(sys *actor.System) *Recent[Panic] {
	in, r := of(sys), new(Recent[Panic])
	r.stop = in.OnPanic(func(p actor.PanicReport) {
		if !p.Goexit {
			p.Value = cut(guard.Text(p.Value))
		}
		r.hear(Panic{in.Wall(), p})
	})
	return r
}

// longestText is how much of the value of a panic is kept.
const longestText = 1024

func cut(text string) string {
	if len(text) > longestText {
		return strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

// LongTurns keeps the last long turns: see [actor.WithLongTurn].
func LongTurns(sys *actor.System) *Recent[LongTurn] {
	in, r := of(sys), new(Recent[LongTurn])
	r.stop = in.OnLongTurn(func(l actor.LongTurnReport) { r.hear(LongTurn{in.Wall(), l}) })
	return r
}

// PressureDeadlocks keeps the last of these.
func PressureDeadlocks(sys *actor.System) *Recent[PressureDeadlock] {
	in, r := of(sys), new(Recent[PressureDeadlock])
	r.stop = in.OnPressureDeadlock(func(d actor.PressureDeadlock) {
		r.hear(PressureDeadlock{in.Wall(), d})
	})
	return r
}
