package sched

import (
	"runtime/debug"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Crash describes the end of a turn that did not return.
type Crash struct {
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit says that the turn called runtime.Goexit.
	Goexit bool
	// Stack is the goroutine's stack at the panic; empty for a Goexit.
	Stack []byte
}

// Unwrap returns the value of the panic if it is an error.
func (c *Crash) Unwrap() error {
	err, _ := c.Value.(error)
	return err
}

// Error implements error.
func (c *Crash) Error() string {
	if c.Goexit {
		return "gallop: runtime.Goexit in a turn"
	}
	return "gallop: panic in a turn: " + guard.Text(c.Value)
}

// afterCrash ends the task of a turn that did not return. It runs deferred, on the stack that
// panicked. live finds out whether the goroutine can go on: the recovered value does not tell,
// since a panic during a Goexit does not end the Goexit.
func (w *Worker) afterCrash(value any) (more bool) {
	w.bringDown(value)
	w.crashed = true
	return true
}

// bringDown ends the task whose turn crashed.
func (w *Worker) bringDown(value any) {
	if !w.inTurn {
		// A defect of the scheduler itself must not look like a task's.
		panic(value)
	}
	if invariant.On {
		if f, ok := value.(invariant.Failure); ok {
			panic(f) // a defect of the runtime, not of the task
		}
	}
	w.inTurn = false
	c := &Crash{Value: value, Goexit: value == nil}
	if !c.Goexit {
		c.Stack = debug.Stack()
	}
	w.current.terminate(w, c)
}
