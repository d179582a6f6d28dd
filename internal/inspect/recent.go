package inspect

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Recent has the last reports of one kind, in addition to the user's [actor.Hooks], which receive
// them too. Any goroutine may call its methods.
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

// RecentReports is the number of reports that a [Recent] keeps.
const RecentReports = 64

// All returns the last reports, the oldest first.
func (r *Recent[T]) All() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) < RecentReports {
		return slices.Clone(r.all)
	}
	oldest := r.n % RecentReports
	return slices.Concat(r.all[oldest:], r.all[:oldest])
}

// Total returns the number of all reports.
func (r *Recent[T]) Total() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// Close ends the recording. The last reports stay readable.
func (r *Recent[T]) Close() { r.stop() }

// Panic is a report of a panic. Its Value is a text, so that the report keeps no memory of the
// actor.
type Panic struct {
	At time.Time // time of the report
	actor.PanicReport
}

// LongTurn is a report of a behaviour that has run or blocked for long.
type LongTurn struct {
	At time.Time // time of the report
	actor.LongTurnReport
}

// PressureDeadlock is a report of a circle of waiting actors.
type PressureDeadlock struct {
	At time.Time // time of the report
	actor.PressureDeadlock
}

// Panics records the last panics.
func Panics(sys *actor.System) *Recent[Panic] {
	s, r := of(sys), new(Recent[Panic])
	r.stop = OnPanic(s, func(p kernel.PanicReport) {
		if !p.Goexit {
			p.Value = cut(guard.Text(p.Value))
		}
		r.hear(Panic{wall(s), actor.PanicReport(p)})
	})
	return r
}

// longestText is the number of bytes kept of a panic value.
const longestText = 1024

func cut(text string) string {
	if len(text) > longestText {
		return strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

// LongTurns records the last long turns: see [actor.WithLongTurn].
func LongTurns(sys *actor.System) *Recent[LongTurn] {
	s, r := of(sys), new(Recent[LongTurn])
	r.stop = OnLongTurn(s, func(l kernel.LongTurnReport) {
		r.hear(LongTurn{wall(s), actor.LongTurnReport(l)})
	})
	return r
}

// PressureDeadlocks records the last pressure deadlocks.
func PressureDeadlocks(sys *actor.System) *Recent[PressureDeadlock] {
	s, r := of(sys), new(Recent[PressureDeadlock])
	r.stop = OnPressureDeadlock(s, func(d kernel.PressureDeadlock) {
		r.hear(PressureDeadlock{wall(s), face.PressureDeadlock(d)})
	})
	return r
}
