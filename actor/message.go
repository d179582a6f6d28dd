package actor

import "unsafe"

// message is the header of every message: one allocation, followed in memory by
// the payload. 24 bytes, so that a payload of 64 bits makes 32 and is aligned.
//
// The owner of a message is its sender until push succeeds, then the mailbox, then the receiver's
// runner from the grab until it is recycled.
type message struct {
	_    [0]func() // nodes are not compared, so nothing is linked that could
	next *message  // see mailbox
	_    [8 - unsafe.Sizeof(uintptr(0))]byte
	// The number of the actor that sent it; 0: from outside. See wasStashed.
	from uint64
	id   uint16 // index of the behaviour in its type's table
	// Of an outcome or a request: which life of the caller asked. See askMark.
	life     uint16
	ownerTag // where it is recycled
}

// ownerTag says where a free message belongs: its pool, and its home, the number of the worker that
// made it, or outside. One word, because each message's origin is compared with the next one's.
type ownerTag uint32

func ownerTagOf(pool, owner uint16) ownerTag { return ownerTag(pool) | ownerTag(owner)<<16 }
func (o ownerTag) sizeClass() uint16         { return uint16(o) }
func (o ownerTag) owner() uint16             { return uint16(o >> 16) }

// wasStashed marks, in from, that a message that runs was put aside. There it costs nobody else
// anything: every send of the node writes from anew.
const wasStashed = 1 << 63

const headerSize = unsafe.Sizeof(message{})

// node is a message with a payload of type M in its place.
type node[M any] struct {
	header message // not embedded, as in cell
	//lint:ignore U1000 payloadOf finds it by its place
	payload M
}

// payloadOf returns where the payload of m lies. M must be the payload type of
// the pool that m came from, or share its shape.
func payloadOf[M any](m *message) *M {
	return (*M)(m.payload())
}

func (m *message) payload() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), headerSize) }
