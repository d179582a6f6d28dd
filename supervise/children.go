package supervise

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// children is the list of the children of a supervisor, oldest first. Thanks to its maps and hints,
// an operation on one child costs the same with three and with a million children, except with a
// strategy that restarts groups.
type children struct {
	oldest, newest *child
	byID           map[uint64]*child
	names          *nameTable // shared with siblings
	count          [states]int

	// upPrefix and all older children are Running or Stopped: a hint, so that nextToStart looks at
	// each child once; nil: none known
	upPrefix *child
	// downSuffix and all younger children are down and will be started: the hint of nextToStop;
	// nil: none known
	downSuffix *child
	index      childIndex // the children that have an actor
	grouped    bool       // the strategy restarts groups
	// the oldest child in back-off or with startBlocked set; nil: none, or not grouped
	blocker *child
}

// find returns the child of that name; nil if there is none.
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

// noteBlocker notes that younger children wait for ch.
func (cs *children) noteBlocker(ch *child) {
	if cs.grouped && (cs.blocker == nil || ch.seq < cs.blocker.seq) {
		cs.blocker = ch
	}
}

// nextBlocker looks for the oldest child younger than ch for which others wait.
func (cs *children) nextBlocker(ch *child) {
	cs.blocker = nil
	for ch = ch.newer; ch != nil && cs.blocker == nil; ch = ch.newer {
		if ch.state == BackingOff || ch.startBlocked {
			cs.blocker = ch
		}
	}
}

// nextToStop returns the youngest child, down to from, that has to be suspended, is being suspended
// or stopped, or has ended; nil if there is none. During one group restart it looks at each child
// once.
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

// nextToStart returns the oldest pending child, if all older ones are up or have ended; nil
// otherwise. While children start one after another it looks at each child once.
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

// youngerActor returns the actor of the next younger sibling of ch that has one.
func (cs *children) youngerActor(ch *child) actor.AnyRef {
	if o := cs.index.after(ch.seq); o != nil {
		return o.ref
	}
	return actor.AnyRef{}
}

// setActor records the actor of a child that was spawned.
func (cs *children) setActor(ch *child, r actor.AnyRef) {
	cs.names.setRef(ch, r)
	cs.index.add(ch)
	cs.byID[r.ID()] = ch
	if ch.name == "" {
		ch.name = cs.freeName(r.String())
		cs.names.add(ch)
	}
}

// freeName returns a name that no child has: a sibling may have been given the name that a ref
// prints as.
func (cs *children) freeName(name string) string {
	free := name
	for i := 2; cs.find(free) != nil; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	return free
}

// clearActor records that the actor of a child has ended.
func (cs *children) clearActor(ch *child) {
	delete(cs.byID, ch.ref.ID())
	cs.index.remove(ch)
	cs.names.setRef(ch, actor.AnyRef{})
	ch.killed = false
}
