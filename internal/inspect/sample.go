package inspect

import (
	"math/rand/v2"
	"sync"
	"time"
	"weak"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/weaklist"
)

// population is a sample of the actors that were spawned. Of each block of actor numbers of a
// worker, one actor is in the sample. Of the actors that were spawned outside, each is in it by
// chance, with a probability of 1 in OneIn. The pointers are weak. When the list has doubled in
// length, the pointers to freed or ended actors are dropped.
type population struct {
	list weaklist.List[sampledActor]

	mu     sync.Mutex
	before uint64    // guarded by mu: actors spawned before it began
	begun  seam.Bool // stored under mu
}

// sampledActor is one actor of the sample.
type sampledActor struct {
	a  weak.Pointer[kernel.Cell]
	at int64 // time of the spawn, by the system's clock
}

// ended reports whether the actor can leave the sample.
func (s sampledActor) ended() bool {
	a := s.a.Value()
	return a == nil || a.Box.Closed()
}

// cut chooses the next spawn that is in the sample: see kernel.Inspection.
func (p *population) cut(size uint64) uint64 {
	if !p.begun.Load() {
		return size
	}
	return rand.Uint64N(size)
}

// picks reports whether an actor that was spawned outside is in the sample. Numbers are
// consecutive, so a hash of the number serves as chance.
func (p *population) picks(id uint64) bool {
	if !p.begun.Load() {
		return false
	}
	id ^= id >> 30 // the mixing function of splitmix64
	id *= 0xbf58476d1ce4e5b9
	id ^= id >> 27
	id *= 0x94d049bb133111eb
	id ^= id >> 31
	return id%OneIn == 0
}

// born adds an actor to the sample.
func (p *population) born(a *kernel.Cell) {
	s := sampledActor{weak.Make(a), a.Sys().Opts.Clock.Nanos()}
	p.list.Add(s, sampledActor.ended)
}

// begin begins the sample of actors and the list of holds. It also begins the inspection.
func begin(s *kernel.System) {
	p := &on(s).population
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun.Load() {
		p.before = s.Stats().Spawned
		p.begun.Store(true)
	}
}

// eachSampled calls f for each actor of the sample that has not ended, and returns the number of
// actors that were spawned before the sample began. An actor that has had no turn yet may be in the
// middle of its spawn: its state is not there yet, and nothing may be sent to it. For such an actor
// ref is zero, and only fields are read that were written before the actor was listed.
func eachSampled(s *kernel.System, f func(ref kernel.AnyRef, typ string, id uint64,
	lived time.Duration)) (before uint64) {
	p := &on(s).population
	p.mu.Lock()
	before = p.before
	p.mu.Unlock()
	now := clock(s)
	for _, e := range p.list.All() {
		a := e.a.Value()
		if a == nil || a.Box.Closed() {
			continue
		}
		var ref kernel.AnyRef
		if kernel.PeekBegun(a) {
			ref = a.Found()
		}
		f(ref, a.Typ().Name, a.ID, time.Duration(now-e.at))
	}
	return before
}
