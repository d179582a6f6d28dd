package sched

// entered counts a task in that a test queues by hand.
func entered(t *Task) *Task {
	checkEnter(t)
	return t
}
