package supervise

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// State is the state of a child, as its supervisor sees it.
type State uint8

// The states of a child.
const (
	// it waits for older siblings, or for those that have to go down
	Pending    State = iota
	Starting         // it has been told to start
	Running          // it is up
	Falling          // it is being taken down with others
	BackingOff       // it waits until its restart is due
	Stopping         // it has been told to end
	Stopped          // it has ended, and is known still
	states
)

// String returns the name of the state, in lower case.
func (s State) String() string {
	return nameIn(int(s), "pending", "starting", "running", "falling", "backing off", "stopping",
		"stopped")
}

// up tells whether there is something to take down.
func (s State) up() bool { return s == Starting || s == Running }

// kid is a child of a supervisor. The supervisor only.
type child struct {
	spec  *childSpec
	name  string
	ref   actor.AnyRef // zero: it was not spawned yet, or its actor has ended
	state State
	// it is forgotten when it has ended; written under the table's lock
	removed bool
	// it has been stopped alone, or has given up: others do not bring it up with them
	excluded     bool
	failed       bool // it has fallen, and has not been up since
	wasUp        bool // it has been up
	startBlocked bool // a supervisor that starts and has a child that backs off
	nameAwaited  bool // somebody wants to start one of its name when it has ended
	// while it falls: it has ended when it has for good, whatever is heard before
	killed       bool
	restarts     int
	consecutive  int       // falls without a calm time between
	upSince      time.Time // when it came up; zero: it is not up
	lastReason   error
	timer        actor.Timer // until its restart is due, or its time to go down is over
	older, newer *child
	seq          uint64     // larger than those of all who are older
	left, right  *child     // in the row of those who have an actor
	below        *nameTable // of a supervisor; read-only
	cold         *coldState // nil until it needs any
}

// rare is what a child needs that falls, or is started while its supervisor runs.
type coldState struct {
	window       restartWindow // of its restarts, if it has an Intensity of its own
	failures     int           // in the span of time that began at since: see logs
	countedSince time.Time
	lastLogged   bool      // its last fall was
	lastTime     time.Time // of its last fall or end

	request    *startRequest                 // of StartChild; nil: it was declared
	startReply *actor.Deferred[actor.AnyRef] // the caller of StartChild, until the child is up
	// the callers of RestartChild, until the child is up
	restartReplies []actor.Deferred[actor.None]
	stopReplies    []actor.Deferred[actor.None] // the callers of StopChild, until it has ended
	wasStopped     bool                         // it had stopped before RestartChild
	startErr       error                        // what the callers are told of its start
}

// own returns what only some children need, and makes it at first.
func (ch *child) makeCold() *coldState {
	if ch.cold == nil {
		ch.cold = new(coldState)
	}
	return ch.cold
}

// family is the children of a supervisor, in their order. With its maps, nothing takes longer for
// one of a million children than for one of three, except for strategies for groups.
type children struct {
	oldest, newest *child
	byID           map[uint64]*child
	names          *nameTable // by name; others may read it
	count          [states]int
	supervisors    int

	// it and all who are older are running or stopped, as far as somebody has looked; nil: nobody
	upPrefix *child
	// it and all who are younger are down and will be started, as far as somebody has looked; nil:
	// nobody
	downSuffix *child
	index      childIndex // those who have one
	grouped    bool       // the strategy is for groups
	// the oldest that backs off, or is stalled; nil: none, or no groups
	blocker *child
}

// named returns the child of that name; nil if there is none.
func (cs *children) find(name string) *child { return cs.names.byName[name] }

func (cs *children) add(spec *childSpec) *child {
	ch := &child{spec: spec, name: spec.name, older: cs.newest, seq: 1}
	if cs.newest != nil {
		ch.seq = cs.newest.seq + 1
	}
	if cs.newest == nil {
		cs.oldest = ch
	} else {
		cs.newest.newer = ch
	}
	cs.newest = ch
	cs.count[Pending]++
	if spec.supervisor != nil {
		cs.supervisors++
		ch.below = newNameTable(cs.names)
	}
	if ch.name != "" {
		cs.names.add(ch)
	}
	return ch
}

