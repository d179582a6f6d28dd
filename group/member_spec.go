package group

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// ErrRestarts says that the members of a pool failed more often than its [MemberSpec] allows. It is
// the reason with which the pool then ends, and wraps the reason of the last failure.
var ErrRestarts = errors.New("gallop: group: the members of a pool fail too often")

// MemberSpec says how a pool starts its members and how it restarts them. S is their state.
type MemberSpec[S any] struct {
	// Type is the actor type of the members. It is sealed, as by a spawn.
	Type *actor.Type[S]
	// Init makes a member's state from the zero state, at every start, in the member's own turn.
	// nil keeps the zero state.
	Init func(*S)
	// Backoff is the time from a member's first failure to its restart: 100 ms if it is 0, and none
	// if it is negative. It doubles with every consecutive failure, up to MaxBackoff: 30 s if that
	// is 0, but at least Backoff. When a member has been up for MaxBackoff, its next failure counts
	// as a first one again. A quarter of each time is random.
	Backoff, MaxBackoff time.Duration
	// Restarts is how many failures of all members together are allowed within a span of Within.
	// With one more the pool ends, with the reason [ErrRestarts]. If Within is 0, there is no
	// limit: only the back-off keeps restarts rare.
	Restarts int
	Within   time.Duration
}

// memberSpec is a MemberSpec that was checked, independent of its state type. Read-only.
type memberSpec struct {
	spawn               func(c *actor.Context, o access.ChildOptions) actor.AnyRef
	backoff, maxBackoff time.Duration
	restarts            int
	within              time.Duration
}

// check returns the checked form of a MemberSpec. It panics if something is wrong.
func (mc MemberSpec[S]) check(call string) *memberSpec {
	wrong := ""
	switch {
	case mc.Type == nil:
		wrong = "without a Type"
	case mc.MaxBackoff < 0 || mc.Within < 0:
		wrong = "with a negative time"
	case mc.Restarts < 0 || mc.Restarts > 0 && mc.Within == 0:
		wrong = fmt.Sprintf("with %d Restarts in %v", mc.Restarts, mc.Within)
	default:
		if err := access.Seal(mc.Type); err != nil {
			wrong = "whose Type is wrong: " + strings.TrimPrefix(err.Error(), "gallop: ")
		}
	}
	if wrong != "" {
		panic("gallop: group: " + call + " with a MemberSpec " + wrong)
	}
	init := mc.Init
	if init == nil {
		init = func(*S) {}
	}
	made := &memberSpec{backoff: mc.Backoff, maxBackoff: mc.MaxBackoff, restarts: mc.Restarts,
		within: mc.Within}
	if made.backoff == 0 {
		made.backoff = 100 * time.Millisecond
	}
	if made.maxBackoff == 0 {
		made.maxBackoff = 30 * time.Second
	}
	made.maxBackoff = max(made.maxBackoff, made.backoff)
	made.spawn = func(c *actor.Context, o access.ChildOptions) actor.AnyRef {
		return access.SpawnUnder(c, mc.Type, init, o).(actor.AnyRef)
	}
	return made
}

// restartDelay returns the delay of the restart after the nth consecutive failure, counted from 1.
// chance is a random number from 0, for the longest delay, to 1.
func (spec *memberSpec) restartDelay(n int, chance float64) time.Duration {
	d := max(spec.backoff, 0)
	for ; n > 1 && d < spec.maxBackoff; n-- {
		d *= 2
	}
	d = min(d, spec.maxBackoff)
	return d - time.Duration(float64(d)/4*chance)
}

// mustBeSize panics if n is no valid number of members.
func mustBeSize(call string, n int) {
	if n < 1 {
		panic(fmt.Sprintf("gallop: group: %s: %d members: want at least 1", call, n))
	}
}
