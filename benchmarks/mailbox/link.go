package mailbox

import (
	"sync/atomic"
	"unsafe"
)

// Link is Swap with the linking store that processors need and Go does not offer: a plain
// one, which on amd64 is a release. A push is then one locked instruction, as with Top, and
// the consumer finds the messages in their order, which Top has to make. In return, the
// producer writes into the node before, where a consumer on another processor looks.
//
// It is no code to copy: the plain store is a data race by the letter of Go's memory model.
type Link struct {
	head  unsafe.Pointer // the newest; nil while idle
	_     [56]byte
	tail  *Node // the last one that ran
	first *Node // set by the sender that woke it
}

// NewLink returns an idle mailbox.
func NewLink() *Link { return new(Link) }

// Push implements Box.
func (q *Link) Push(n *Node) bool {
	n.below = nil
	before := (*Node)(atomic.SwapPointer(&q.head, unsafe.Pointer(n)))
	if before == nil {
		q.first = n // exclusive: the actor is idle and this push wakes it
		return true
	}
	before.below = n
	return false
}

// Drain implements Box.
func (q *Link) Drain(f func(*Node)) bool {
	n := q.first
	if q.first = nil; n == nil {
		n = q.after()
	}
	for ; n != nil; n = q.after() {
		q.tail = n
		f(n)
	}
	last := q.tail
	q.tail = nil
	if atomic.CompareAndSwapPointer(&q.head, unsafe.Pointer(last), nil) {
		return true
	}
	q.tail = last
	return false
}

// after is the message after the last one, nil if it is not linked yet.
func (q *Link) after() *Node {
	return (*Node)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&q.tail.below))))
}
