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
	Pending    State = iota // it waits for older siblings, or for those that have to go down
	Starting                // it has been told to start
	Running                 // it is up
	Falling                 // it is being taken down with others
	BackingOff              // it waits until its restart is due
	Stopping                // it has been told to end
	Stopped                 // it has ended, and is known still
	states
)

// String returns the name of the state, in lower case.
func (s State) String() string {
	return nameIn(int(s), "pending", "starting", "running", "falling", "backing off", "stopping", "stopped")
}

// up tells whether there is something to take down.
func (s State) up() bool { return s == Starting || s == Running }

// kid is a child of a supervisor. The supervisor only.
type kid struct {
	spec         *childSpec
	name         string
	ref          actor.AnyRef // zero: it was not spawned yet, or its actor has ended
	state        State
	removed      bool // it is forgotten when it has ended; written under the table's lock
	halted       bool // it has been stopped alone, or has given up: others do not bring it up with them
	fallen       bool // it has fallen, and has not been up since
	begun        bool // it has been up
	stalled      bool // a supervisor that starts and has a child that backs off
	awaited      bool // somebody wants to start one of its name when it has ended
	killed       bool // while it falls: it has ended when it has for good, whatever is heard before
	restarts     int
	inRow        int       // falls without a calm time between
	since        time.Time // when it came up; zero: it is not up
	last         error
	timer        actor.Timer // until its restart is due, or its time to go down is over
	older, newer *kid
	no           uint64 // larger than those of all who are older
	left, right  *kid   // in the row of those who have an actor
	below        *table // of a supervisor; read-only
	rare         *rare  // nil until it needs any
}

// rare is what a child needs that falls, or is started while its supervisor runs.
type rare struct {
	window window // of its restarts, if it has an Intensity of its own
	falls  int    // in the span of time that began at since: see logs
	since  time.Time
	logged bool      // its last fall was
	lastAt time.Time // of its last fall or end

	asked    *startRequest                 // of StartChild; nil: it was declared
	starter  *actor.Deferred[actor.AnyRef] // the caller of StartChild, until the child is up
	restarts []actor.Deferred[actor.None]  // the callers of RestartChild, until the child is up
	stops    []actor.Deferred[actor.None]  // the callers of StopChild, until it has ended
	stopped  bool                          // it had stopped before RestartChild
	failed   error                         // what the callers are told of its start
}

// own returns what only some children need, and makes it at first.
func (k *kid) own() *rare {
	if k.rare == nil {
		k.rare = new(rare)
	}
	return k.rare
}

// family is the children of a supervisor, in their order. With its maps, nothing takes longer for
// one of a million children than for one of three, except for strategies for groups.
type family struct {
	oldest, newest *kid
	byID           map[uint64]*kid
	table          *table // by name; others may read it
	in             [states]int
	supervisors    int

	steady *kid // it and all who are older are running or stopped, as far as somebody has looked; nil: nobody
	sunk   *kid // it and all who are younger are down and will be started, as far as somebody has looked; nil: nobody
	actors row  // those who have one
	groups bool // the strategy is for groups
	held   *kid // the oldest that backs off, or is stalled; nil: none, or no groups
}

// named returns the child of that name; nil if there is none.
func (f *family) named(name string) *kid { return f.table.byName[name] }

func (f *family) add(spec *childSpec) *kid {
	k := &kid{spec: spec, name: spec.name, older: f.newest, no: 1}
	if f.newest != nil {
		k.no = f.newest.no + 1
	}
	if f.newest == nil {
		f.oldest = k
	} else {
		f.newest.newer = k
	}
	f.newest = k
	f.in[Pending]++
	if spec.plan != nil {
		f.supervisors++
		k.below = newTable(f.table)
	}
	if k.name != "" {
		f.table.enter(k)
	}
	return k
}

