package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/sim"
)

// marks say from where messages of a deterministic system come that no behaviour has sent. In
// production such a message says only that it comes from outside. In a deterministic system a node
// is used once, so that it stands for its message.
type marks map[*message]mark

// mark is how a message comes, and on whose behalf.
type mark struct {
	via  sim.Via
	from *cell
}

// born notes what a new actor is called.
func (s *simulation) born(a *cell, t *typeInfo) {
	if s == nil || !s.told {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[a.id] = t.name
}

// name is how an actor is called in texts.
func (s *simulation) name(actor uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s#%d", s.types[actor], actor)
}

// comes notes from where m comes. The caller is about to push it.
func (s *simulation) comes(m *message, via sim.Via, from *cell) {
	if s == nil || !s.told {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via, from}
}

// marksReply notes that m, a reply to b, comes from no behaviour of its system.
func (e env) marksReply(m *message, a *cell) {
	if e.c == nil {
		e.sys.sim.comes(m, sim.ByReply, a)
	}
}

// origin returns how a message of the user's has come, and from which actor; 0 is outside.
func (s *simulation) origin(m *message) (via sim.Via, from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[m]; ok {
		return of.via, of.from.id
	}
	return sim.BySend, m.from &^ wasStashed
}

// hasRun forgets a message that has run.
func (s *simulation) hasRun(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks.questions, m)
	delete(s.marks, m)
}

// stashed notes that m is the running message, was, put aside.
func (s *simulation) stashed(was, m *message) {
	if s == nil {
		return
	}
	s.count(-1) // it was sent once
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[was]; ok {
		s.marks[m] = of
	}
}
