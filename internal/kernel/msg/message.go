// Package msg has the messages that actors send to each other, and their memory: nodes are
// recycled, each by the worker that made it.
//
// A node is a header [Message], followed by the payload. Nodes of the same memory layout have a
// [SizeClass]. A worker takes nodes from its own [Cache], and returns the nodes of messages that
// have run. The nodes that it cannot keep wait in free batches of the size class. Each owner has a
// sync.Pool of them, from which the GC may free them. The design is Bonwick's magazines, with the
// remote free lists of mimalloc and snmalloc. docs/decisions/0008-messages-go-home.md says why
// nodes go back to their owner.
package msg

import (
	"math"
	"unsafe"
)

// Message is the header of every message: 24 bytes, so that a payload of 64 bits makes 32 and is
// aligned.
//
// The sender owns a message until its push succeeds, and then the mailbox owns it. The worker that
// runs the receiver owns it from the time when it takes the message out until it recycles it.
type Message struct {
	_    [0]func() // nodes are not compared, so no code for it is linked
	Next *Message  // the owner's link; see package mpsc
	_    [8 - unsafe.Sizeof(uintptr(0))]byte

	// From is the number of the sending actor; 0: from outside. See WasStashed and
	// HasPlace.
	From uint64
	// ID is the index of the behaviour in its type's table.
	ID uint16
	// Life is the number of the life in which the caller asked. For outcomes and requests.
	Life uint16
	OwnerTag
}

// WasStashed is a bit in From: the running message was stashed, or its reply was put off. The bit
// costs senders nothing, since each send writes From.
const WasStashed = 1 << 63

// HasPlace is a bit in From: the message has a place in the mailbox of an actor with a bound.
const HasPlace = 1 << 62

// OwnerTag is the size class and the owner of a message. The owner is the number of the worker that
// made it, or [Outside]. They are one word, because the tag of each message is compared with the
// tag of the next.
type OwnerTag uint32

// MarkTag is the tag of messages that only mark a place. Marks are in no size class, and are never
// recycled.
const MarkTag = OwnerTag(NoSizeClass)

const (
	// MaxOwners is the number of owners of nodes.
	MaxOwners = 64
	// Outside owns the nodes that were made outside of any worker.
	Outside = MaxOwners - 1
	// NoSizeClass is a number that no size class has.
	NoSizeClass = math.MaxUint16
)

// TagOf returns the tag of nodes of a size class that an owner has made.
func TagOf(sizeClass, owner uint16) OwnerTag { return OwnerTag(sizeClass) | OwnerTag(owner)<<16 }

// SizeClass returns the number of the size class.
func (t OwnerTag) SizeClass() uint16 { return uint16(t) }

// Owner returns the number of the owner.
func (t OwnerTag) Owner() uint16 { return uint16(t >> 16) }

// IsMark reports whether the message only marks a place.
func (m *Message) IsMark() bool { return m.SizeClass() == NoSizeClass }

const headerSize = unsafe.Sizeof(Message{})

// Payload returns the address of the payload, which follows the header.
func (m *Message) Payload() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), headerSize) }

// PayloadOf returns the payload of m. M must be the payload type of the size class that
// m came from, or share its shape.
func PayloadOf[M any](m *Message) *M { return (*M)(m.Payload()) }

// Node is a message with a payload of type M.
type Node[M any] struct {
	Header Message // not embedded: the compiler would copy its methods
	//lint:ignore U1000 PayloadOf finds it by its place
	payload M
}
