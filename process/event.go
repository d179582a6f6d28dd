package process

import (
	"github.com/gallop-go/gallop/internal/seam"
)

// Event is the source of cases that users make: see [When]. The zero value is ready. An Event must
// not be copied after first use.
type Event struct {
	mu      seam.QuickMutex
	changes seam.Uint64
	waiters list[*party] // guarded by mu
}

// Notify has each party that waits for the event look again. It is to be called after a change that
// may have made a case ready. Any goroutine.
func (e *Event) Notify(from Env) {
	must(e != nil, "Notify of a nil Event")
	sys, w := act(from)
	e.mu.Lock()
	e.changes.Add(1)
	waiters := e.waiters.all()
	e.mu.Unlock()
	for _, pt := range waiters {
		pt.wake(w, sys)
	}
}

type whenCase struct {
	noLock
	e   *Event
	try func() bool

	seen  uint64 // the changes before try looked
	place entry[*party]
}

// When is a case that the user makes. try reports whether the case is ready, and if so, commits it:
// true is final. Select calls try in the waiting party, when it begins and after each
// [Event.Notify]. Several parties may call their tries at the same time, so shared data needs a
// lock of its own. try must be quick. It must not use the party, which panics; but it may unlock a
// [Mutex] that it has locked by TryLock.
func When(e *Event, try func() bool) Case {
	must(e != nil && try != nil, "When: the event or try is nil")
	return &whenCase{e: e, try: try}
}

func (k *whenCase) foreign() bool       { return true }
func (k *whenCase) waits() (op, uint64) { return opEvent, 0 }

func (k *whenCase) poll(pt *party) (*party, bool) {
	k.seen = k.e.changes.Load()
	defer pt.takeBack(pt.lend(inTry))
	return nil, k.try()
}

// enroll gives the party a notice if there was a change since try looked, so that it looks again.
func (k *whenCase) enroll(pt *party, _ uint32) uint32 {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	enterPlace(&k.e.waiters, &k.place, pt)
	if k.e.changes.Load() != k.seen {
		pt.wake(nil, pt.sys)
	}
	return 0
}

func (k *whenCase) withdraw(pt *party) {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	leavePlace(&k.e.waiters, &k.place, pt)
}

// Block waits until try, as with [When], has committed.
func Block(by Party, e *Event, try func() bool) { Select(by, When(e, try)) }
