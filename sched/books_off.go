//go:build !gallop_invariants && !gallop_explore && !race

package sched

// Books are kept where invariants are checked: see the other build's. Here they have no name and no
// methods, which a program would carry even though nobody calls them.
type (
	books     = struct{}
	turnBooks = struct{}
)

var _, _ = Task{}.books, Worker{}.turnBooks // which only the other build looks at

func bookIn(*Task)                 {}
func bookOut(*Task)                {}
func mustBeBooked(*Task)           {}
func bookTurn(*Worker, *Task)      {}
func bookRelease(*Worker, *Task)   {}
func bookEnd(*Worker, *Task, bool) {}
