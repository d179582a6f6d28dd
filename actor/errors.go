package actor

import (
	"context"
	"errors"
)

var (
	// ErrStopped says that the receiver has ended. Returned by TrySend, SendWait
	// and asks; the reason of dead letters. The error also wraps the reason for which
	// the receiver ended, if that is known by then and not normal: look for ErrStopped
	// first.
	ErrStopped = errors.New("gallop: actor stopped")
	// ErrShutdown is the reason of an actor that was told to end.
	ErrShutdown = errors.New("gallop: shut down")
	// ErrKilled is the reason of an actor that was killed.
	ErrKilled = errors.New("gallop: killed")
	// ErrOverloaded says that the receiver does not keep up. Returned by TrySend and,
	// for actors with a bound, by asks; the reason of dead letters of those.
	ErrOverloaded = errors.New("gallop: actor overloaded")
	// ErrDropped says that a message had to make room for a newer one. The reason of
	// dead letters of actors with OverflowDropOldest, and returned by asks of these.
	ErrDropped = errors.New("gallop: dropped for a newer message")
	// ErrPanicked says that the receiver panicked while it handled the request;
	// the error also wraps a *PanicError with the value. Returned by asks.
	ErrPanicked = errors.New("gallop: actor panicked")
	// ErrSelfAsk says that a behaviour asked its own actor, one with the same thread, or one that waits for it by an Ask of its
	// own, and would wait for itself for ever. Returned by Ask, AskAll and Replies.
	ErrSelfAsk = errors.New("gallop: actor asks itself")
	// ErrNoReply says that no reply came in time; it is context.DeadlineExceeded too. The
	// outcome of AskToWithin, and the reason of dead letters that are late replies.
	ErrNoReply error = noReply{}
	// ErrSystemStopped says that the system has stopped or is about to. Returned
	// by everything that needs it to run; the reason of dead letters.
	ErrSystemStopped = errors.New("gallop: system stopped")
)

// noReply is ErrNoReply.
type noReply struct{}

// Error implements error.
func (noReply) Error() string { return "gallop: no reply in time: context deadline exceeded" }

// Unwrap returns what Ask returns for a time-out.
func (noReply) Unwrap() error { return context.DeadlineExceeded }

// panicMisuse panics with what is wrong with whom. A call, which keeps a small program small.
//
//go:noinline
func panicMisuse(who, wrong string) { panic("gallop: " + who + wrong) }
