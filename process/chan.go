package process

import (
	"iter"

	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Chan is a channel like Go's: senders and receivers meet, or a buffer is between them. A process
// that waits at a channel does not keep its worker. Processes of any system and goroutines outside
// ([Goroutine]) may share a channel. A nil *Chan is never ready, as in Go. Values of one sender are
// received in their order. A send synchronizes before the receive of its value.
//
// An operation that need not wait costs a lock. A hand-over to a process that waits costs some
// 100 ns, and allocates nothing once both have waited.
type Chan[T any] struct {
	_  nocmp.Field
	id uint64
	mu seam.QuickMutex

	// The fields are guarded by mu. Receivers wait only while the channel is empty, senders only
	// while there is no room. So at most one of the queues has waiters that can be claimed, apart
	// from the cases of one Select.
	closed    bool
	head      int
	n         seam.Gauge // in the buffer; also read without the lock, as a hint
	buffer    []T
	receivers waitQueue[T]
	senders   waitQueue[T]
}

// chanIDs are the numbers of channels, in the order of which Select locks them.
var chanIDs seam.Uint64

// NewChan returns a channel with room for so many values, 0 for one without a buffer. It panics if
// size is negative.
func NewChan[T any](size int) *Chan[T] {
	if size < 0 {
		misuse("NewChan: size is negative")
	}
	c := &Chan[T]{id: chanIDs.Add(1)}
	if size > 0 {
		c.buffer = make([]T, size)
	}
	return c
}

// outcome is the result of a try at a channel.
type outcome int

const (
	wouldWait outcome = iota
	done
	isClosed
)

// trySend sends v if that need not wait. wake is a receiver that is to be woken. Caller holds mu.
func (c *Chan[T]) trySend(v T) (wake *party, r outcome) {
	if c.closed {
		return nil, isClosed
	}
	if pt := c.receivers.claimReceiver(v, true); pt != nil {
		return pt, done
	}
	if c.n.Load() == uint64(len(c.buffer)) {
		return nil, wouldWait
	}
	c.put(v)
	return nil, done
}

// put appends v to the buffer, which has room.
func (c *Chan[T]) put(v T) {
	n := c.n.Load()
	i := c.head + int(n)
	if i >= len(c.buffer) {
		i -= len(c.buffer)
	}
	c.buffer[i] = v
	c.n.StoreRelease(n + 1)
}

// tryRecv receives if that need not wait. Caller holds mu.
func (c *Chan[T]) tryRecv() (v T, wake *party, r outcome) {
	switch {
	case c.n.Load() > 0:
		v = c.pop()
		var next T
		if next, wake = c.senders.claimSender(true); wake != nil {
			c.put(next)
		}
		return v, wake, done
	case c.closed:
		return v, nil, isClosed
	}
	if c.senders.first != nil {
		if v, wake = c.senders.claimSender(true); wake != nil {
			return v, wake, done
		}
	}
	return v, nil, wouldWait
}

func (c *Chan[T]) pop() (v T) {
	var zero T
	v, c.buffer[c.head] = c.buffer[c.head], zero
	if c.head++; c.head == len(c.buffer) {
		c.head = 0
	}
	c.n.StoreRelease(c.n.Load() - 1)
	return v
}

// Send sends v, and waits until it is received or there is room for it. It panics if the channel is
// or gets closed.
func (c *Chan[T]) Send(by Party, v T) {
	pt := enter(by, "Chan.Send")
	if c == nil {
		pt.never()
	}
	c.mu.Lock()
	wake, r := c.trySend(v)
	if r == wouldWait {
		c.waitToSend(pt, v) // unlocks
		return
	}
	c.mu.Unlock()
	if r == isClosed {
		misuse("Chan.Send: the channel is closed")
	}
	pt.wakeOther(wake)
}

// waitToSend waits until v is received. Caller holds mu, which waitToSend releases.
func (c *Chan[T]) waitToSend(pt *party, v T) {
	w := takeWaiter[T](pt)
	w.v = v
	c.senders.enter(w)
	c.mu.Unlock()
	c.senders.await(w, &c.mu, opSend)
	w.giveBack()
	if !w.ok {
		misuse("Chan.Send: the channel was closed")
	}
}

// Recv receives a value, and waits until there is one. ok is false if the channel is closed and
// empty.
func (c *Chan[T]) Recv(by Party) (v T, ok bool) {
	pt := enter(by, "Chan.Recv")
	if c == nil {
		pt.never()
	}
	return c.recv(pt, opRecv)
}

// recv is Recv. op is the kind of wait, for reports.
func (c *Chan[T]) recv(pt *party, op op) (v T, ok bool) {
	c.mu.Lock()
	v, wake, r := c.tryRecv()
	if r == wouldWait {
		return c.waitToRecv(pt, op) // unlocks
	}
	pt.more = c.n.Load() > 0
	c.mu.Unlock()
	pt.wakeOther(wake)
	return v, r == done
}

// waitToRecv waits until a value is sent. Caller holds mu, which waitToRecv releases.
func (c *Chan[T]) waitToRecv(pt *party, op op) (v T, ok bool) {
	w := takeWaiter[T](pt)
	c.receivers.enter(w)
	c.mu.Unlock()
	c.receivers.await(w, &c.mu, op)
	pt.more = c.n.Load() > 0 // others may have sent while it waited for its turn
	v, ok = w.v, w.ok
	w.giveBack()
	return v, ok
}

// TrySend sends v if that is possible without waiting, and reports whether it was. It panics if the
// channel is closed.
func (c *Chan[T]) TrySend(from Env, v T) bool {
	sys, worker := act(from)
	if c == nil {
		return false
	}
	r := c.offer(worker, sys, v)
	if r == isClosed {
		misuse("Chan.TrySend: the channel is closed")
	}
	return r == done
}

// offer is TrySend without an Env.
func (c *Chan[T]) offer(worker *sched.Worker, by *System, v T) outcome {
	c.mu.Lock()
	wake, r := c.trySend(v)
	c.mu.Unlock()
	if wake != nil {
		wake.wake(worker, by)
	}
	return r
}

// TryRecv receives a value if that is possible without waiting. received reports whether it was, or
// whether the channel is closed. ok is as with [Chan.Recv].
func (c *Chan[T]) TryRecv(from Env) (v T, ok, received bool) {
	sys, worker := act(from)
	if c == nil {
		return v, false, false
	}
	c.mu.Lock()
	v, wake, r := c.tryRecv()
	c.mu.Unlock()
	if wake != nil {
		wake.wake(worker, sys)
	}
	return v, r == done, r != wouldWait
}

// Close closes the channel. Values in the buffer can still be received; after them, receivers go on
// without a value. It panics if the channel is nil or closed.
func (c *Chan[T]) Close(from Env) {
	sys, worker := act(from)
	if c == nil {
		misuse("Chan.Close: the channel is nil")
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		misuse("Chan.Close: the channel is closed")
	}
	c.closed = true
	var wake []*party
	var zero T
	for pt := c.receivers.claimReceiver(zero, false); pt != nil; {
		wake = append(wake, pt)
		pt = c.receivers.claimReceiver(zero, false)
	}
	for _, pt := c.senders.claimSender(false); pt != nil; {
		wake = append(wake, pt)
		_, pt = c.senders.claimSender(false)
	}
	c.mu.Unlock()
	for _, pt := range wake {
		pt.wake(worker, sys)
	}
}

// Len returns how many values are in the buffer; 0 for nil.
func (c *Chan[T]) Len() int {
	if c == nil {
		return 0
	}
	choiceHere("Chan.Len")
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.n.Load())
}

// Cap returns how many values the buffer has room for; 0 for nil.
func (c *Chan[T]) Cap() int {
	if c == nil {
		return 0
	}
	return len(c.buffer)
}

// All receives value after value until the channel is closed, as range does with one of Go's.
func (c *Chan[T]) All(by Party) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, ok := c.Recv(by); ok && yield(v); v, ok = c.Recv(by) {
		}
	}
}

// wakeOther wakes a party that this one has committed with, if there is one.
func (pt *party) wakeOther(o *party) {
	if o == nil {
		return
	}
	p := pt.proc
	if p == nil {
		o.wake(nil, pt.sys)
		return
	}
	// Fast path, inlined by hand from wake.
	if s := o.state.Load(); s&parked != 0 && o.claimHere(s, p.w, pt.sys) {
		p.w.Schedule(&o.proc.task)
		return
	}
	o.wakeSlowly(p.w, pt.sys)
}

// never waits for ever, or until the process is told to end.
func (pt *party) never() {
	for pt.suspend(parked | uint32(opNever)<<opShift) {
	}
	pt.proc.leave()
}
