package timerwheel

import "math/bits"

// A heap orders n entries with log n comparisons for each. To remove an entry from the middle, it
// must write every move back to the entry. A classic wheel (Varghese and Lauck, 1987) needs
// neither, but rounds to its tick, and entries of one tick have no order.
//
// Here the wheel is a radix of the time itself. An entry lies on the level of the highest byte in
// which its time differs from the wheel's, in the slot that this byte names. So every entry of a
// level is later than all entries of the levels below it, and every entry of a slot is later than
// all entries of earlier slots: the next entry is in the first filled slot of the lowest filled
// level. On level 0 a slot is one nanosecond. When time comes to a slot of a higher level, its
// entries move down, at most once per level, and mostly twice: the wheel's time goes to the
// earliest of them, so that a lone entry goes straight to level 0.
//
// Entries of the same time are always in the same slot, and every move keeps the
// order of a slot. So ties are taken in the order in which they were added.
//
// The wheel holds only times and numbers, not the objects of its entries. A slot is a queue of
// them, in blocks that are read from the first to the last. A million waiting objects fit into no
// cache. If they were linked to one another, each would be fetched as often as it moves. Here the
// processor prefetches a queue, which is read sequentially, and the object of a number is fetched
// once, when it is due. The GC has no links to scan.
//
// The price is that no entry can leave a queue from the middle. A removed entry is marked as gone,
// and stays until its slot is walked: when it moves down, or at once when more than half of the
// slot is gone. So a removal costs a constant, and gone entries take no more memory than the
// remaining ones, or than a block. The slot follows from the two times alone, since the place of an
// entry never depends on its history.

const (
	digit  = 8          // bits of a level
	slots  = 1 << digit // of a level
	levels = 64 / digit
	word   = 64

	blockLength = 15 // with its header a block takes 256 bytes
	// The number of free blocks that an emptied wheel keeps if it has more than twice as many: one
	// for each slot of a level.
	keepBlocks = slots
)

// Wheel is a set of numbers with times. The zero value is an empty wheel at time 0.
type Wheel struct {
	now    uint64 // no entry is earlier
	count  int
	filled uint8 // the levels that have entries
	levels [levels]*level

	freeBlocks *block
	freeCount  int
	// A bit for each number that was removed and whose entry is still in its slot.
	gone    []uint64
	dropped []uint32
}

// level is a level of the wheel. It is allocated with its first entry: most times of one wheel
// share their higher bytes, so high levels are rare.
type level struct {
	filled [slots / word]uint64 // the slots that have entries
	slots  [slots]slot
}

// slot has the entries of one stretch of time, in the order of arrival.
type slot struct {
	first, last *block
	min         uint64 // no entry is earlier; not raised when an entry is removed
	taken       uint32 // entries of the first block that were taken
	count, gone uint32 // the number of entries, and of removed entries among them
}

// block is a part of a slot.
type block struct {
	next    *block
	used    int
	entries [blockLength]entry
}

type entry struct {
	at     uint64
	number uint32
}

// Len returns the number of entries that were not removed.
func (w *Wheel) Len() int { return w.count }

// Add adds a number that is not in the wheel. If the number was removed before, Dropped has
// returned it since. Add returns the time of the entry: at, or the wheel's time if that is later,
// since earlier entries have been taken.
func (w *Wheel) Add(number uint32, at uint64) uint64 {
	at = max(at, w.now)
	w.count++
	w.insert(entry{at, number})
	return at
}

// where returns the place of a time that has not passed.
func (w *Wheel) where(at uint64) (n int, i uint8) {
	if d := at ^ w.now; d != 0 {
		n = (bits.Len64(d) - 1) / digit
	}
	return n, uint8(at >> (n * digit))
}

// insert puts an entry into the slot of its time.
func (w *Wheel) insert(e entry) {
	n, i := w.where(e.at)
	l := w.levels[n]
	if l == nil {
		l = new(level)
		w.levels[n] = l
	}
	w.filled |= 1 << n
	l.filled[i/word] |= 1 << (i % word)
	s := &l.slots[i]
	switch b := s.last; {
	case b == nil:
		s.first = w.newBlock()
		s.last, s.min = s.first, e.at
	case b.used == blockLength:
		b.next = w.newBlock()
		s.last = b.next
	}
	s.last.entries[s.last.used] = e
	s.last.used++
	s.count++
	s.min = min(s.min, e.at)
}

// Remove removes a number. at is the time that Add has returned for it.
func (w *Wheel) Remove(number uint32, at uint64) {
	n, i := w.where(at)
	s := &w.levels[n].slots[i]
	w.count--
	w.mark(number)
	s.gone++
	if s.gone == s.count || s.count > blockLength && s.gone > s.count/2 {
		w.tidy(n, i)
	}
}

