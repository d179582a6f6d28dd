//go:build !gallop_invariants && !gallop_explore && !race

package sched

// The places of tasks are counted where invariants are checked: see the twin file. Here they have
// no methods, which a program would carry although they are not called.
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
