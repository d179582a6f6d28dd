package inspect

import (
	"sync"

	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// inspected is the state that a system keeps for its inspection. It implements kernel.Inspection.
type inspected struct {
	sys        *kernel.System              // read-only
	flight     seam.Pointer[flightlog.Log] // nil: the system is not recorded
	population population
	holds      heldList
	letters    listeners[func(LetterLook)]
	panics     listeners[func(kernel.PanicReport)]
	longTurns  listeners[func(kernel.LongTurnReport)]
	deadlocks  listeners[func(kernel.PressureDeadlock)]
	labels     listeners[func(typ string) bool] // the types that have labels

	mu      sync.Mutex
	watches []*watch // guarded by mu: of this system
}

// on returns the state of a system's inspection. Its first call begins the inspection.
func on(s *kernel.System) *inspected {
	i := s.Inspection()
	if i == nil {
		i = s.Inspect(&inspected{sys: s})
	}
	return i.(*inspected)
}

// listeners is a list of functions that are called for one kind of event. The functions that are in
// the list when an event begins are called for it.
type listeners[F any] struct {
	mu  sync.Mutex
	now seam.Pointer[[]*F] // changed under mu
}

// add adds a function to the list. remove takes it out.
func (l *listeners[F]) add(f F) (remove func()) {
	p := &f
	l.change(func(all []*F) []*F { return append(all, p) })
	return func() {
		l.change(func(all []*F) []*F {
			left := all[:0]
			for _, o := range all {
				if o != p {
					left = append(left, o)
				}
			}
			return left
		})
	}
}

func (l *listeners[F]) change(f func([]*F) []*F) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*F
	if old := l.now.Load(); old != nil {
		all = append(all, *old...)
	}
	all = f(all)
	l.now.Store(&all)
}

// each calls visit with each function of the list. Any goroutine.
func (l *listeners[F]) each(visit func(F)) {
	if all := l.now.Load(); all != nil {
		for _, f := range *all {
			visit(*f)
		}
	}
}

// OnPanic calls f for each report of a panic, until stop is called.
func OnPanic(s *kernel.System, f func(kernel.PanicReport)) (stop func()) {
	return on(s).panics.add(f)
}

// OnLongTurn calls f for each report of a long turn, until stop is called.
func OnLongTurn(s *kernel.System, f func(kernel.LongTurnReport)) (stop func()) {
	return on(s).longTurns.add(f)
}

// OnPressureDeadlock calls f for each report of a pressure deadlock, until stop is called.
func OnPressureDeadlock(s *kernel.System, f func(kernel.PressureDeadlock)) (stop func()) {
	return on(s).deadlocks.add(f)
}

// Panicked implements kernel.Inspection.
func (i *inspected) Panicked(e kernel.Env, p kernel.PanicReport) {
	i.note(e, flightlog.Panic, p.Type, p.Behaviour, p.ActorID, p.From)
	i.panics.each(func(f func(kernel.PanicReport)) { f(p) })
}

// LongTurn implements kernel.Inspection.
func (i *inspected) LongTurn(l kernel.LongTurnReport) {
	i.note(nil, flightlog.LongTurn, l.Type, l.Behaviour, l.ActorID, uint64(l.Worker))
	i.longTurns.each(func(f func(kernel.LongTurnReport)) { f(l) })
}

// Deadlock implements kernel.Inspection.
func (i *inspected) Deadlock(d kernel.PressureDeadlock) {
	i.note(nil, flightlog.Deadlock, d.Pressed.Type, "", d.Pressed.ID, uint64(len(d.Waits)))
	i.deadlocks.each(func(f func(kernel.PressureDeadlock)) { f(d) })
}

// Held implements kernel.Inspection.
func (i *inspected) Held() (released func()) {
	i.note(nil, flightlog.Hold, "", "", 0, 0)
	over := i.holds.held()
	return func() {
		over()
		i.note(nil, flightlog.Release, "", "", 0, 0)
	}
}

// Born implements kernel.Inspection. It is called for each spawn while the system is recorded.
func (i *inspected) Born(e kernel.Env, a *kernel.Cell) {
	if i.flight.Load() == nil {
		i.population.born(a)
		return
	}
	i.noteType(e, flightlog.Spawn, a, kernel.SenderID(e))
	if i.population.picks(a.ID) {
		i.population.born(a)
	}
}

// Cut implements kernel.Inspection.
func (i *inspected) Cut(size uint64) uint64 { return i.population.cut(size) }

// Picks implements kernel.Inspection.
func (i *inspected) Picks(id uint64) bool {
	return i.flight.Load() != nil || i.population.picks(id)
}
