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
	// ErrDeterministic is the error of State and Delay in a deterministic system
	// ([actor.WithDeterministic]), where they would change the order of messages.
	ErrDeterministic = errors.New("gallop: inspect: not in a deterministic system")
	// ErrTooManyProbes is the error of a call of Delay that comes too soon.
	ErrTooManyProbes = errors.New("gallop: inspect: too many probes")
)

// Inspector has the methods of observe.Inspector.
type Inspector interface{ Inspect() any }

// Snapshot is an actor's state between two messages.
type Snapshot struct {
	Actor Actor // the inspected actor
	// GoType is the Go type of the state, and Bytes its size without memory that it points to.
	GoType string
	Bytes  int
	// Value is the result of Inspect, or else the resolved slog.LogValuer of the state. It is nil
	// if the state implements neither, or if the actor waits for its restart.
	Value any
}

// State returns the state of an actor, as the state's [Inspector] or slog.LogValuer shows it. The
// actor runs that method in a turn, ahead of its mail, even if it is muted. State waits for a
// running behaviour. It returns ctx's error if ctx ends first, [actor.ErrStopped] if the actor has
// ended, or an error if Inspect panics. It panics if ref is zero, and must not be called from a
// behaviour.
func State(ctx context.Context, ref actor.AnyRef) (Snapshot, error) {
	at := cellOf("State", ref)
	if at.Sys().Sim != nil {
		return Snapshot{}, ErrDeterministic
	}
	s := Snapshot{Actor: describe(at.Ref()), GoType: stateType(at.Typ()), Bytes: stateBytes(at.Typ())}
	value, err := await(ctx, "State", func(done chan<- answer) {
		at.Ref().LookAtState(func(state any, err error) {
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

// answer is the result of a signal.
type answer struct {
	value any
	err   error
}

// await calls send, which must put one answer into done, and waits for the answer.
func await(ctx context.Context, call string, send func(done chan<- answer)) (any, error) {
	if ctx == nil {
		panic("gallop: inspect." + call + " with a nil context: use context.Background")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	done := make(chan answer, 1) // buffered: the actor does not wait for a caller that has given up
	send(done)
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// shown returns the value that a state shows. It runs in the actor's turn, which neither a panic
// nor a Goexit may end.
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

// Delay measures how long a message to the actor has to wait at the moment. It sends a probe, which
// waits after the mail and runs nothing, and returns the time from sending to running. A probe does
// not count as a message, mutes no actor and is refused by no bound.
//
// At most one probe a second is sent to an actor, and 100 a second in a system. Further calls
// return ErrTooManyProbes. A probe wakes an idle actor, which takes a worker some microseconds. The
// other errors are the same as for [State].
func Delay(ctx context.Context, ref actor.AnyRef) (time.Duration, error) {
	at := cellOf("Delay", ref)
	if at.Sys().Sim != nil {
		return 0, ErrDeterministic
	}
	if !probes.mayProbe(at.Ref(), time.Now()) {
		return 0, ErrTooManyProbes
	}
	took, err := await(ctx, "Delay", func(done chan<- answer) {
		begin := time.Now()
		at.Ref().Probe(func(err error) { done <- answer{time.Since(begin), err} })
	})
	if err != nil {
		return 0, err
	}
	return took.(time.Duration), nil
}
