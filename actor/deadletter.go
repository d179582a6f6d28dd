package actor

import (
	"context"
)

// DeadLetter is a message that was sent and will not run.
type DeadLetter struct {
	// ActorID is the number of the receiver, and Type the name of its type.
	ActorID uint64
	Type    string
	// Name and Path are those of the receiver, as in [ActorName]; "" if it has none.
	Name string
	Path string
	// Behaviour is the name of the behaviour for which the message was sent; "" if the receiver
	// is a process.
	Behaviour string
	// BestEffort reports that the behaviour was declared with [BestEffort]: such a dead letter is
	// expected in a healthy service.
	BestEffort bool
	// From is the number of the actor that sent it; 0 if it came from outside.
	From uint64
	// Message is the payload; for a request, the request alone.
	Message any
	// Reason is the reason why the message will not run:
	//
	//   - ErrStopped or ErrSystemStopped;
	//   - ErrDeadlock, for a request;
	//   - ErrOverloaded or ErrDropped, for an actor with a bound;
	//   - ErrOverloaded, for a behaviour that is [DropOnOverload];
	//   - ErrSuspended, for an actor in a back-off (package supervise);
	//   - ErrRestarted, for mail that is not kept over a restart (package supervise), for a request
	//     whose caller has given up before the restart, and for an outcome for which an earlier
	//     life of the actor has asked;
	//   - ErrNoReply, for an outcome that came after its time ([Within]);
	//   - the context's error, for a message with a context that had ended
	//     ([Context.SetContext]).
	Reason error
	// Context is the context of the message, or of the caller of the request. It may have ended.
	// It is nil if there is none.
	Context context.Context
}