func (cs *children) remove(ch *child) {
	if cs.upPrefix == ch {
		cs.upPrefix = ch.older
	}
	if cs.downSuffix == ch {
		cs.downSuffix = ch.newer
	}
	if ch.older == nil {
		cs.oldest = ch.newer
	} else {
		ch.older.newer = ch.newer
	}
	if ch.newer == nil {
		cs.newest = ch.older
	} else {
		ch.newer.older = ch.older
	}
	cs.count[ch.state]--
	if ch.spec.supervisor != nil {
		cs.supervisors--
	}
	if cs.blocker == ch {
		cs.nextBlocker(ch)
	}
	cs.names.drop(ch)
	if !ch.ref.IsZero() {
		cs.index.remove(ch)
	}
}

func (cs *children) setState(ch *child, s State) {
	cs.count[ch.state]--
	cs.count[s]++
	ch.state = s
	if s != Running && s != Stopped && cs.upPrefix != nil && ch.seq <= cs.upPrefix.seq {
		cs.upPrefix = ch.older
	}
	if s != Pending && s != BackingOff && cs.downSuffix != nil && ch.seq >= cs.downSuffix.seq {
		cs.downSuffix = ch.newer
	}
	if ch.startBlocked = false; s == BackingOff {
		cs.noteBlocker(ch)
	} else if cs.blocker == ch {
		cs.nextBlocker(ch)
	}
}

// hold notes that k keeps those behind it waiting.
func (cs *children) noteBlocker(ch *child) {
	if cs.grouped && (cs.blocker == nil || ch.seq < cs.blocker.seq) {
		cs.blocker = ch
	}
}

// nextHeld looks for the oldest child behind k that keeps others waiting.
func (cs *children) nextBlocker(ch *child) {
	cs.blocker = nil
	for ch = ch.newer; ch != nil && cs.blocker == nil; ch = ch.newer {
		if ch.state == BackingOff || ch.startBlocked {
			cs.blocker = ch
		}
	}
}

// lowest returns the youngest child, down to from, that is up, goes down, or has ended; nil if
// there is none. While a row goes down, each child is looked at once.
func (cs *children) nextToStop(from *child) *child {
	ch := cs.newest
	if cs.downSuffix != nil {
		ch = cs.downSuffix.older
	}
	for ; ch != nil && ch.seq >= from.seq; ch = ch.older {
		if ch.state != Pending && ch.state != BackingOff && (ch.state != Stopped || !ch.excluded) {
			return ch
		}
		cs.downSuffix = ch
	}
	return nil
}

// next returns the oldest pending child, if all older ones are up or have ended. While a row
// starts, each child is looked at once.
func (cs *children) nextToStart() *child {
	ch := cs.oldest
	if cs.upPrefix != nil {
		ch = cs.upPrefix.newer
	}
	for ; ch != nil; ch = ch.newer {
		switch ch.state {
		case Pending:
			return ch
		case Running, Stopped:
			cs.upPrefix = ch
		default:
			return nil
		}
	}
	return nil
}

// behind returns the actor of the next younger sibling of k that has one.
func (cs *children) youngerActor(ch *child) actor.AnyRef {
	if o := cs.index.after(ch.seq); o != nil {
		return o.ref
	}
	return actor.AnyRef{}
}

// born enters the actor of a child.
func (cs *children) setActor(ch *child, r actor.AnyRef) {
	cs.names.setRef(ch, r)
	cs.index.add(ch)
	cs.byID[r.ID()] = ch
	if ch.name == "" {
		ch.name = cs.freeName(r.String())
		cs.names.add(ch)
	}
}

// free returns a name that no child has: a sibling may have been called what the ref of another
// says.
func (cs *children) freeName(name string) string {
	free := name
	for i := 2; cs.find(free) != nil; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	return free
}

// dead removes the actor of a child.
func (cs *children) clearActor(ch *child) {
	delete(cs.byID, ch.ref.ID())
	cs.index.remove(ch)
	cs.names.setRef(ch, actor.AnyRef{})
	ch.killed = false
}

// down is for a child that is no longer up, for whatever reason. If it was up for long enough its
// next fall is a first one. The time until it is up again counts for nothing.
func (ch *child) markDown(now time.Time) {
	if !ch.upSince.IsZero() && ch.spec.backoff.calm(now.Sub(ch.upSince)) {
		ch.consecutive = 0
	}
	ch.upSince = time.Time{}
}

// kill kills a child that falls, or ends.
func (ch *child) kill(c *actor.Context) {
	ch.killed = true
	actor.Kill(c, ch.ref)
}

// why says why a child has no actor.
func (ch *child) whyNoActor() string {
	if ch.state == Pending && ch.lastReason == nil && ch.restarts == 0 {
		return "has not started yet"
	}
	return "is " + ch.state.String()
}
