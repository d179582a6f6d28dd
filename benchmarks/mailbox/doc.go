// Package mailbox holds the candidates for gallop's mailbox, each in as few lines as
// show its cost, for docs/decisions/0003-mailbox.md. None of it is used elsewhere.
//
//	go test -bench . -count 5
package mailbox

import "sync/atomic"

// Node is a message.
type Node struct {
	next  atomic.Pointer[Node] // swap reads it while a producer links
	below *Node                // the link of the stacks, written before the push, and of Link, written behind it
	V     int
}

// Box is a mailbox. Push reports whether the receiver was idle; Drain runs f on
// everything that is there, oldest first, one consumer at a time, and reports whether
// it left the mailbox idle.
type Box interface {
	Push(n *Node) (woke bool)
	Drain(f func(*Node)) (idle bool)
}
