package process

import (
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Mutex is a lock that suspends a waiting process, and not its worker. It is handed to the waiting
// parties in the order of their calls. The zero value is an unlocked mutex. A Mutex must not be
// copied after first use. An Unlock synchronizes before the Lock that follows.
type Mutex struct {
	_      nocmp.Field
	mu     seam.QuickMutex
	locked bool                // guarded by mu
	queue  waitQueue[struct{}] // guarded by mu
}

// Lock takes the lock, and waits until it is free.
func (m *Mutex) Lock(by Party) {
	must(m != nil, "Lock of a nil Mutex")
	pt := enter(by, "Mutex.Lock")
	m.mu.Lock()
	if !m.locked {
		m.locked = true
		m.mu.Unlock()
		return
	}
	m.queue.wait(pt, &m.mu, opLock)
}

// wait enters pt in the queue and waits. Caller holds mu, which wait releases.
func (q *waitQueue[T]) wait(pt *party, mu *seam.QuickMutex, op op) {
	w := takeWaiter[T](pt)
	q.enter(w)
	mu.Unlock()
	q.await(w, mu, op)
	w.giveBack()
}

// TryLock takes the lock if it is free, and reports whether it was.
func (m *Mutex) TryLock() bool {
	must(m != nil, "TryLock of a nil Mutex")
	choiceHere("Mutex.TryLock")
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.locked
	m.locked = true
	return !was
}

// Unlock gives the lock to the party that has waited longest, or frees it. It panics if the mutex
// is not locked.
func (m *Mutex) Unlock(from Env) {
	must(m != nil, "Unlock of a nil Mutex")
	sys, w := act(from)
	m.mu.Lock()
	if !m.locked {
		m.mu.Unlock()
		misuse("Mutex.Unlock: it is not locked")
	}
	next := m.queue.claimReceiver(struct{}{}, true)
	m.locked = next != nil
	m.mu.Unlock()
	if next != nil {
		next.wake(w, sys)
	}
}
