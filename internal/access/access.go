// Package access lets the packages supervise and group call functions that package actor does not
// export.
// Package actor sets the variables when it is initialised. The types of package actor cannot be
// named here, so the parameters are of type any; the comment of each variable names the types. A
// value of another type panics.
package access

import (
	"context"

	"github.com/gallop-go/gallop/internal/loglimit"
)

// ChildOptions are a supervisor's options for one child.
type ChildOptions struct {
	// Down is a Behaviour[T, actor.ChildDown] of the supervisor. It is called when the child fails:
	// see actor.SpawnSupervised.
	Down any
	// Up is a Behaviour[T, ChildUp] of the supervisor. It is called whenever the child is up, by a
	// message that overtakes ordinary mail. It may be nil.
	Up any
	// Stop tells the child to end when the supervisor ends, is suspended or restarts, and is not
	// killed. It is called with the supervisor's *actor.Context and the child's actor.AnyRef, in
	// the supervisor's turn. It must not wait, and must see to it that the child ends. If Stop is
	// nil, the child is told to end as its supervisor was.
	Stop func(c, child any)
	// Together: the child need not wait for its younger siblings to end. When the first child with
	// this mark is told to end, all of them are.
	Together bool
	// Family is the result of FamilyOf for the child.
	Family any
	// Before is the actor.AnyRef of a child of the supervisor, or nil. The new child takes the
	// place before it, as if it were older: it is told to end later.
	Before any
	// Decide makes the decision for a child when a behaviour panics or exits with an error, when
	// init or OnStart fails, or when a linked actor fails. Its argument is the reason. It is not
	// called for normal ends, for Suspend, Restart and orders to end, nor while the child drains.
	// It runs in the child's turn, before anything of the life is lost, perhaps on another worker
	// than the supervisor's: so it must not use the supervisor's state, and must not wait. If it
	// panics itself, or is nil, the decision is Restart.
	Decide func(reason error) Decision
	// Restarts reports whether the child may come up again after it has fallen for the reason, by
	// itself and not by an order. nil: it may. It must be quick, and must not panic.
	Restarts func(reason error) bool
	// DropMail makes dead letters of the mail that waits for the child when it is restarted.
	DropMail bool
	// Backlog is how many ordinary messages are kept that come while the child is in a back-off,
	// from Postpone on: 1,000 if it is 0, none if it is negative. Messages that waited before do
	// not count. Further ones become dead letters with the reason actor.ErrSuspended.
	Backlog int
	// Path names the child in reports and logs, for example "shop/users/bob". It may be empty.
	Path string
}

// Decision is the fate of a supervised actor that is about to fail. Package supervise has the same
// type, exported, with more documentation.
type Decision uint8

// The decisions.
const (
	Restart  Decision = iota // suspends the actor, and tells its supervisor
	Resume                   // lets it go on with its state
	Stop                     // ends it for good
	Escalate                 // suspends it; its supervisor is to fail as well
)

// ChildUp is the message by which a supervisor learns that an actor is up: that OnStart has
// returned without an error.
type ChildUp struct {
	Ref any // an actor.AnyRef
}

// MemberNews is a supervisor's message to a pool about its members.
type MemberNews struct {
	Size    int // the number of members
	Changed []Member
	// Leaving are the actors of members that leave, each an actor.AnyRef. The pool sends them
	// nothing more, and then has them drained: see DrainBehind.
	Leaving []any
	Err     error // not nil: the supervisor has given up
}

// Member is one member of a pool.
type Member struct {
	Index int
	Ref   any  // an actor.AnyRef
	Down  bool // it waits for its back-off
}

