package actor

import (
	"github.com/gallop-go/gallop/internal/guard"
)

// PanicReport describes a behaviour, or a process, that panicked or called runtime.Goexit.
type PanicReport struct {
	// ActorID and Type are those of the actor. For a process, Type is its own (process.WithType)
	// or "process".
	ActorID uint64
	Type    string
	Name    string // as in ActorName; "" if the actor has none
	Path    string // the same
	// Behaviour is the name of the behaviour or of the callback: init, OnStart, OnStop, Stop. It is
	// empty for a process, and for a collection of the actor's heap.
	Behaviour string
	// MessageID is the number, in the table of the type, of the behaviour that the message
	// was for; 0 in a callback or a collection.
	MessageID uint16
	// From is the number of the actor that sent the message; 0 if it came from outside.
	From uint64
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit reports whether the behaviour called runtime.Goexit, as a failing test does.
	Goexit bool
	// Frame is the user's own frame: the first on the stack that belongs neither to Go's
	// library nor to gallop, since gallop may have panicked because of a wrong call. If there is
	// no such frame, it is the first of gallop's. Its form is the function, a space, and file and
	// line. It is empty for a Goexit.
	Frame string
	// Stack is the goroutine's stack, beginning with the frame that panicked. If a deferred
	// function has panicked again, it begins with the frame that panicked first.
	Stack []byte
}

// PanicError is the error of an ask whose behaviour panicked, and the reason for which
// the actor ended. It wraps ErrPanicked, and the value if that is an error.
type PanicError struct {
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit says whether the behaviour called runtime.Goexit.
	Goexit bool
	// Stack is the goroutine's stack, beginning with the frame that panicked; empty for
	// a Goexit.
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.Goexit:
		return "gallop: actor panicked: runtime.Goexit"
	}
	return "gallop: actor panicked: " + guard.Text(e.Value)
}

// Unwrap returns ErrPanicked and, if the panic's value is an error, that error.
func (e *PanicError) Unwrap() []error {
	if e == nil {
		return nil
	}
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanicked, err}
	}
	return []error{ErrPanicked}
}
