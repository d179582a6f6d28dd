package process

import "time"

// Mark is a place in the mailbox of a process.
type Mark struct {
	n  uint64
	of *Proc
}

// Mark returns a mark after all messages that have come so far. A receive for a reply takes a mark
// before the request is sent. The reply comes after the mark, so the receive need not look at
// earlier messages. A mark is valid as long as the process runs.
func (s *Self[M]) Mark() Mark {
	must(s != nil, "Mark of a nil Self")
	s.mustRun("Mark")
	if s.sys.stepwise {
		s.choice("Mark")
	}
	s.fetch()
	if s.mailbox.rare == nil {
		s.mailbox.rare = &rareMail[M]{}
	}
	return Mark{s.mailbox.rare.marks.set(s.last), &s.Proc}
}

// ReceiveAfter is [Self.ReceiveWithin] for messages that have come after a mark; a negative d waits
// for ever, and the zero Mark is before all messages. It panics if the mark is of another process.
func (s *Self[M]) ReceiveAfter(mark Mark, d time.Duration, match func(M) bool) (m M, ok bool) {
	must(s != nil, "ReceiveAfter of a nil Self")
	must(mark.of == nil || mark.of == &s.Proc, "ReceiveAfter a mark of another process")
	s.mustRun("ReceiveAfter")
	if d < 0 {
		d = forever
	}
	var from *node[M]
	if r := s.mailbox.rare; r != nil {
		from = r.marks.after(mark.n)
	}
	return s.receive("ReceiveAfter", from, match, d)
}

// marks knows which messages were there when a mark was set. Marks between which no message has
// come, or none that is left, share a place. So there are no more places than messages. Owner only.
type marks[M any] struct {
	made   uint64
	newest *place[M]
	n      int
	at     map[*node[M]]*place[M] // of all places; nil: they are few
}

// place is where some marks are: from first on, up to the first of the newer place.
type place[M any] struct {
	first        uint64
	last         *node[M] // the last message before the marks; nil: none
	older, newer *place[M]
}

// set makes a mark after last, which is the last message of the mailbox.
func (k *marks[M]) set(last *node[M]) uint64 {
	k.made++
	if k.newest != nil && k.newest.last == last {
		return k.made
	}
	p := &place[M]{first: k.made, last: last, older: k.newest}
	if p.older != nil {
		p.older.newer = p
	}
	k.newest = p
	k.n++
	switch {
	case k.at != nil:
		k.at[last] = p
	case k.n > few:
		k.at = map[*node[M]]*place[M]{}
		for p := k.newest; p != nil; p = p.older {
			k.at[p.last] = p
		}
	}
	return k.made
}

// after returns the last message before a mark; nil: none.
func (k *marks[M]) after(mark uint64) *node[M] {
	p := k.newest
	for p != nil && p.first > mark {
		p = p.older
	}
	if p == nil {
		return nil
	}
	return p.last
}

// took notes that n was taken, which came after prev. The marks after n are after prev.
func (k *marks[M]) took(prev, n *node[M]) {
	p := k.find(n)
	if p == nil {
		return
	}
	delete(k.at, n)
	if o := p.older; o != nil && o.last == prev {
		k.drop(p)
		return
	}
	if p.last = prev; k.at != nil {
		k.at[prev] = p
	}
}

func (k *marks[M]) find(n *node[M]) *place[M] {
	if k.at != nil {
		return k.at[n]
	}
	p := k.newest
	for p != nil && p.last != n {
		p = p.older
	}
	return p
}

// drop removes a place, and its marks move to the older one.
func (k *marks[M]) drop(p *place[M]) {
	p.older.newer = p.newer
	if p.newer != nil {
		p.newer.older = p.older
	} else {
		k.newest = p.older
	}
	k.n--
}
