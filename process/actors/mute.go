package actors

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/sched"
)

// WithMuting mutes the actors that send to a process while its mailbox is full, as
// actor.OverflowMute does: the message is let in, and the actor that has sent it by [Env] is muted
// when its behaviour returns, until the process has made room. It goes with process.WithBound or
// process.WithWatermarks, which say when the mailbox is full; Spawn panics without either. Without
// WithMuting, what a behaviour sends to a full mailbox is refused by a bound, and let in by
// watermarks. TrySend is refused in any case.
//
// The mailbox exceeds the bound by what behaviours send in a turn each, at most; when the first of
// them finds it full, each of their turns ends with that message. Actors that are never muted, such
// as those that are overloaded themselves, exceed it by more; and so do others while the worker
// that has the turn of [Ref] has lost its processor.
//
// A process takes what matches. While it waits in a receive, and has looked at all there is, no
// actor is muted for it. But while it waits for something else than a message, and the mailbox is
// full, a muted actor cannot bring that: say, it answers a [Call] of the process. The actor that
// stands for the process ([Ref]) applies pressure meanwhile, so this is found as with
// actor.Context.ApplyPressure: those that wait are let go for the mail that they have, for the
// first time within a tenth of a second, again and again, and an actor.PressureDeadlock is reported
// if nothing else could go on.
//
// A process whose mailbox is full is not suspended when it sends to an actor that is overloaded, as
// an actor under pressure is not muted.
//
// It costs a proxy, when the mailbox is full for the first time, and two messages to that each time
// that it becomes full and has room again.
func WithMuting() process.Option { return access.MuteOption(muteSender).(process.Option) }

// muteSender mutes the actor whose turn w runs for the proxy of a process.
func muteSender(of, w any, first bool, look access.Look) {
	c := w.(*sched.Worker).Local().(*actor.Context)
	h := proxyOf(c, of.(process.Process))
	if first {
		g := gauge{of.(process.Process), look}
		_ = h.b.gauge.TrySend(c, h.ref, g) // an error: it ends, and so does the process
	}
	access.MuteFor(c, h.ref.Any())
}

// gauge has the proxy of a process look at its mailbox.
type gauge struct {
	of   process.Process
	look access.Look
}

// lookAt applies pressure while the mailbox of the process is crowded. A gauge that comes late, in the
// life of the proxy of a child that has another process, says nothing of that one's mailbox.
func (p *Proxy) lookAt(k *proxies, c *actor.Context, g gauge) {
	if p.of != g.of {
		return
	}
	ref, sys := actor.Self[Proxy](c), c.System()
	if g.look(func(by any) {
		r, _, _ := access.RunningOf(by)
		// What is urgent passes every gate.
		s := access.ProcessSender(sys, inReceive{r}, nil).(actor.Sender)
		_ = k.gauge.TrySend(s, ref, g) // an error: as above
	}) {
		c.ApplyPressure()
	} else {
		c.ReleasePressure()
	}
}

// inReceive is a process in the middle of a receive: what it sends there is no operation, at which
// it would yield, or be unwound and lose the message.
type inReceive struct{ access.Running }

// Operation implements access.Running.
func (inReceive) Operation(string) {}