func (f *family) remove(k *kid) {
	if f.steady == k {
		f.steady = k.older
	}
	if f.sunk == k {
		f.sunk = k.newer
	}
	if k.older == nil {
		f.oldest = k.newer
	} else {
		k.older.newer = k.newer
	}
	if k.newer == nil {
		f.newest = k.older
	} else {
		k.newer.older = k.older
	}
	f.in[k.state]--
	if k.spec.plan != nil {
		f.supervisors--
	}
	if f.held == k {
		f.nextHeld(k)
	}
	f.table.leave(k)
	if !k.ref.IsZero() {
		f.actors.remove(k)
	}
}

func (f *family) set(k *kid, s State) {
	f.in[k.state]--
	f.in[s]++
	k.state = s
	if s != Running && s != Stopped && f.steady != nil && k.no <= f.steady.no {
		f.steady = k.older
	}
	if s != Pending && s != BackingOff && f.sunk != nil && k.no >= f.sunk.no {
		f.sunk = k.newer
	}
	if k.stalled = false; s == BackingOff {
		f.hold(k)
	} else if f.held == k {
		f.nextHeld(k)
	}
}

// hold notes that k keeps those behind it waiting.
func (f *family) hold(k *kid) {
	if f.groups && (f.held == nil || k.no < f.held.no) {
		f.held = k
	}
}

// nextHeld looks for the oldest child behind k that keeps others waiting.
func (f *family) nextHeld(k *kid) {
	f.held = nil
	for k = k.newer; k != nil && f.held == nil; k = k.newer {
		if k.state == BackingOff || k.stalled {
			f.held = k
		}
	}
}

// lowest returns the youngest child, down to from, that is up, goes down, or has ended; nil if
// there is none. While a row goes down, each child is looked at once.
func (f *family) lowest(from *kid) *kid {
	k := f.newest
	if f.sunk != nil {
		k = f.sunk.older
	}
	for ; k != nil && k.no >= from.no; k = k.older {
		if k.state != Pending && k.state != BackingOff && (k.state != Stopped || !k.halted) {
			return k
		}
		f.sunk = k
	}
	return nil
}

// next returns the oldest pending child, if all older ones are up or have ended. While a row
// starts, each child is looked at once.
func (f *family) next() *kid {
	k := f.oldest
	if f.steady != nil {
		k = f.steady.newer
	}
	for ; k != nil; k = k.newer {
		switch k.state {
		case Pending:
			return k
		case Running, Stopped:
			f.steady = k
		default:
			return nil
		}
	}
	return nil
}

// behind returns the actor of the next younger sibling of k that has one.
func (f *family) behind(k *kid) actor.AnyRef {
	if o := f.actors.after(k.no); o != nil {
		return o.ref
	}
	return actor.AnyRef{}
}

// born enters the actor of a child.
func (f *family) born(k *kid, r actor.AnyRef) {
	f.table.setRef(k, r)
	f.actors.add(k)
	f.byID[r.ID()] = k
	if k.name == "" {
		k.name = f.free(r.String())
		f.table.enter(k)
	}
}

// free returns a name that no child has: a sibling may have been called what the ref of another
// says.
func (f *family) free(name string) string {
	free := name
	for i := 2; f.named(free) != nil; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	return free
}

// dead removes the actor of a child.
func (f *family) dead(k *kid) {
	delete(f.byID, k.ref.ID())
	f.actors.remove(k)
	f.table.setRef(k, actor.AnyRef{})
	k.killed = false
}

// down is for a child that is no longer up, for whatever reason. If it was up for long enough its
// next fall is a first one. The time until it is up again counts for nothing.
func (k *kid) down(now time.Time) {
	if !k.since.IsZero() && k.spec.backoff.calm(now.Sub(k.since)) {
		k.inRow = 0
	}
	k.since = time.Time{}
}

// kill kills a child that falls, or ends.
func (k *kid) kill(c *actor.Context) {
	k.killed = true
	actor.Kill(c, k.ref)
}

// why says why a child has no actor.
func (k *kid) why() string {
	if k.state == Pending && k.last == nil && k.restarts == 0 {
		return "has not started yet"
	}
	return "is " + k.state.String()
}