// tidy empties a slot, and inserts its remaining entries again: into the same slot, or into lower
// levels if the wheel's time has come to the slot.
func (w *Wheel) tidy(n int, i uint8) {
	s := w.empty(n, i)
	for b, from := s.first, s.taken; b != nil; from = 0 {
		for _, e := range b.entries[from:b.used] {
			if s.gone == 0 || !w.leave(e.number) {
				w.insert(e)
			}
		}
		next := b.next
		w.freeBlock(b)
		b = next
	}
}

// mark marks a number as gone.
func (w *Wheel) mark(number uint32) {
	for int(number/word) >= len(w.gone) {
		w.gone = append(w.gone, 0)
	}
	w.gone[number/word] |= 1 << (number % word)
}

// leave reports whether a number is marked as gone. If so, it drops the number.
func (w *Wheel) leave(number uint32) bool {
	bit := uint64(1) << (number % word)
	if int(number/word) >= len(w.gone) || w.gone[number/word]&bit == 0 {
		return false
	}
	w.gone[number/word] &^= bit
	w.dropped = append(w.dropped, number)
	return true
}

// Dropped returns the removed numbers whose entries have left the wheel since the last call. They
// may be added again. The list is valid until the wheel is used again.
func (w *Wheel) Dropped() []uint32 {
	d := w.dropped
	w.dropped = d[:0]
	return d
}

// empty empties slot i of level n, and returns its entries.
func (w *Wheel) empty(n int, i uint8) slot {
	l := w.levels[n]
	s := l.slots[i]
	l.slots[i] = slot{}
	l.filled[i/word] &^= 1 << (i % word)
	if l.filled == [slots / word]uint64{} {
		w.filled &^= 1 << n
	}
	return s
}

// newBlock returns an empty block.
func (w *Wheel) newBlock() *block {
	b := w.freeBlocks
	if b == nil {
		return new(block)
	}
	w.freeBlocks, b.next = b.next, nil
	w.freeCount--
	return b
}

// freeBlock keeps a block for later. An empty wheel with more than 2*keepBlocks free blocks calls
// dropFree.
func (w *Wheel) freeBlock(b *block) {
	b.next, b.used = w.freeBlocks, 0
	w.freeBlocks = b
	if w.freeCount++; w.count == 0 && w.freeCount > 2*keepBlocks {
		w.dropFree()
	}
}

// dropFree leaves the free blocks to the GC, except for keepBlocks of them: the next timers will
// need blocks again.
func (w *Wheel) dropFree() {
	last := w.freeBlocks
	for range keepBlocks - 1 {
		last = last.next
	}
	last.next, w.freeCount = nil, keepBlocks
}

// Next returns a time before which no entry is due: the time of the earliest entry, or of an
// earlier one that was removed. It returns false if the wheel is empty.
func (w *Wheel) Next() (at uint64, ok bool) {
	if w.count == 0 {
		return 0, false
	}
	n, i := w.first()
	return w.levels[n].slots[i].min, true
}

// first returns the place of the first slot that has entries. The wheel is not empty.
func (w *Wheel) first() (n int, i uint8) {
	n = bits.TrailingZeros8(w.filled)
	for j, f := range w.levels[n].filled {
		if f != 0 {
			return n, uint8(j*word + bits.TrailingZeros64(f))
		}
	}
	panic("gallop: wheel: a level is marked and empty")
}

// Pop takes out the number with the earliest time, if that is not later than now. Among several it
// takes the first that was added. Otherwise it returns false. The wheel's time follows now, and
// never goes back.
func (w *Wheel) Pop(now uint64) (number uint32, ok bool) {
	for w.count != 0 {
		n, i := w.first()
		s := &w.levels[n].slots[i]
		if s.min > now {
			break
		}
		// No entry is earlier, so all entries of other slots keep their places.
		w.now = s.min
		if n > 0 {
			w.tidy(n, i)
		} else if number, ok = w.take(i); ok {
			return number, true
		}
	}
	w.follow(now)
	return 0, false
}

// take takes the first entry of a slot of level 0. It returns false if that entry was removed.
func (w *Wheel) take(i uint8) (number uint32, ok bool) {
	s := &w.levels[0].slots[i]
	b := s.first
	number, ok = b.entries[s.taken].number, true
	if s.gone > 0 && w.leave(number) {
		s.gone--
		ok = false
	} else {
		w.count--
	}
	s.taken++
	if s.count--; s.count == 0 {
		w.empty(0, i)
		w.freeBlock(b)
	} else if int(s.taken) == b.used {
		s.first, s.taken = b.next, 0
		w.freeBlock(b)
	}
	if s.count > 0 && s.gone == s.count { // a slot of removed entries alone is tidied at once
		w.tidy(0, i)
	}
	return number, ok
}

// follow moves the wheel's time to now, but only so far that no entry changes its place: to the
// time of the first slot that has entries, or, on a higher level, to the nanosecond before that
// slot, whose entries would have to move down.
func (w *Wheel) follow(now uint64) {
	if w.count != 0 {
		n, i := w.first()
		until := w.levels[n].slots[i].min
		if n > 0 {
			until = until>>(n*digit)<<(n*digit) - 1
		}
		now = min(now, until)
	}
	w.now = max(w.now, now)
}
