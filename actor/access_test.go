package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/sim"
)

// The functions of package access, with types, for the tests here.

// Decision is access.Decision.
type Decision = access.Decision

const (
	DecideRestart  = access.Restart
	DecideResume   = access.Resume
	DecideStop     = access.Stop
	DecideEscalate = access.Escalate
)

// Decided returns the decision of Decide.
func (d ChildDown) Decided() Decision { return d.decision }

// Care is access.ChildOptions.
type Care[T any] struct {
	Fell     Behaviour[T, ChildDown]
	Rose     Behaviour[T, access.ChildUp]
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
	all := access.ChildOptions{Down: o.Fell, Together: o.Together, Family: o.Family, Before: o.Before,
		DropMail: o.DropMail, Backlog: o.Backlog, Path: o.Path}
	if o.Rose.d != nil {
		all.Up = o.Rose
	}
	if o.Stop != nil {
		all.Stop = func(c, child any) { o.Stop(c.(*Context), child.(AnyRef)) }
	}
	if o.Decide != nil {
		all.Decide = func(reason error) access.Decision { return access.Decision(o.Decide(reason)) }
	}
	r, _ := As[S](access.SpawnUnder(c, t, init, all).(AnyRef))
	return r
}

func WaitForRestart(ctx context.Context) context.Context { return access.WaitForRestart(ctx) }

func Postpone(from Sender, t Target) { access.Postpone(from, t) }
func Standby(from Sender, t Target)  { access.Standby(from, t) }
func FamilyOf(c *Context) any        { return access.FamilyOf(c) }
func Seal[S any](t *Type[S]) error   { return access.Seal(t) }

func Simulated(h *sim.Hooks) Option     { return sim.Option(h).(Option) }
func (s *System) SimCounts() sim.Counts { return sim.CountsOf(s) }
func Refuse[M any](from Sender, h Handler[M], m M, reason error) bool {
	return access.Refuse(from, h, &m, reason)
}
func IsOf[S, M any](b Behaviour[S, M], t *Type[S]) bool             { return access.IsOf(b, t) }
func AskIsOf[S, Q, R any](b AskBehaviour[S, Q, R], t *Type[S]) bool { return access.IsOf(b, t) }
func SameAsker[Q, R any](a, b Asker[Q, R]) bool {
	return access.SameAskTarget(a, b)
}
func AskedActor[Q, R any](a Asker[Q, R]) (AnyRef, bool) {
	r, ok := access.AskTarget(a)
	return r.(AnyRef), ok
}
