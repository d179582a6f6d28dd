package supervise

import (
	"errors"
	"fmt"
)

var (
	// ErrIntensity says that a supervisor has given up.
	ErrIntensity = errors.New("gallop: supervise: too many restarts")
	// ErrNoChild says that a supervisor has no child of that name, or that the child is
	// being stopped or has no actor: it has not started yet, or waits to be a new one.
	ErrNoChild = errors.New("gallop: supervise: no such child")
	// ErrTaken says that a supervisor has another child of that name, which is not being
	// removed.
	ErrTaken = errors.New("gallop: supervise: the name of the child is taken")
	// ErrBadChild says that a child cannot be started: its declaration is wrong, or does
	// not suit a supervisor of that strategy.
	ErrBadChild = errors.New("gallop: supervise: bad child")
)

// EscalationError is the reason for which a supervisor ends when it gives up. It wraps
// ErrIntensity and Reason.
type EscalationError struct {
	// Supervisor and Child are the names of the supervisor and of the child that fell.
	Supervisor, Child string
	// Reason is the reason of the child's last fall.
	Reason error
}

// Error implements error.
func (e *EscalationError) Error() string {
	return fmt.Sprintf("%v: %q gives up over %q: %v", ErrIntensity, e.Supervisor, e.Child, e.Reason)
}

// Unwrap returns ErrIntensity and, if there is one, Reason.
func (e *EscalationError) Unwrap() []error {
	if e.Reason == nil {
		return []error{ErrIntensity}
	}
	return []error{ErrIntensity, e.Reason}
}
