package timerwheel

import (
	"math/bits"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// slab is the memory of a shard's timers: chunks of them, each as large as all before it
// together, so that they are numbered in a row, none ever moves, and there is no list of
// chunks to be copied. A timer is taken under the shard's lock, and given back from
// anywhere.
//
// What has been given back is a stack with its height beside its top in one word.
// Producers push, and the shard takes all of it, so that no top can come back meanwhile
// with another one below.
//
// The memory of a burst is let go when the wheel is found empty and all timers are free, or else
// when the last one is given back. The next ones begin with a gen that no timer has had. So a Timer
// that was kept for long finds no memory, or another gen; it would be fooled by 2³² timers in one
// place.
type slab struct {
	chunks [slabChunks]seam.Pointer[Timer] // to the first of each; changed under the shard's mu
	back   seam.Uint64                     // given back: how many, and the last one's number + 1
	// How many that is when all are free; 0: it does not matter. Changed under the shard's mu.
	all seam.Uint32

	// Guarded by the shard's mu.
	used  uint32 // numbers below it have been taken at least once
	free  uint32 // the first free one's number + 1
	frees uint32 // how many there are
	gen   uint32 // no timer has had this gen, or a later one
}

const (
	slabBits   = 6 // of the first chunk
	slabChunks = 32 - slabBits + 1
	slabKept   = 1024 // timers whose memory is not let go
)

// at returns the timer of a number that was taken; nil if its memory was let go.
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

// slabPlace returns in which chunk a number is, and where.
func slabPlace(number uint32) (chunk int, i uint32) {
	chunk = bits.Len32(number >> slabBits)
	return chunk, number - slabBegin(chunk)
}

// slabBegin is the first number of a chunk, and how many are before it.
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
	s.gen = max(s.gen, k.gen.Load()+2) // it is raised at its end
	if invariant.On {
		verifyTaken(s, number, k)
	}
	return number, k
}

// extend takes a number for the first time. Caller holds mu.
func (s *slab) extend() (number uint32, k *Timer) {
	number = s.used
	s.gen = max(s.gen, 1) // the zero Ref has 0, and is no timer
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

// giveBack frees a timer that is in no wheel, and reports whether that was the last of many. The
// caller has it.
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

// shrink lets go of the memory if all timers are free, or leaves that to the one that gives the
// last timer back. Caller holds mu, and none is in the wheel.
func (s *slab) shrink() {
	if s.used <= slabKept {
		return
	}
	// Before the look: the worker that gives the last one back sees it, or this one sees that.
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
