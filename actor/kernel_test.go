package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// Functions of package kernel that other packages of the module call, with the types of this
// package.

type Decision = kernel.Decision

const (
	DecideRestart  = kernel.Restart
	DecideResume   = kernel.Resume
	DecideStop     = kernel.Stop
	DecideEscalate = kernel.Escalate
)

// ChildDown has the layout of kernel.ChildDown.
type ChildDown struct {
	Ref      AnyRef
	ActorID  uint64
	Type     string
	Reason   error
	Final    bool
	Starting bool
	Decision Decision
}

// Decided returns the decision of Decide.
func (d ChildDown) Decided() Decision { return d.Decision }

// ChildUp has the layout of kernel.ChildUp.
type ChildUp struct{ Ref AnyRef }

// Care is kernel.ChildOptions.
type Care[T any] struct {
	Fell     Behaviour[T, ChildDown]
	Rose     Behaviour[T, ChildUp]
	Stop     func(c *Context, child AnyRef)
	Together bool
	Family   any
	Before   AnyRef
	Decide   func(reason error) Decision
	DropMail bool
	Backlog  int
	Path     string
}

func SpawnUnder[S, T any](c *Context, t *Type[S], init func(*S), o Care[T]) Ref[S] {
	all := kernel.ChildOptions{Down: kernel.AnyBehaviour(o.Fell).Descriptor(), Up: kernel.AnyBehaviour(o.Rose).Descriptor(), Together: o.Together,
		Family: o.Family, Before: kernel.AnyRef(o.Before), Decide: o.Decide, DropMail: o.DropMail,
		Backlog: o.Backlog, Path: o.Path}
	if o.Stop != nil {
		all.Stop = func(c *kernel.Turn, child kernel.AnyRef) { o.Stop(contextOf(c), AnyRef(child)) }
	}
	return Ref[S](kernel.SpawnUnder(c.kernel(), infoOf(t), init, all))
}

// SpawnSupervised spawns a child of the running actor, which supervises it. fell is called when the
// child fails.
func SpawnSupervised[S, T any](c *Context, t *Type[S], init func(*S),
	fell Behaviour[T, ChildDown]) Ref[S] {
	return SpawnUnder(c, t, init, Care[T]{Fell: fell})
}

func Suspend(from Sender, t Target) { targetOf("Suspend", t).Ref().Suspend(envOf(from)) }

func Restart(from Sender, t Target) { targetOf("Restart", t).Ref().Restart(envOf(from)) }

func WaitForRestart(ctx context.Context) context.Context { return kernel.WaitForRestart(ctx) }

func Postpone(from Sender, t Target) { targetOf("Postpone", t).Ref().Postpone(envOf(from)) }

func Standby(from Sender, t Target) { targetOf("Standby", t).Ref().PutOnStandby(envOf(from)) }

func DrainBehind(from Sender, t Target) {
	targetOf("DrainBehind", t).Ref().DrainBehindMail(envOf(from))
}

func FamilyOf(c *Context) any { return c.kernel().FamilyOf() }

func Seal[S any](t *Type[S]) error { return infoOf(t).SealOrError() }

func Simulated(h *sim.Hooks) Option {
	return systemOption(func(o *kernel.Options) { o.Hooks = h })
}

func (s *System) SimCounts() sim.Counts { return s.kernel().SimCounts() }

func Refuse[M any](from Sender, h Handler[M], m M, reason error) bool {
	x, ok := kernel.ReceiverOf(h)
	if ok {
		kernel.Refuse(from, x, m, reason)
	}
	return ok
}

func IsOf[S, M any](b Behaviour[S, M], t *Type[S]) bool {
	return kernel.AnyBehaviour(b).Descriptor().IsOf(infoOf(t))
}

func AskIsOf[S, Q, R any](b AskBehaviour[S, Q, R], t *Type[S]) bool {
	return kernel.AnyAsk(b).Descriptor().IsOf(infoOf(t))
}

func SameAsker[Q, R any](a, b Asker[Q, R]) bool { return kernel.SameAsker(a, b) }

func AskedActor[Q, R any](a Asker[Q, R]) (AnyRef, bool) {
	x, ok := kernel.ReceiverOf(a)
	return AnyRef(x.B.Ref()), ok
}
