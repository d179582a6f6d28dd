//go:build !gallop_invariants && !gallop_explore && !race

package sched

// Books are kept where invariants are checked: see the other build's. Here they have no name and no
// methods, which a program would carry even though nobody calls them.
type (
	taskCheck = struct{}
	turnCheck = struct{}
)

var _, _ = Task{}.check, Worker{}.turnCheck // which only the other build looks at

func checkEnter(*Task)                  {}
func checkLeave(*Task)                  {}
func mustBeInOnePlace(*Task)            {}
func checkTurnBegin(*Worker, *Task)     {}
func checkRelease(*Worker, *Task)       {}
func checkTurnEnd(*Worker, *Task, bool) {}
