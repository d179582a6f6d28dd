package group

import (
	"fmt"
	"math"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// MemberSpec says how a pool starts its members and how they are restarted. S is their state.
//
// The members are children of a supervisor below the pool's actor. A member that fails, or ends by
// itself, is restarted in place, with a new state. If the supervisor is ended by order, the pool
// fails.
type MemberSpec[S any] struct {
	// Type is the actor type of the members. It is sealed, as by a spawn.
	Type *actor.Type[S]
	// Init makes a member's state from the zero state, at every start, in the member's own turn.
	// nil keeps the zero state.
	Init func(*S)
	// Backoff says how long a restart is delayed. The zero Backoff is the default of package
	// supervise: the first restart is at once.
	Backoff supervise.Backoff
	// Intensity limits the restarts of all members together. With one more the pool ends; the reason
	// is a *[supervise.EscalationError]. The zero Intensity sets no limit: only the back-off keeps
	// restarts rare. Escalate need not be set.
	Intensity supervise.Intensity
}

// tree returns the declaration of the supervisor of the members. It panics if something is wrong.
func (mc MemberSpec[S]) tree(call string) supervise.Spec {
	wrong := ""
	in := mc.Intensity
	in.Escalate = true
	if in.Restarts == 0 && in.Within == 0 {
		in.Restarts, in.Within = math.MaxInt, 1
	}
	spec := supervise.Spec{Name: "members", Strategy: supervise.SimpleOneForOne, Intensity: in,
		Template: supervise.Worker[S]{Type: mc.Type, Init: mc.Init, Backoff: mc.Backoff}}
	if mc.Type == nil {
		wrong = "without a Type"
	} else if err := spec.Check(); err != nil {
		wrong = strings.TrimPrefix(err.Error(), guard.Text(supervise.ErrBadChild))
		wrong = "that is wrong" + strings.TrimPrefix(wrong, `: "members": ""`)
	}
	if wrong != "" {
		panic("gallop: group: " + call + " with a MemberSpec " + wrong)
	}
	return spec
}

// mustSuit panics if a behaviour was not declared for the type of the members.
func mustSuit[S any](call string, behaviour *kernel.Descriptor, typ *actor.Type[S]) {
	if !behaviour.IsOf((*kernel.AnyType)(typ).Info()) {
		panic("gallop: group: " + call +
			" with a Behaviour that was not declared for the Type of the MemberSpec")
	}
}

// mustBeSize panics if n is no valid number of members.
func mustBeSize(call string, n int) {
	if n < 1 {
		panic(fmt.Sprintf("gallop: group: %s: %d members: want at least 1", call, n))
	}
}
