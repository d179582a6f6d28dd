package actor

import "github.com/gallop-go/gallop/internal/invariant"

// links are those of one actor. An actor that has many, and itself links and unlinks, finds one by
// an index. The index is made when it is first needed, and kept until no link is left. Owner only.
type links struct {
	indexedSet[link]
	// The latest with each; those behind it are chained by link.more. nil: look at each.
	by map[*cell]*link
}

// Up to fewLinks links are looked at one by one.
const fewLinks = 32

// with returns a link of me with another, or nil.
func (s *links) with(me, other *cell) *link {
	if s.by == nil && len(s.entries) > fewLinks {
		s.by = make(map[*cell]*link)
		for _, e := range s.entries {
			s.note(me, e.who)
		}
	}
	if s.by != nil {
		return s.by[other]
	}
	for i := len(s.entries) - 1; i >= 0; i-- {
		if l := s.entries[i].who; l.other(me) == other {
			return l
		}
	}
	return nil
}

// note enters a link of me into the index.
func (s *links) note(me *cell, l *link) {
	other := l.other(me)
	*l.more(me) = s.by[other]
	s.by[other] = l
}

// join adds a link of me.
func (s *links) join(me *cell, l *link) {
	s.add(l, l.at(me))
	if s.by != nil {
		s.note(me, l)
	}
}

// part removes a link of me and reports whether it was there.
func (s *links) part(me *cell, l *link) bool {
	if !s.remove(l.at(me)) {
		return false
	}
	if s.by != nil {
		s.forget(me, l)
	}
	return true
}

// forget takes a link out of the index, and drops the index with the last link.
func (s *links) forget(me *cell, l *link) {
	other, rest := l.other(me), *l.more(me)
	*l.more(me) = nil
	switch first := s.by[other]; {
	case first != l:
		for *first.more(me) != l {
			first = *first.more(me)
		}
		*first.more(me) = rest
	case rest != nil:
		s.by[other] = rest
	default:
		delete(s.by, other)
	}
	if len(s.entries) == 0 {
		s.by = nil
	}
	if invariant.On {
		verifyIndex(s, me, other)
	}
}

// verifyIndex checks the index of links, and what it has with one other.
func verifyIndex(s *links, me, other *cell) {
	invariant.Check((s.by == nil) == (len(s.entries) == 0), "%v has an index, and %d links", me, len(s.entries))
	invariant.Check(len(s.by) <= len(s.entries), "%v has %d links, with %d others", me, len(s.entries), len(s.by))
	for l := s.by[other]; l != nil; l = *l.more(me) {
		invariant.Check(l.other(me) == other && *l.at(me) > 0, "%v finds a link with %v that is another's, or gone", me, other)
	}
}
