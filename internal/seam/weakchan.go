package seam

import (
	"unsafe"
	"weak"
)

// WeakChan refers to a channel that it does not keep in memory. Go has weak pointers, and no weak
// channels.
type WeakChan struct{ head weak.Pointer[byte] }

// NewWeakChan makes a channel, and the reference to it. head is in memory as long as the channel
// is, and a cleanup can be bound to it.
func NewWeakChan() (ch chan struct{}, w WeakChan, head *byte) {
	ch = make(chan struct{})
	head = *(**byte)(unsafe.Pointer(&ch)) // a channel is a pointer to its head
	return ch, WeakChan{weak.Make(head)}, head
}

// Close closes the channel if it is still in memory.
func (w WeakChan) Close() {
	if head := w.head.Value(); head != nil {
		close(*(*chan struct{})(unsafe.Pointer(&head)))
	}
}
