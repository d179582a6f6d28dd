package inspect

import (
	"context"
	"errors"
	"time"

	"github.com/gallop-go/gallop/actor"
)

var (
	// ErrDeterministic says that the system is deterministic ([actor.WithDeterministic]), in which
	// State and Delay would change the order.
	ErrDeterministic = errors.New("gallop: inspect: not in a deterministic system")
	// ErrTooManyProbes says that a call of Delay comes too soon.
	ErrTooManyProbes = errors.New("gallop: inspect: too many probes")
)

// Inspector is implemented by states, or pointers to them, that can be shown. Inspect is called
// in the actor's turn, between two messages. What it returns must not share memory with the
// state, and is the actor's own choice of what is no secret. It must not block or change the
// state.
type Inspector interface {
	// Inspect returns what is to be shown, for example a map or a struct.
	Inspect() any
}

// Snapshot is an actor's state between two messages.
type Snapshot struct {
	Actor Actor // whose it is
	// GoType is the Go type of the state, and Bytes its size without what it points to.
	GoType string
	Bytes  int
	// Value is what Inspect has returned, or else the state's slog.LogValuer, resolved. It is nil
	// if the state implements neither, or the actor waits for its restart.
	Value any
}

// State shows the state of an actor: what the state, an [Inspector] or a slog.LogValuer, says of
// itself in a turn, ahead of the actor's mail. It reaches a muted actor too. It waits for the
// behaviour that runs, and returns ctx's error if ctx ends before, [actor.ErrStopped] if the
// actor has ended, or an error if Inspect panics. It panics if ref is zero, and must not be
// called from a behaviour.
func State(ctx context.Context, ref actor.AnyRef) (Snapshot, error) { return Snapshot{}, nil }

// Delay measures how long a message to the actor has to wait at the moment. It sends a probe,
// which takes its place behind the mail and runs nothing, and returns the time between. A probe
// is not counted as a message, mutes no actor and is refused by no bound; an actor with a bound
// ([actor.WithBound]) runs it ahead of what waits in its queue.
//
// There is at most one probe a second for an actor and 100 a second in a system, otherwise the
// error is ErrTooManyProbes. A probe wakes an actor that is idle, some microseconds of a worker.
// Other errors are as with [State].
func Delay(ctx context.Context, ref actor.AnyRef) (time.Duration, error) { return 0, nil }
