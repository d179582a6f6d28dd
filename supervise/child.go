package supervise

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// State is the state of a child, as its supervisor sees it.
type State uint8

// The states of a child.
const (
	// Pending: it waits for older siblings to come up, or for the group restart to go on.
	Pending State = iota
	// Starting: it was told to start.
	Starting
	// Running: it is up.
	Running
	// Suspending: it is being suspended for a group restart.
	Suspending
	// BackingOff: it waits for its back-off.
	BackingOff
	// Stopping: it was told to end.
	Stopping
	// Stopped: it has ended, and the supervisor keeps its declaration.
	Stopped
	states
)

// String returns the name of the state, in lower case.
func (s State) String() string {
	return nameIn(int(s), "pending", "starting", "running", "suspending", "backing off", "stopping",
		"stopped")
}

// up reports whether the child has to be suspended before it can be restarted.
func (s State) up() bool { return s == Starting || s == Running }

// child is a child of a supervisor, from its declaration until it is forgotten. Owner: the
// supervisor. Siblings read ref and removed, under the lock of the nameTable.
type child struct {
	spec     *childSpec
	name     string
	ref      actor.AnyRef // zero: not spawned yet, or its actor has ended
	state    State
	restarts int

	// declared: in the Children of the supervisor's Spec.
	declared bool
	// removed: the supervisor forgets it when it has ended.
	removed bool
	// excluded from group restarts: it was stopped by StopChild, or has given up.
	excluded bool
	// failed: since it was last up.
	failed bool
	// wasUp: it has been up at least once.
	wasUp bool
	// startBlocked: it is a supervisor in state Starting, and one of its children waits for its
	// back-off.
	startBlocked bool
	// nameAwaited: a StartChild of the same name waits until it has ended.
	nameAwaited bool
	// killed: while Suspending. Only the end of its actor counts then, and not its suspension.
	killed bool
	// leaving: it is no member of its pool any more, and handles the mail that is left.
	leaving bool

	member       int       // its index, if it is a member of a pool
	consecutive  int       // failures since it was last calm: see Backoff
	upSince      time.Time // zero: it is not up
	lastReason   error
	timer        actor.Timer // of its back-off, or of its stop deadline
	older, newer *child
	seq          uint64     // grows with each child that is added
	left, right  *child     // in the childIndex
	below        *nameTable // of its children, if it is a supervisor
	cold         *coldState // nil: not needed yet
}

// coldState is the part of a child's state that most children do not need. Only a child that fails
// or ends, or that is started, stopped or restarted on request, has one.
type coldState struct {
	window   restartWindow // of a child with its own Intensity
	logged   bool          // its last failure was
	lastTime time.Time     // of its last failure or end

	// request is the StartChild that waits for it to come up; nil: none.
	request *startRequest
	// restartReplies are the callers of RestartChild, until the child is up.
	restartReplies []actor.Deferred[struct{}]
	// stopReplies are the callers of StopChild, until the child has ended.
	stopReplies []actor.Deferred[struct{}]
	wasStopped  bool  // before RestartChild
	startErr    error // for callers that wait for its start
}

// makeCold returns the coldState, and makes it at the first call.
func (ch *child) makeCold() *coldState {
	if ch.cold == nil {
		ch.cold = new(coldState)
	}
	return ch.cold
}

// markDown notes that a child is no longer up, for any reason. If it was up for long enough, its
// next failure counts as a first one.
func (ch *child) markDown(now time.Time) {
	if !ch.upSince.IsZero() && ch.spec.backoff.calm(now.Sub(ch.upSince)) {
		ch.consecutive = 0
	}
	ch.upSince = time.Time{}
}

// kill kills a child that is being suspended or stopped.
func (ch *child) kill(c *actor.Context) {
	ch.killed = true
	actor.Kill(c, ch.ref)
}

// whyNoActor returns why a child has no actor, for an error text.
func (ch *child) whyNoActor() string {
	if ch.state == Pending && ch.lastReason == nil && ch.restarts == 0 {
		return "has not started yet"
	}
	return "is " + ch.state.String()
}
