package wheel

import "math/bits"

// A heap orders n entries with log n comparisons for each, and finds the one to be
// removed in the middle only if every move is written back to it. A classic wheel
// (Varghese and Lauck, 1987) needs neither, but rounds to its tick, and what falls
// into one tick has no order.
//
// Here the wheel is a radix of the time itself. An entry lies on the level of the
// highest byte in which its time differs from the wheel's, in the slot that this
// byte names. So every entry of a level is later than all entries of the levels
// below it, and those of a slot later than those of the slots before it: the next
// entry is in the first slot of the lowest level that has any. On level 0 a slot is
// one nanosecond. When time comes to a slot of a higher level, its entries move
// down, at most once per level, and mostly twice: the wheel's time goes to the
// earliest of them, so that a lone entry goes straight to level 0.
//
// Entries of the same time are always in the same slot, and every move keeps the
// order of a slot. So ties are taken in the order in which they were added.

const (
	digit  = 8          // bits of a level
	slots  = 1 << digit // of a level
	levels = 64 / digit
	word   = 64
)

// Entry is a place in a wheel: embed it in what it stands for. The zero value is in
// no wheel.
type Entry[T any] struct {
	next, prev *Entry[T] // of the slot, in a circle; nil: in no wheel
	at         uint64
	level      uint8
	// Item is the caller's.
	Item T
}

// In tells whether the entry is in a wheel.
func (e *Entry[T]) In() bool { return e.next != nil }

// At returns the time that the entry was added for, or the wheel's if that was later.
func (e *Entry[T]) At() uint64 { return e.at }

// Wheel is a set of entries with times. The zero value is an empty wheel at time 0.
type Wheel[T any] struct {
	now    uint64 // no entry is earlier
	count  int
	filled uint8 // the levels that have entries
	levels [levels]*level[T]
}

// level is made when its first entry comes: most times of one wheel share their
// higher bytes.
type level[T any] struct {
	filled [slots / word]uint64 // the slots that have entries
	slots  [slots]slot[T]
}

// slot is the entries of one stretch of time, in the order of arrival.
type slot[T any] struct {
	first *Entry[T]
	min   uint64 // no entry is earlier; not raised when one is removed
}

// Len returns the number of entries.
func (w *Wheel[T]) Len() int { return w.count }

// Add adds an entry that is in no wheel. A time before the wheel's counts as the
// wheel's: what was due then has been taken.
func (w *Wheel[T]) Add(e *Entry[T], at uint64) {
	e.at = max(at, w.now)
	w.count++
	w.place(e)
}

// place puts an entry where its time belongs.
func (w *Wheel[T]) place(e *Entry[T]) {
	n := 0
	if d := e.at ^ w.now; d != 0 {
		n = (bits.Len64(d) - 1) / digit
	}
	l := w.levels[n]
	if l == nil {
		l = new(level[T])
		w.levels[n] = l
	}
	e.level = uint8(n)
	w.filled |= 1 << n
	l.add(e, slotOf(e.at, n))
}

// slotOf returns the slot of time at on level n.
func slotOf(at uint64, n int) uint8 { return uint8(at >> (n * digit)) }

func (l *level[T]) add(e *Entry[T], i uint8) {
	l.filled[i/word] |= 1 << (i % word)
	s := &l.slots[i]
	if s.first == nil {
		e.next, e.prev = e, e
		s.first, s.min = e, e.at
		return
	}
	last := s.first.prev
	e.prev, e.next = last, s.first
	last.next, s.first.prev = e, e
	s.min = min(s.min, e.at)
}

// Remove takes an entry of this wheel out.
func (w *Wheel[T]) Remove(e *Entry[T]) {
	l := w.levels[e.level]
	i := slotOf(e.at, int(e.level))
	if e.next == e {
		w.empty(int(e.level), i)
	} else {
		e.prev.next, e.next.prev = e.next, e.prev
		if s := &l.slots[i]; s.first == e {
			s.first = e.next
		}
	}
	e.next, e.prev = nil, nil
	w.count--
}

// empty marks slot i of level n empty.
func (w *Wheel[T]) empty(n int, i uint8) {
	l := w.levels[n]
	l.slots[i].first = nil
	l.filled[i/word] &^= 1 << (i % word)
	if l.filled == [slots / word]uint64{} {
		w.filled &^= 1 << n
	}
}

// Next returns a time before which no entry is due: that of the earliest, unless
// one that was earlier has been removed. It reports false if there is none.
func (w *Wheel[T]) Next() (at uint64, ok bool) {
	if w.count == 0 {
		return 0, false
	}
	n, i := w.first()
	return w.levels[n].slots[i].min, true
}

// first returns the place of the first slot that has entries. There is one.
func (w *Wheel[T]) first() (n int, i uint8) {
	n = bits.TrailingZeros8(w.filled)
	for j, f := range w.levels[n].filled {
		if f != 0 {
			return n, uint8(j*word + bits.TrailingZeros64(f))
		}
	}
	panic("gallop: wheel: a level is marked and empty")
}

// Pop takes out the earliest entry if its time has come at time now, and the first
// that was added among the earliest; otherwise it returns nil. The wheel's time
// follows now, and never goes back.
func (w *Wheel[T]) Pop(now uint64) *Entry[T] {
	for w.count != 0 {
		n, i := w.first()
		s := &w.levels[n].slots[i]
		if s.min > now {
			break
		}
		w.now = s.min // nothing is earlier, so that every other entry keeps its place
		if n == 0 {
			e := s.first
			w.Remove(e)
			return e
		}
		w.moveDown(n, i)
	}
	w.follow(now)
	return nil
}

// moveDown spreads a slot of a higher level over the levels below it, from the first to
// the last. Few of them are in the cache, and where the next one is stands in the one
// before; so it goes through the list from the other end as well, which fetches two at
// a time.
func (w *Wheel[T]) moveDown(n int, i uint8) {
	e := w.levels[n].slots[i].first
	w.empty(n, i)
	fetched := e.prev
	fetched.next = nil // the circle becomes a list
	for e != nil {
		next := e.next
		if fetched != nil {
			if fetched = fetched.prev; fetched == e || fetched == next {
				fetched = nil // they have met: what is behind has new neighbours
			}
		}
		w.place(e)
		e = next
	}
}

// follow takes the wheel's time to now, as far as no entry changes its place by that:
// up to the first slot that has entries, but on a higher level not into it, since
// they would have to move down.
func (w *Wheel[T]) follow(now uint64) {
	if w.count != 0 {
		n, i := w.first()
		until := w.levels[n].slots[i].first.at
		if n > 0 {
			until = until>>(n*digit)<<(n*digit) - 1
		}
		now = min(now, until)
	}
	w.now = max(w.now, now)
}
