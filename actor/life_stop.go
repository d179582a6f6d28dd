package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Target is an actor of any type: a [Ref] or an [AnyRef]. No other type can implement
// it.
type Target interface {
	target() *kernel.Cell
}

// Stop ends an actor, from anywhere, with the reason [ErrShutdown]. It does not wait.
// It panics if t is a zero Ref. Stopping an actor that has ended does nothing.
//
// The actor ends after the message that it is handling. Its children are stopped first,
// the youngest before the older ones. Messages that are left in its mailbox, and later
// messages, become dead letters; requests among them are answered with an error that is
// ErrStopped and the reason.
//
// Stop overtakes the mail of the actor. It reaches a muted or suspended actor too.
func Stop(from Sender, t Target) {
	targetOf("Stop", t).Tell(envOf(from), kernel.StopRequest{Mode: kernel.ModeStop, Why: ErrShutdown})
}

// StopWith is [Stop] with another reason. A nil reason means a normal end.
func StopWith(from Sender, t Target, reason error) {
	targetOf("StopWith", t).Tell(envOf(from), kernel.StopRequest{Mode: kernel.ModeStop, Why: reason})
}

// Drain ends an actor after the mail that is in its mailbox by then. Stashed messages
// that it unstashes meanwhile run, too. Later messages become dead letters. When the
// mail has run, its children are drained, the youngest first. In all else Drain is like
// [Stop], which may follow it if it takes too long.
//
// A suspended actor runs no mail: for it Drain is Stop. A child that drains is not
// muted, and is released if it was muted, because the receiver may be waiting for its
// end.
func Drain(from Sender, t Target) {
	targetOf("Drain", t).Tell(envOf(from), kernel.StopRequest{Mode: kernel.ModeDrain, Why: ErrShutdown})
}

// Kill ends an actor, with the reason [ErrKilled], at the next [Context.Checkpoint] of
// the running behaviour, or else after that behaviour; and so its children, the
// youngest first. OnStop does not run, and neither links nor supervisors can object. In
// all else Kill is like [Stop].
//
// If a behaviour panics while a Kill is pending, in a [Context.Shield] or not, the panic
// comes first. The effect of the Kill then depends on the actor:
//
//   - An actor that had nothing to wait for has ended by then, for the panic and with
//     its OnStop.
//   - An actor that waits for its children ends killed, without OnStop.
//   - A supervised actor has fallen for the panic and ends killed, without a restart in
//     between.
func Kill(from Sender, t Target) {
	targetOf("Kill", t).Tell(envOf(from), kernel.StopRequest{Mode: kernel.ModeKill, Why: ErrKilled})
}

// StopWait is [Stop] from outside that blocks until the actor and its children have
// ended, and returns nil then. If ctx ends first it returns ctx's error, and the actor
// ends when it can. If the system stops first it returns ErrSystemStopped. It panics if
// a behaviour or a process of any system calls it.
func StopWait(ctx context.Context, t Target) error {
	return endWait(ctx, "StopWait", t, kernel.StopRequest{Mode: kernel.ModeStop, Why: ErrShutdown})
}

// DrainWait is [Drain] that waits for the end, as [StopWait] does.
func DrainWait(ctx context.Context, t Target) error {
	return endWait(ctx, "DrainWait", t, kernel.StopRequest{Mode: kernel.ModeDrain, Why: ErrShutdown})
}

// KillWait is [Kill] that waits for the end, as [StopWait] does.
func KillWait(ctx context.Context, t Target) error {
	return endWait(ctx, "KillWait", t, kernel.StopRequest{Mode: kernel.ModeKill, Why: ErrKilled})
}

func endWait(ctx context.Context, call string, t Target, o kernel.StopRequest) error {
	return targetOf(call, t).Ref().EndWait(ctx, call, o)
}