var (
	// SpawnUnder is actor.SpawnSupervised with options. It is called with a *actor.Context, a
	// *actor.Type[S] and a func(*S), and returns an actor.AnyRef. It also panics if Before is not a
	// child of the running actor.
	SpawnUnder func(c, typ, init any, o ChildOptions) (ref any)

	// DecisionOf returns the result of Decide for an actor.ChildDown: Restart if Decide was not
	// called.
	DecisionOf func(childDown any) Decision

	// Postpone says that a suspended actor is in a back-off: it will be restarted later. It is
	// called with an actor.Sender and an actor.Target.
	Postpone func(from, child any)

	// Standby says that a suspended actor will be restarted as soon as others before it are up,
	// none of which is in a back-off as far as is known. The actor no longer holds the system, as
	// with Postpone, but its mail waits as with an immediate restart. Postpone may follow.
	Standby func(from, child any)

	// DrainBehind tells an actor to drain when the mail that it has by then has run. Until the
	// actor comes to that, it takes mail, and may fall and be restarted: the order keeps its place.
	// Mail that the caller has sent to the actor comes before it. It is called with an actor.Sender
	// and an actor.Target.
	DrainBehind func(from, to any)

	// StartMembers starts a supervisor for the members of a pool: a child of the running actor,
	// with as many children as size says. It is called with a *actor.Context and a supervise.Spec
	// with a Template, and returns a supervise.Supervisor. tell is called with the *actor.Context
	// of the supervisor, in its turn, and must not wait. Members end as the pool ends: stopped or
	// drained. Package supervise sets it, and ResizeMembers.
	StartMembers func(c, spec any, size int, tell func(c any, news MemberNews)) (members any)
	// ResizeMembers changes the number of members. It is called with an actor.Sender and the result
	// of StartMembers.
	ResizeMembers func(from, members any, size int)

	// PathOf returns the ChildOptions.Path of the running actor, or "". It is called with a
	// *actor.Context.
	PathOf func(c any) string

	// FamilyOf returns the ChildOptions.Family of the running actor, or nil. It is called with a
	// *actor.Context.
	FamilyOf func(c any) any

	// Seal seals an *actor.Type[S]. Its error describes a mistake in the dispatch table.
	Seal func(typ any) error

	// Unrefused says that the messages of an actor.Behaviour, or all messages of an *actor.Type[S],
	// are the runtime's own, as the end of a child is: a supervisor that missed it would wait for
	// ever. An error that an interceptor returns for such a message is logged, and the message
	// runs.
	Unrefused func(of any)

	// WaitForRestart is supervise.WaitForRestart.
	WaitForRestart func(ctx context.Context) context.Context

	// Guard calls f, which is a user's function, in a goroutine and waits for it. A panic or a
	// runtime.Goexit in f is logged, with the name of the hook, and has no other effect. It is
	// called with an *actor.System.
	Guard func(sys any, hook string, f func())

	// MustBeSender panics, as a send does, unless from is an actor.Sender that can be sent from.
	MustBeSender func(from any)
	// MayLog counts a line of the log of an *actor.System that many actors may cause at once, and
	// reports whether it is to be written: see loglimit.Limit.Next.
	MayLog func(sys any, k loglimit.Key) (soFar uint64, write bool)

	// PassOn makes everything that the running behaviour sends carry the context that its message
	// came with, if any. It is called with a *actor.Context.
	PassOn func(c any)

	// Refuse makes a dead letter of a message to an actor.Handler[M], which is not sent. It is
	// called with an actor.Sender, the handler, and a *M. It reports false, and has done nothing,
	// unless Behaviour.To has made the handler.
	Refuse func(from, handler, message any, reason error) bool

	// IsOf reports whether an actor.Behaviour or actor.AskBehaviour was declared for an
	// *actor.Type.
	IsOf func(behaviour, typ any) bool

	// AskTarget returns the actor.AnyRef of a target that AskBehaviour.To has made. It reports
	// false for anything else.
	AskTarget func(to any) (ref any, ok bool)

	// SameAskTarget reports whether a and b are equal, or lead to the same behaviour of the same
	// actor: AskBehaviour.To returns a new value at each call.
	SameAskTarget func(a, b any) bool
)
