package actor

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

// population is a sample of the actors that were spawned: one of each block of a worker's numbers,
// and of those from outside as many by chance. The pointers are weak, and those that lead nowhere
// are dropped whenever the list has doubled.
type population struct {
	list weaklist.List[sampledActor]

	mu     sync.Mutex
	before uint64    // guarded by mu: how many had been spawned before
	begun  seam.Bool // stored under mu
}

// sampledActor is an actor of the sample.
type sampledActor struct {
	a  weak.Pointer[cell]
	at int64 // when it was spawned, by the system's clock
}

// ended reports whether the actor need not be in the sample any more.
func (s sampledActor) ended() bool {
	a := s.a.Value()
	return a == nil || a.box.Closed()
}

// cut implements inspection.
func (p *population) cut(size uint64) uint64 {
	if !p.begun.Load() {
		return size
	}
	return rand.Uint64N(size)
}

// picks implements inspection. The numbers are consecutive, so that a hash of them is as good as
// chance.
func (p *population) picks(id uint64) bool {
	if !p.begun.Load() {
		return false
	}
	id ^= id >> 30 // as splitmix64
	id *= 0xbf58476d1ce4e5b9
	id ^= id >> 27
	id *= 0x94d049bb133111eb
	id ^= id >> 31
	return id%idBlockSize == 0
}

// born implements inspection.
func (p *population) born(a *cell) {
	s := sampledActor{weak.Make(a), a.sys().opts.clock.Nanos()}
	p.list.Add(s, sampledActor.ended)
}

// Begin begins with the sample of the population and the list of holds.
func (in *inspector) Begin() {
	p := &in.on().population
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun.Load() {
		p.before = in.s.Stats().Spawned
		p.begun.Store(true)
	}
}

// EachSampled calls f for the actors of the sample that have not ended, and returns how many had
// been spawned before it began. One that has had no turn yet may be in the middle of its spawn, by
// which it was listed: its state is not there yet, and nothing may be sent to it. So its ref is not
// given away, and only what was there before it was listed is read.
func (in *inspector) EachSampled(f func(ref AnyRef, typ string, id uint64,
	lived time.Duration)) (before uint64) {
	p := &in.on().population
	p.mu.Lock()
	before = p.before
	p.mu.Unlock()
	now := in.Clock()
	for _, s := range p.list.All() {
		a := s.a.Value()
		if a == nil || a.box.Closed() {
			continue
		}
		var ref AnyRef
		if peekBegun(a) {
			ref = refFound(a)
		}
		f(ref, a.typ().name, a.id, time.Duration(now-s.at))
	}
	return before
}

// peekBegun reports whether an actor has had a turn, as Context.peek looks: then its spawn is over,
// since what made it runnable came after that.
//
//go:norace
//go:noinline
func peekBegun(a *cell) bool { return a.progress&begun != 0 }

// heldList has the holds of a system that are not released.
type heldList struct {
	mu  sync.Mutex
	all []*heldAt // guarded by mu, the oldest first
}

// heldAt is where and when a hold was taken.
type heldAt struct {
	pcs [8]uintptr
	n   int
	at  time.Time
}

// held implements inspection. Its caller is Hold.
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

// EachHold calls f for each hold that was taken since Begin and is not released: with the function
// and the file and line of the call.
func (in *inspector) EachHold(f func(function, file string, line int, at time.Time)) {
	l := &in.on().holds
	l.mu.Lock()
	all := slices.Clone(l.all)
	l.mu.Unlock()
	for _, h := range all {
		frames := runtime.CallersFrames(h.pcs[:h.n])
		at, more := frames.Next()
		for more && strings.HasPrefix(at.Function, "github.com/gallop-go/gallop/actor.(*System).") {
			at, more = frames.Next()
		}
		f(at.Function, at.File, at.Line, h.at)
	}
}
