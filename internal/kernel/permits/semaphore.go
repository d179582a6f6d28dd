package permits

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Max is the number of messages from outside that may wait for one actor at the same time.
const Max = 4096

// Step is the number of permits that one permit return gives back.
const Step = Max / 2

// MaxBound is the greatest bound of a mailbox that is counted.
const MaxBound = 1 << 30

// Entrance says whether a goroutine that finds no permit waits or gives up.
type Entrance bool

const (
	ToWait Entrance = false // so it also waits while an actor is in a back-off
	ToTry  Entrance = true
)

// Receiver is the actor to which the goroutines send.
type Receiver interface {
	// Open reports whether the receiver lets goroutines in. Any goroutine.
	Open(how Entrance) bool
}

// Semaphore is described in the package comment. Every method takes the same receiver.
type Semaphore struct {
	// Permits that any goroutine may take: none while a goroutine waits. If it is negative, so many
	// permits are lacking: see Exceed.
	free   seam.Int32
	pushed seam.Uint32 // messages that had a permit
	mu     seam.QuickMutex
	// Guarded by mu: permits that are given under mu, to the goroutines in line. setFree moves them
	// to free.
	left   int
	wait   line // guarded by mu: goroutines without a permit
	called line // guarded by mu: goroutines that have a permit and were not woken yet
	woken  bool // guarded by mu: a goroutine was woken and has not woken the next
	closed bool // guarded by mu: the actor has ended
	// The bound of the mailbox, in messages; 0: it has none. Read-only.
	bound int
}

// Init gives the semaphore its permits, before it is published.
func (s *Semaphore) Init(n int) { s.free.Store(int32(n)) }

// InitBounded prepares the semaphore of a mailbox with a bound, before it is published. limit is at
// most [MaxBound].
func (s *Semaphore) InitBounded(limit int) {
	s.bound = limit
	s.free.Store(int32(limit))
}

// Acquire takes a permit, or joins the line and returns the caller's place in it. Any goroutine.
func (s *Semaphore) Acquire(r Receiver) *Waiter {
	if s.TakeFree(r, ToWait) { // L1
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takeInTurn(r, ToWait) {
		return nil
	}
	w := &Waiter{token: make(chan struct{}, 1)}
	s.wait.add(w)
	return w
}

// TryAcquire takes a permit, or reports that there is none. Any goroutine.
func (s *Semaphore) TryAcquire(r Receiver) bool {
	if s.TakeFree(r, ToTry) { // L1
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ok := s.takeInTurn(r, ToTry)
	s.setFree()
	return ok
}

// TakeFree takes a permit if one is free and the receiver is open. It takes no lock. If the
// receiver closes meanwhile, it gets one more message. Any goroutine.
func (s *Semaphore) TakeFree(r Receiver, how Entrance) bool {
	for n := s.free.Load(); n > 0 && r.Open(how); n = s.free.Load() {
		if s.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// Exceed takes a permit, free or not, if fewer than over are lacking. It reports whether it took
// one, and returns the number of free permits after that. A negative number means that permits are
// lacking. Exceed does not check whether the receiver is open, and overtakes waiting goroutines.
// Any goroutine.
func (s *Semaphore) Exceed(over int) (free int, ok bool) {
	if free, ok = s.exceed(over); ok {
		return free, true
	}
	// Another goroutine may have collected the free permits, and the receiver may not let the
	// goroutines in line in.
	s.mu.Lock()
	defer s.mu.Unlock()
	if free, ok = s.exceed(over); !ok && s.left > 0 {
		s.left--
		return s.left, true
	}
	return free, ok
}

func (s *Semaphore) exceed(over int) (free int, ok bool) {
	for n := s.free.Load(); int(n) > -over; n = s.free.Load() {
		if s.free.CompareAndSwap(n, n-1) {
			return int(n) - 1, true
		}
	}
	return 0, false
}

// takeInTurn collects the free permits, and takes one unless a goroutine waits. It checks under the
// lock whether the receiver is open: an owner that opens it looks at the line afterwards. After the
// receiver's end it returns true without a permit: the push will report the end. Caller holds mu.
func (s *Semaphore) takeInTurn(r Receiver, how Entrance) bool {
	if s.closed {
		return true
	}
	s.collect()
	if s.wait.first != nil || s.left <= 0 || !r.Open(how) {
		return false
	}
	s.left--
	s.setFree()
	return true
}

// collect moves the free permits to left. If permits are lacking, it moves permits from left to
// free instead, to make up for them. Caller holds mu.
func (s *Semaphore) collect() {
	for n := s.free.Load(); n > 0 || n < 0 && s.left > 0; n = s.free.Load() {
		now := min(0, n+int32(s.left))
		if n > 0 {
			now = 0
		}
		if s.free.CompareAndSwap(n, now) {
			s.left += int(n - now)
			return
		}
	}
}

// setFree moves the permits in left to free if no goroutine waits. Caller holds mu.
func (s *Semaphore) setFree() {
	if s.wait.first == nil && s.left > 0 {
		s.free.Add(int32(s.left))
		s.left = 0
	}
}

// Pushed counts a message that was pushed with a permit. It reports whether the caller has to push
// a permit return after it. All counted pushes came before. Any goroutine.
func (s *Semaphore) Pushed() (pushReturn bool) {
	return s.pushed.Add(1)%Step == 0 // L3
}

// Release returns n permits, first to waiting goroutines: L4. Any goroutine.
func (s *Semaphore) Release(n int, r Receiver) {
	s.mu.Lock()
	s.left += n
	s.grant(r)
	s.mu.Unlock()
}

// grant gives permits to the first goroutines in line, and sets the others free. Caller holds mu.
func (s *Semaphore) grant(r Receiver) {
	if s.wait.first != nil {
		s.collect()
	}
	for s.wait.first != nil && s.left > 0 && r.Open(ToWait) {
		s.left--
		w := s.wait.first
		s.wait.remove(w)
		s.called.add(w)
	}
	s.setFree()
	s.wakeFirst()
	if invariant.On {
		s.verify(r)
	}
}

// wakeFirst wakes the first goroutine that has a permit. That goroutine wakes the next, and so on.
// Caller holds mu.
func (s *Semaphore) wakeFirst() {
	if w := s.called.first; w != nil && !s.woken {
		s.woken = true
		s.called.remove(w)
		w.token <- struct{}{} // has room
	}
}

// WakeNext wakes the next goroutine that has a permit. A goroutine calls it as soon as it has
// received its token.
func (s *Semaphore) WakeNext() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken = false
	s.wakeFirst()
}

// Cancel removes w from the semaphore. If w has a permit, Cancel returns it. Any goroutine.
func (s *Semaphore) Cancel(w *Waiter, r Receiver) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch w.in {
	case nil:
		s.woken = false
		s.left++
	case &s.called:
		s.called.remove(w)
		s.left++
	default:
		s.wait.remove(w)
	}
	s.grant(r)
}

// Close wakes all waiting goroutines: the actor has ended.
func (s *Semaphore) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, q := range [...]*line{&s.called, &s.wait} {
		for w := q.first; w != nil; w = q.first {
			q.remove(w)
			w.token <- struct{}{} // has room
		}
	}
}
