package supervise

import (
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// nameTable maps names to the children of a supervisor; it is emptied when the supervisor is
// restarted. The supervisor writes it under the lock and reads it without. Its children, and
// lookups that come up from tables below, read it under the lock: of a child they read only ref,
// removed, and fields that never change.
type nameTable struct {
	parent *nameTable // of the supervisor's supervisor; nil for a root

	mu     sync.RWMutex
	byName map[string]*child
	// the child that is starting while the tree comes up, for the error of StartWait
	starting *child
}

func newNameTable(above *nameTable) *nameTable {
	return &nameTable{parent: above, byName: map[string]*child{}}
}

// reset empties the table when the supervisor starts.
func (t *nameTable) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName, t.starting = map[string]*child{}, nil
}

func (t *nameTable) add(ch *child) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName[ch.name] = ch
}

func (t *nameTable) drop(ch *child) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byName, ch.name)
}

func (t *nameTable) setRef(ch *child, r actor.AnyRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch.ref = r
}

// markRemoved marks a child that the supervisor forgets when it has ended.
func (t *nameTable) markRemoved(ch *child) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch.removed = true
}

func (t *nameTable) setStarting(ch *child) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting = ch
}

// lookup returns the child of that name, and its actor. ok reports whether there is such a child.
// Any goroutine.
func (t *nameTable) lookup(name string) (ch *child, ref actor.AnyRef, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if ch, ok = t.byName[name]; !ok || ch.removed {
		return nil, actor.AnyRef{}, false
	}
	return ch, ch.ref, true
}

// startingPath returns the path of the child that is starting, below path, the name of the
// supervisor whose table t is. Any goroutine.
func (t *nameTable) startingPath(path string) string {
	t.mu.RLock()
	ch := t.starting
	t.mu.RUnlock()
	switch {
	case ch == nil:
		return path
	case ch.below == nil:
		return path + "/" + ch.spec.name
	}
	return ch.below.startingPath(path + "/" + ch.spec.name)
}

// Sibling finds another child of the running actor's supervisor by its name, without a message: in
// OnStart, for example, where a child needs the refs of the actors it works with. If the supervisor
// has no such child, Sibling looks among the siblings of the supervisor, and so on up to the root.
// Further names lead down through supervisors below, as the path of [Find] does.
//
//	func (s *Session) start(c *actor.Context) (err error) {
//		s.disk, err = supervise.Sibling[Disk](c, "storage", "disk")
//		return err
//	}
//
// A child that returns the error from OnStart is restarted with its [Backoff].
//
// Children start one after another, so older siblings have an actor; it may be down at that moment.
// A younger sibling is not found in OnStart: let it introduce itself with a message. The ref stays
// valid across restarts in place. After a sibling was stopped or killed by order, or a supervisor
// above it was restarted, there are new actors: with [RestForOne] the younger siblings are
// restarted after the older one and find the new ref in their OnStart; with [OneForOne] call
// Sibling again when a request fails with [actor.ErrStopped].
//
// The error is ErrNoChild if there is no such child, if it has no actor at the moment, or if the
// running actor is not the child of a supervisor, as in a unit test; and [actor.ErrOtherType].
// Sibling costs a read lock and a map lookup for each step.
func Sibling[S any](c *actor.Context, name string, below ...string) (actor.Ref[S], error) {
	r, err := sibling(c, name, below)
	if err != nil {
		return actor.Ref[S]{}, err
	}
	typed, ok := actor.As[S](r)
	if !ok {
		return typed, fmt.Errorf("%w: %q is %v", actor.ErrOtherType,
			append([]string{name}, below...), r)
	}
	return typed, nil
}

// SiblingSupervisor is [Sibling] for a supervisor, for a child that starts children elsewhere in
// the tree.
func SiblingSupervisor(c *actor.Context, name string, below ...string) (Supervisor, error) {
	r, err := Sibling[supervisor](c, name, below...)
	return Supervisor{r}, err
}

func sibling(c *actor.Context, name string, below []string) (actor.AnyRef, error) {
	t, ok := kernel.TurnOf(c).FamilyOf().(*nameTable)
	if !ok {
		return actor.AnyRef{},
			fmt.Errorf("%w: %q: the running actor is not a supervisor's", ErrNoChild, name)
	}
	for ; t != nil; t = t.parent {
		if ch, r, ok := t.lookup(name); ok {
			return follow(ch, r, below)
		}
	}
	return actor.AnyRef{}, fmt.Errorf("%w: %q", ErrNoChild, name)
}

// follow follows a path downwards from a child.
func follow(ch *child, r actor.AnyRef, path []string) (actor.AnyRef, error) {
	for _, name := range path {
		if ch.below == nil {
			return r, fmt.Errorf("%w: %q: %q is no supervisor", ErrNoChild, name, ch.spec.name)
		}
		var ok bool
		if ch, r, ok = ch.below.lookup(name); !ok {
			return r, fmt.Errorf("%w: %q", ErrNoChild, name)
		}
	}
	if r.IsZero() {
		return r, fmt.Errorf("%w: %q has no actor at the moment", ErrNoChild, ch.spec.name)
	}
	return r, nil
}
