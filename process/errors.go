package process

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/sched"
)

var (
	// ErrStopped is the reason of a process that was unwound because its system stopped, and
	// the error of calls that come too late.
	ErrStopped = errors.New("gallop: process system stopped")
	// ErrKilled is the reason of a process that was killed.
	ErrKilled = errors.New("gallop: process killed")
	// ErrNoProcess is the reason that a link or monitor reports for a process that had ended
	// before, and the error of Call for such a process.
	ErrNoProcess = errors.New("gallop: no such process")
	// ErrOverloaded says that a mailbox with a bound is full. It is returned by TrySend, and it is the
	// reason of dead letters that package process/actors hands on.
	ErrOverloaded = errors.New("gallop: mailbox of the process is full")
	// ErrTimeout says that no reply came in time: see [Within].
	ErrTimeout = errors.New("gallop: no reply in time")
	// ErrNameTaken says that another process has the name. It is returned by Register.
	ErrNameTaken = errors.New("gallop: name taken")
)

// LinkedError is the reason of a process that ended because a linked one did.
type LinkedError struct {
	// From is the process that ended first.
	From Process
	// Reason is its reason, which Unwrap returns.
	Reason error
}

// Error implements error.
func (e *LinkedError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("gallop: linked process %v: %s", e.From, guard.Text(e.Reason))
}

// Unwrap returns Reason.
func (e *LinkedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Reason
}

// Panicked returns the value with which a process panicked, if that is its reason, or that of the
// process it was linked to.
func Panicked(reason error) (value any, ok bool) {
	var c *sched.Crash
	if errors.As(reason, &c) && !c.Goexit {
		return c.Value, true
	}
	return nil, false
}
