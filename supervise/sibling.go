package supervise

import (
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

// table is the children of one life of a supervisor, by name. The supervisor writes it, and
// reads it without the lock. Its children, and the tables below, read it under the lock: of a
// child they read ref, removed, and what is read-only.
type table struct {
	above *table // of the supervisor above; nil for a root

	mu       sync.RWMutex
	byName   map[string]*kid
	starting *kid // the child that is starting while the tree comes up, for the error of StartWait
}

func newTable(above *table) *table { return &table{above: above, byName: map[string]*kid{}} }

// clear begins another life.
func (t *table) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName, t.starting = map[string]*kid{}, nil
}

func (t *table) enter(k *kid) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName[k.name] = k
}

func (t *table) leave(k *kid) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byName, k.name)
}

func (t *table) setRef(k *kid, r actor.AnyRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k.ref = r
}

// remove marks a child that is to be forgotten when it has ended.
func (t *table) remove(k *kid) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k.removed = true
}

func (t *table) setStarting(k *kid) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting = k
}

// look returns the child of that name, and its actor. ok reports whether there is such a child. Any
// goroutine.
func (t *table) look(name string) (k *kid, ref actor.AnyRef, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if k, ok = t.byName[name]; !ok || k.removed {
		return nil, actor.AnyRef{}, false
	}
	return k, k.ref, true
}

// startsWhat returns the path of the child that has not come up yet, below the name of the
// supervisor whose table t is. Any goroutine.
func (t *table) startsWhat(path string) string {
	t.mu.RLock()
	k := t.starting
	t.mu.RUnlock()
	switch {
	case k == nil:
		return path
	case k.below == nil:
		return path + "/" + k.spec.name
	}
	return k.below.startsWhat(path + "/" + k.spec.name)
}

// Sibling finds another child of the running actor's supervisor by its name, at once and
// without a message: in OnStart, for example, where a child wants the refs of those that it
// works with. If the supervisor has no such child, Sibling looks among the siblings of the
// supervisor, and so on up to the root. With more names, it leads on through supervisors below
// the one found, as the path of [Find] does.
//
//	func (s *Session) start(c *actor.Context) (err error) {
//		s.disk, err = supervise.Sibling[Disk](c, "storage", "disk")
//		return err
//	}
//
// A child that returns the error from OnStart is restarted with its [Backoff].
//
// Children start one after another, so older siblings have an actor; it may be down just then.
// A younger one is found only later: let it introduce itself with a message, or ask it for
// something that comes when it is up. The ref is good across restarts in place. After a sibling
// was stopped or killed by others, or everything below a supervisor was restarted, there are
// new actors: with [RestForOne] the younger siblings are restarted after the older one and find
// the new ref in their OnStart; with [OneForOne] call Sibling again when a request fails with
// [actor.ErrStopped].
//
// The error is ErrNoChild if there is no such child, if it has no actor at the moment, or if the
// running actor is not the child of a supervisor, as in a unit test; and [actor.ErrOtherType].
// It costs a lock and a look into a map for each step.
func Sibling[S any](c *actor.Context, name string, below ...string) (actor.Ref[S], error) {
	r, err := sibling(c, name, below)
	if err != nil {
		return actor.Ref[S]{}, err
	}
	typed, ok := actor.As[S](r)
	if !ok {
		return typed, fmt.Errorf("%w: %q is %v", actor.ErrOtherType, append([]string{name}, below...), r)
	}
	return typed, nil
}

// SiblingSub returns the supervisor that [Sibling] would find, for a child that starts children
// elsewhere in the tree.
func SiblingSub(c *actor.Context, name string, below ...string) (Supervisor, error) {
	r, err := Sibling[supervisor](c, name, below...)
	return Supervisor{r}, err
}

func sibling(c *actor.Context, name string, below []string) (actor.AnyRef, error) {
	t, ok := actor.FamilyOf(c).(*table)
	if !ok {
		return actor.AnyRef{}, fmt.Errorf("%w: %q: the running actor is not a supervisor's", ErrNoChild, name)
	}
	for ; t != nil; t = t.above {
		if k, r, ok := t.look(name); ok {
			return descend(k, r, below)
		}
	}
	return actor.AnyRef{}, fmt.Errorf("%w: %q", ErrNoChild, name)
}

// descend follows a path from a child on.
func descend(k *kid, r actor.AnyRef, path []string) (actor.AnyRef, error) {
	for _, name := range path {
		if k.below == nil {
			return r, fmt.Errorf("%w: %q: %q is no supervisor", ErrNoChild, name, k.spec.name)
		}
		var ok bool
		if k, r, ok = k.below.look(name); !ok {
			return r, fmt.Errorf("%w: %q", ErrNoChild, name)
		}
	}
	if r.IsZero() {
		return r, fmt.Errorf("%w: %q has no actor at the moment", ErrNoChild, k.spec.name)
	}
	return r, nil
}
