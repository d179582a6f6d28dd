package process

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// registry has all living processes, so that a stopping system can unwind waiting processes, and so
// that they can be reported. It keeps them alive: a process whose wait can never end exists until
// the system stops.
type registry struct {
	shards [shards]registryShard
	closed seam.Bool
}

type registryShard struct {
	mu    seam.QuickMutex
	first *Proc  // guarded by mu
	made  uint64 // guarded by mu
	_     [40]byte
}

// add enters a process and gives it its number. It reports false if the registry is closed.
func (r *registry) add(p *Proc, w *sched.Worker) bool {
	i := shardOf(w)
	s := &r.shards[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	p.id = s.made*shards + uint64(i)
	if r.closed.Load() {
		return false
	}
	if p.next = s.first; p.next != nil {
		p.next.prev = p
	}
	s.first = p
	return true
}

func (r *registry) remove(p *Proc) {
	s := &r.shards[p.id%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.prev != nil:
		p.prev.next = p.next
	case s.first == p:
		s.first = p.next
	}
	if p.next != nil {
		p.next.prev = p.prev
	}
	p.prev, p.next = nil, nil
}

// close refuses new processes from now on, and returns one that is left.
func (r *registry) close() *Proc {
	for i := range r.shards { // so that no add is half done
		r.shards[i].mu.Lock()
	}
	r.closed.Store(true)
	for i := range r.shards {
		r.shards[i].mu.Unlock()
	}
	return r.any()
}

// any returns a process that is left, or nil.
func (r *registry) any() *Proc {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		p := s.first
		s.mu.Unlock()
		if p != nil {
			return p
		}
	}
	return nil
}

// each calls f for each process, in the order of their shards, the newest first.
func (r *registry) each(f func(*Proc)) {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		for p := s.first; p != nil; p = p.next {
			f(p)
		}
		s.mu.Unlock()
	}
}
