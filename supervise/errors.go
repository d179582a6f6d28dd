package supervise

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/guard"
)

var (
	// ErrIntensity says that a supervisor gave up: there were more restarts than its [Intensity]
	// allows.
	ErrIntensity = errors.New("gallop: supervise: too many restarts")
	// ErrNoChild says that a supervisor has no child of that name, or that the child is being
	// stopped or has no actor: it has not started yet, or waits for a new actor.
	ErrNoChild = errors.New("gallop: supervise: no such child")
	// ErrNameTaken says that a supervisor already has a child of that name, which is not being
	// removed.
	ErrNameTaken = errors.New("gallop: supervise: the name of the child is taken")
	// ErrBadChild says that a child cannot be started: its declaration is wrong, or does
	// not suit a supervisor of that strategy.
	ErrBadChild = errors.New("gallop: supervise: bad child")
	// ErrIgnore is returned by OnStart of a child that is not needed, for example because it is
	// switched off: the child ends, which counts neither as a failure nor as a failed start, and
	// its younger siblings start. Its supervisor keeps the declaration, for [RestartChild], unless
	// the child is Temporary or of SimpleOneForOne. OnStart must return this error itself.
	ErrIgnore = errors.New("gallop: supervise: the child is not needed")
)

// EscalationError is the reason of a supervisor that gave up. It wraps ErrIntensity, unless Decided
// is set, and Reason.
type EscalationError struct {
	// Supervisor and Child are the names of the supervisor and of the child that failed.
	Supervisor, Child string
	// Reason is the reason of the child's last failure.
	Reason error
	// Decided says that the child's Decide asked for it; otherwise the Intensity was exceeded.
	Decided bool
}

// Error implements error.
func (e *EscalationError) Error() string {
	if e == nil {
		return "<nil>"
	}
	if e.Decided {
		return fmt.Sprintf("gallop: supervise: %q gives up over %q: %s", e.Supervisor, e.Child,
			guard.Text(e.Reason))
	}
	return fmt.Sprintf("%v: %q gives up over %q: %s", ErrIntensity, e.Supervisor, e.Child,
		guard.Text(e.Reason))
}

// Unwrap returns ErrIntensity, unless Decided, and, if there is one, Reason.
func (e *EscalationError) Unwrap() (all []error) {
	if e == nil {
		return nil
	}
	if !e.Decided {
		all = append(all, ErrIntensity)
	}
	if e.Reason != nil {
		all = append(all, e.Reason)
	}
	return all
}

// StartError says which child failed to start: see [StartWait], [StartChild] and [RestartChild].
type StartError struct {
	// Path is the path of the child from the root, as in "app/storage/disk".
	Path string
	// Reason is the error of OnStart, the panic, or any other reason why the child did not come up.
	Reason error
}

// Error implements error.
func (e *StartError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("gallop: supervise: %q did not start: %s", e.Path,
		shorten.Replace(guard.Text(e.Reason)))
}

// Unwrap returns Reason.
func (e *StartError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Reason
}
