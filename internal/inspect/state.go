package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
)

var (
	// ErrDeterministic says that the system is deterministic ([actor.WithDeterministic]), in which
	// State and Delay would change the order.
	ErrDeterministic = errors.New("gallop: inspect: not in a deterministic system")
	// ErrTooManyProbes says that a call of Delay comes too soon.
	ErrTooManyProbes = errors.New("gallop: inspect: too many probes")
)

// Inspector is observe.Inspector.
type Inspector interface{ Inspect() any }

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
func State(ctx context.Context, ref actor.AnyRef) (Snapshot, error) {
	in := ofActor("State", ref)
	if in.IsDeterministic() {
		return Snapshot{}, ErrDeterministic
	}
	s := Snapshot{Actor: describe(in, ref)}
	s.GoType, s.Bytes = in.StateType(ref)
	value, err := await(ctx, "State", func(done chan<- answer) {
		in.LookAtState(ref, func(state any, err error) {
			a := answer{err: err}
			if err == nil {
				a.value, a.err = shown(state)
			}
			done <- a
		})
	})
	s.Value = value
	return s, err
}

// answer is what came of a signal.
type answer struct {
	value any
	err   error
}

// await calls send, which sees to it that done gets one answer, and waits for that.
func await(ctx context.Context, call string, send func(done chan<- answer)) (any, error) {
	if ctx == nil {
		panic("gallop: inspect." + call + " with a nil context: use context.Background")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	done := make(chan answer, 1) // the actor does not wait for a caller that has given up
	send(done)
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// shown returns what a state says of itself. It runs in the actor's turn, which neither a panic nor
// a Goexit must end.
func shown(state any) (v any, err error) {
	var ask func()
	switch s := state.(type) {
	case Inspector:
		ask = func() { v = s.Inspect() }
	case slog.LogValuer:
		ask = func() { v = s.LogValue().Resolve() }
	default:
		return nil, nil
	}
	if f := guard.Apart(ask); f != nil {
		return nil, fmt.Errorf("gallop: inspect.State: %T panicked: %v", state, f)
	}
	return v, nil
}

// Delay measures how long a message to the actor has to wait at the moment. It sends a probe,
// which takes its place behind the mail and runs nothing, and returns the time between. A probe
// is not counted as a message, mutes no actor and is refused by no bound.
//
// There is at most one probe a second for an actor and 100 a second in a system, otherwise the
// error is ErrTooManyProbes. A probe wakes an actor that is idle, some microseconds of a worker.
// Other errors are as with [State].
func Delay(ctx context.Context, ref actor.AnyRef) (time.Duration, error) {
	in := ofActor("Delay", ref)
	if in.IsDeterministic() {
		return 0, ErrDeterministic
	}
	if !probes.mayProbe(ref, time.Now()) {
		return 0, ErrTooManyProbes
	}
	took, err := await(ctx, "Delay", func(done chan<- answer) {
		begin := time.Now()
		in.Probe(ref, func(err error) { done <- answer{time.Since(begin), err} })
	})
	if err != nil {
		return 0, err
	}
	return took.(time.Duration), nil
}
