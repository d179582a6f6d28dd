// Package mailbox holds the candidates for gallop's mailbox, for
// docs/decisions/0003-mailbox.md, each in as few lines as will show its cost. Nothing
// here is used elsewhere.
//
//	go test -bench . -count 5
package mailbox

import "sync/atomic"

// Node is a message.
type Node struct {
	next atomic.Pointer[Node] // swap reads it while a producer links
	// the link of the stacks, written before the push, and of Link, written after it
	below *Node
	V     int
}

// Box is a mailbox. Push reports whether the receiver was idle. Drain runs f on
// everything that is there, oldest first, and reports whether it left the mailbox idle;
// there is one consumer at a time.
type Box interface {
	Push(n *Node) (woke bool)
	Drain(f func(*Node)) (idle bool)
}
