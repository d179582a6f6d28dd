package process

import (
	"slices"

	"github.com/gallop-go/gallop/internal/seam"
)

// names says which process has which name.
type names struct {
	mu seam.QuickMutex
	of map[string]named // guarded by mu
}

type named struct {
	p   *Proc
	ref any // a Ref
}

// Register gives a process a name, which it has until it ends or [System.Unregister] is called. A
// process may have several. The error is [ErrNameTaken], or [ErrNoProcess] if the process has ended.
func Register[M any](name string, ref Ref[M]) error {
	ref.mustBe("Register")
	choiceHere("Register")
	sys, l := ref.p.sys, ref.p.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ErrNoProcess
	}
	sys.names.mu.Lock()
	defer sys.names.mu.Unlock()
	if _, taken := sys.names.of[name]; taken {
		return ErrNameTaken
	}
	if sys.names.of == nil {
		sys.names.of = map[string]named{}
	}
	sys.names.of[name] = named{ref.p, ref}
	l.names = append(l.names, name)
	return nil
}

// Unregister takes a name away, and reports whether a process had it.
func (s *System) Unregister(name string) bool {
	s.mustBeReady("Unregister")
	choiceHere("Unregister")
	s.names.mu.Lock()
	n, had := s.names.of[name]
	delete(s.names.of, name)
	s.names.mu.Unlock()
	if had {
		n.p.life.Load().forget(name)
	}
	return had
}

// forget removes a name that was given back.
func (l *life) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.names, name); i >= 0 {
		l.names = slices.Delete(l.names, i, i+1)
	}
}

// Lookup returns the process that has the name, and false if none has, or one with messages of
// another type.
func Lookup[M any](s *System, name string) (ref Ref[M], ok bool) {
	s.mustBeReady("Lookup")
	choiceHere("Lookup")
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	ref, ok = s.names.of[name].ref.(Ref[M])
	return ref, ok
}

// removeAll takes the names of a process that has ended away.
func (n *names) removeAll(p *Proc, names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range names {
		if n.of[name].p == p {
			delete(n.of, name)
		}
	}
}
