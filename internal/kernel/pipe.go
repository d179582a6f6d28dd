package kernel

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/kernel/indexset"
)

// MustPipe panics if the running actor may not call Pipe: reply is not one of its behaviours, or
// the function is nil. Owner only, in a turn.
func (c *Turn) MustPipe(reply *Descriptor, isNil bool) {
	c.MustOwn(reply.Made())
	if isNil {
		panic("gallop: Pipe: a nil function for " + reply.FullName())
	}
}

// PipeContext returns the context for the function of Pipe. It must be released. Owner only, in a
// turn.
func (c *Turn) PipeContext() *boundContext {
	outer := c.Travels
	if outer == nil {
		outer = context.Background()
	}
	return bindTo(outer, lifeContextOf(c.Self))
}

// errandClass is the kind of an errand.
type errandClass string

// The kinds of errands, in the words of Holder.
const (
	PipeErrand     errandClass = "Pipe"
	FromChanErrand errandClass = "FromChan"
	ToChanErrand   errandClass = "ToChan"
)

// errands lists the goroutines of actors that hold the system: the goroutines of Pipe and of the
// bridges to channels. The list is used only for reports of why the system is not quiescent. A
// goroutine costs a microsecond, so the lock and the entry do not matter.
type errands struct {
	mu  sync.Mutex
	all indexset.Set[errand] // guarded by mu
}

type errand struct {
	class errandClass
	of    *Cell
	index int // guarded by mu
}

// HoldFor holds the system for an errand of an actor. It is called in the actor's turn, while the
// system cannot be quiescent. The caller must call release once.
func (s *System) HoldFor(class errandClass, of *Cell) (release func()) {
	s.Sched.Hold()
	e := &errand{class: class, of: of}
	s.errands.mu.Lock()
	s.errands.all.Add(e, &e.index)
	s.errands.mu.Unlock()
	return func() {
		s.errands.mu.Lock()
		s.errands.all.Remove(&e.index)
		s.errands.mu.Unlock()
		s.Sched.Release()
	}
}

// each calls f for each errand. Any goroutine.
func (l *errands) each(f func(class errandClass, of *Cell)) {
	l.mu.Lock()
	all := l.all.Members()
	l.mu.Unlock()
	for _, e := range all {
		f(e.class, e.of)
	}
}
