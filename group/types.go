package group

import (
	"errors"
	"reflect"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

// actorTypes are the actor types that were made for types of messages. An actor type is
// made once per process, and a generic function has no variables of its own.
var actorTypes sync.Map // reflect.Type of *T → *T

// typeOnce returns the only T, which make makes.
func typeOnce[T any](make func() *T) *T {
	key := reflect.TypeFor[*T]()
	if t, ok := actorTypes.Load(key); ok {
		return t.(*T)
	}
	t, _ := actorTypes.LoadOrStore(key, make())
	return t.(*T)
}

// few is how many members or subscribers there may be before the ended are looked for.
const few = 16

// deliver gives m to a handler unless it has ended, and reports whether it has not. Whatever else
// TrySend says is for Send to deal with, which never fails: to an actor that is overloaded it mutes
// the sender, and a handler of somebody's own knows best what its own errors are about.
func deliver[M any](c *actor.Context, h actor.Handler[M], m M) bool {
	err := h.TrySend(c, m)
	if err == nil {
		return true
	}
	if errors.Is(err, actor.ErrStopped) || errors.Is(err, actor.ErrSystemStopped) || hasEnded(h) {
		return false
	}
	h.Send(c, m)
	return true
}

// hasEnded tells whether a handler is known to be an actor that has ended.
func hasEnded[M any](h actor.Handler[M]) bool { return standing(h) == actor.Ended }

// standing returns how the actor behind a handler stands. One that is none of an actor
// counts as idle.
func standing[M any](h actor.Handler[M]) actor.Standing {
	if s, ok := h.(interface{ Standing() actor.Standing }); ok {
		return s.Standing()
	}
	return actor.Idle
}

// mustSuit panics if a handler cannot be found again, or is a Topic or Pool that nobody made.
func mustSuit[M any](call string, h actor.Handler[M]) {
	if h == nil {
		panic("gallop: group: " + call + " of a nil Handler")
	}
	if !reflect.ValueOf(h).Comparable() { // the type alone does not know what an interface in it holds
		panic("gallop: group: " + call + " of a Handler that cannot be compared: use a pointer")
	}
	if again := h; again != h { // it has a NaN in it
		panic("gallop: group: " + call + " of a Handler that is not equal to itself: use a pointer")
	}
	_ = standing(h) // of a zero Topic or Pool it panics
}
