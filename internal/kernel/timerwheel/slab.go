package timerwheel

import (
	"math/bits"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// slab is the memory of a shard's timers, in chunks. Each chunk is as large as all before it
// together, so that timers are numbered consecutively, no timer ever moves, and there is no list of
// chunks to be copied. A timer is taken under the shard's lock, and given back by any
// goroutine.
//
// The timers that were given back are a stack. One word has its height and its top. Producers push,
// and the shard takes the whole stack, so that a top cannot come back meanwhile with another timer
// below it.
//
// The memory of a burst is freed when the wheel is found empty and all timers are free, or else
// when the last timer is given back. Later timers begin with a gen that no timer has had. So a Ref
// that was kept for long finds no memory, or another gen. Only 2³² timers in one place could make
// it find a wrong timer.
type slab struct {
	chunks [slabChunks]seam.Pointer[Timer] // the first timer of each; changed under the shard's mu
	back   seam.Uint64                     // given back: their count, and the top's number + 1
	// The count in back that means that all timers are free; 0: none does. Changed under the
	// shard's mu.
	all seam.Uint32

	// Guarded by the shard's mu.
	used  uint32 // numbers below it have been taken at least once
	free  uint32 // the number + 1 of the first timer in the list of free timers; 0: empty
	frees uint32 // the length of that list
	gen   uint32 // no timer has had this gen, or a later one
}

const (
	slabBits   = 6 // the first chunk has 1<<slabBits timers
	slabChunks = 32 - slabBits + 1
	slabKept   = 1024 // a slab with at most so many timers keeps its memory
)

// at returns the timer of a number that was taken, or nil if its memory was freed.
func (s *slab) at(number uint32) *Timer {
	n, i := slabPlace(number)
	first := s.chunks[n].Load()
	if first == nil {
		return nil
	}
	return (*Timer)(unsafe.Add(unsafe.Pointer(first), uintptr(i)*unsafe.Sizeof(Timer{})))
}

// find returns a timer that has neither run nor was canceled, or nil.
func (s *slab) find(t Ref) *Timer {
	k := s.at(t.Number)
	if k == nil || k.gen.Load() != t.gen {
		return nil
	}
	return k
}

// slabPlace returns the chunk of a number, and its index there.
func slabPlace(number uint32) (chunk int, i uint32) {
	chunk = bits.Len32(number >> slabBits)
	return chunk, number - slabBegin(chunk)
}

// slabBegin is the first number of a chunk, which is also the number of timers before the chunk.
func slabBegin(chunk int) uint32 {
	return uint32(uint64(1)<<(slabBits+chunk)>>1) &^ (1<<slabBits - 1)
}

// take returns a free timer. Caller holds mu.
func (s *slab) take() (number uint32, k *Timer) {
	if s.all.Load() != 0 {
		s.all.Store(0)
	}
	if s.free == 0 {
		s.collect()
	}
	if s.free == 0 {
		return s.extend()
	}
	number = s.free - 1
	k = s.at(number)
	s.free = uint32(k.Words[0])
	s.frees--
	s.gen = max(s.gen, k.gen.Load()+2) // the gen of k is raised at its end
	if invariant.On {
		verifyTaken(s, number, k)
	}
	return number, k
}

// extend takes a number for the first time. Caller holds mu.
func (s *slab) extend() (number uint32, k *Timer) {
	number = s.used
	s.gen = max(s.gen, 1) // the zero Ref has gen 0, and is no timer
	n, i := slabPlace(number)
	if i == 0 {
		chunk := make([]Timer, max(number, 1<<slabBits))
		s.chunks[n].Store(&chunk[0]) // published with its numbers, by mu
	}
	s.used++
	k = s.at(number)
	k.gen.Store(s.gen)
	return number, k
}

// collect takes the timers that were given back. Caller holds mu, and no other timer is free.
func (s *slab) collect() {
	back := s.back.Swap(0) // pairs with the CompareAndSwap in giveBack
	s.free, s.frees = uint32(back), uint32(back>>32)
}

// drop frees a timer. Caller holds mu.
func (s *slab) drop(number uint32) {
	k := s.at(number)
	k.Held = nil
	k.Words[0] = uint64(s.free)
	s.free = number + 1
	s.frees++
}

// giveBack frees a timer that is in no wheel, and reports whether the caller has to call shrink,
// since all timers are free. The caller owns the timer.
func (s *slab) giveBack(number uint32, k *Timer) (last bool) {
	k.Owner, k.Held = nil, nil
	for {
		back := s.back.Load()
		k.Words[0] = uint64(uint32(back))
		if s.back.CompareAndSwap(back, (back>>32+1)<<32|uint64(number+1)) { // publishes k
			return uint32(back>>32)+1 == s.all.Load() // pairs with the store in shrink
		}
	}
}

// shrink frees the memory if all timers are free, or leaves that to the worker that gives the
// last timer back. Caller holds mu, and no timer is in the wheel.
func (s *slab) shrink() {
	if s.used <= slabKept {
		return
	}
	// Before the load of back: the worker that gives the last timer back sees this store, or the
	// load sees that timer.
	s.all.Store(s.used - s.frees)
	if uint32(s.back.Load()>>32) != s.used-s.frees {
		return
	}
	s.all.Store(0)
	for i := range s.chunks {
		s.chunks[i].Store(nil)
	}
	s.back.Store(0) // no timer is left to be given back
	s.used, s.free, s.frees = 0, 0, 0
	s.gen += 2
}
