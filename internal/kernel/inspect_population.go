package kernel

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/weaklist"
)

// population is a sample of the actors that were spawned. Of each block of actor numbers of a
// worker, one actor is in the sample. Of the actors that were spawned outside, each is in it by
// chance, with a probability of 1 in idBlockSize. The pointers are weak. When the list has doubled
// in length, the pointers to freed or ended actors are dropped.
type population struct {
	list weaklist.List[sampledActor]

	mu     sync.Mutex
	before uint64    // guarded by mu: actors spawned before it began
	begun  seam.Bool // stored under mu
}

// sampledActor is one actor of the sample.
type sampledActor struct {
	a  weak.Pointer[Cell]
	at int64 // time of the spawn, by the system's clock
}

// ended reports whether the actor can leave the sample.
func (s sampledActor) ended() bool {
	a := s.a.Value()
	return a == nil || a.Box.Closed()
}

// cut implements inspection.
func (p *population) cut(size uint64) uint64 {
	if !p.begun.Load() {
		return size
	}
	return rand.Uint64N(size)
}

// picks implements inspection. Numbers are consecutive, so a hash of the number serves as chance.
func (p *population) picks(id uint64) bool {
	if !p.begun.Load() {
		return false
	}
	id ^= id >> 30 // the mixing function of splitmix64
	id *= 0xbf58476d1ce4e5b9
	id ^= id >> 27
	id *= 0x94d049bb133111eb
	id ^= id >> 31
	return id%idBlockSize == 0
}

// born implements inspection.
func (p *population) born(a *Cell) {
	s := sampledActor{weak.Make(a), a.Sys().Opts.Clock.Nanos()}
	p.list.Add(s, sampledActor.ended)
}

// Begin begins the sample of actors and the list of holds. It also begins the inspection.
func (in *Inspector) Begin() {
	p := &in.on().population
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun.Load() {
		p.before = in.S.Stats().Spawned
		p.begun.Store(true)
	}
}

// EachSampled calls f for each actor of the sample that has not ended, and returns the number of
// actors that were spawned before the sample began. An actor that has had no turn yet may be in the
// middle of its spawn: its state is not there yet, and nothing may be sent to it. For such an actor
// ref is zero, and only fields are read that were written before the actor was listed.
func (in *Inspector) EachSampled(f func(ref AnyRef, typ string, id uint64,
	lived time.Duration)) (before uint64) {
	p := &in.on().population
	p.mu.Lock()
	before = p.before
	p.mu.Unlock()
	now := in.Clock()
	for _, s := range p.list.All() {
		a := s.a.Value()
		if a == nil || a.Box.Closed() {
			continue
		}
		var ref AnyRef
		if peekBegun(a) {
			ref = refFound(a)
		}
		f(ref, a.Typ().Name, a.ID, time.Duration(now-s.at))
	}
	return before
}

// peekBegun reports, as a hint like Context.peek, whether an actor has had a turn. Then its spawn
// is over, because an actor is made runnable after its spawn.
//
//go:norace
//go:noinline
func peekBegun(a *Cell) bool { return a.Progress&begun != 0 }

// heldList is the list of the holds of a system that are not released.
type heldList struct {
	mu  sync.Mutex
	all []*heldAt // guarded by mu, the oldest first
}

// heldAt records the place and the time of a call of Hold.
type heldAt struct {
	pcs [8]uintptr
	n   int
	at  time.Time
}

// held implements inspection. It is called by Hold.
func (l *heldList) held() (released func()) {
	h := &heldAt{at: time.Now()}
	h.n = runtime.Callers(3, h.pcs[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, h)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.all, h); i >= 0 {
			l.all = slices.Delete(l.all, i, i+1)
		}
	}
}

// EachHold calls f for each hold that was taken since Begin and is not released, with the function,
// file and line of the call and its time.
func (in *Inspector) EachHold(f func(function, file string, line int, at time.Time)) {
	l := &in.on().holds
	l.mu.Lock()
	all := slices.Clone(l.all)
	l.mu.Unlock()
	for _, h := range all {
		frames := runtime.CallersFrames(h.pcs[:h.n])
		at, more := frames.Next()
		for more && ofSystem(at.Function) {
			at, more = frames.Next()
		}
		f(at.Function, at.File, at.Line, h.at)
	}
}

// ofSystem reports whether a function is a method of the System: of its face, or of its kernel.
func ofSystem(function string) bool {
	return strings.HasPrefix(function, "github.com/gallop-go/gallop/actor.(*System).") ||
		strings.HasPrefix(function, "github.com/gallop-go/gallop/internal/kernel.(*System).")
}
