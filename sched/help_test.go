package sched

import "fmt"

// deck is a set of tasks that are not run, for the tests of queues: which task is
// which, and who took it.
type deck struct {
	tasks []Task
	taken []int
}

func newDeck(n int) *deck { return &deck{tasks: make([]Task, n), taken: make([]int, n)} }

// card returns task i.
func (d *deck) card(i int) *Task { return &d.tasks[i] }

// index returns which task t is; -1 for nil.
func (d *deck) index(t *Task) int {
	for i := range d.tasks {
		if t == &d.tasks[i] {
			return i
		}
	}
	if t != nil {
		panic("a task from nowhere")
	}
	return -1
}

// take notes that t was taken; nil counts for nothing.
func (d *deck) take(t *Task) (got bool) {
	if i := d.index(t); i >= 0 {
		d.taken[i]++
		return true
	}
	return false
}

// each fails unless every task was taken exactly once.
func (d *deck) each() error {
	for i, n := range d.taken {
		if n != 1 {
			return fmt.Errorf("task %d was taken %d times: %v", i, n, d.taken)
		}
	}
	return nil
}
