package group

import (
	"reflect"
	"strings"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// actorTypes holds the actor types that were made for types of messages. An actor type is made once
// per process, and a generic function has no variables of its own.
var actorTypes sync.Map // reflect.Type of *T → *T

// typeOnce returns the process-wide T, which make makes at the first call.
func typeOnce[T any](make func() *T) *T {
	key := reflect.TypeFor[*T]()
	if t, ok := actorTypes.Load(key); ok {
		return t.(*T)
	}
	t, _ := actorTypes.LoadOrStore(key, make())
	return t.(*T)
}

// minPrune is the number of members or subscribers below which ended ones are not searched for.
const minPrune = 16

// deliver sends m to a handler, and returns false if the handler has ended. After any other error
// of TrySend it calls Send, which never fails. Send mutes the sender for an overloaded actor, and a
// user's own handler knows best how to treat its errors.
func deliver[M any](c *actor.Context, h actor.Handler[M], m M) bool {
	err := h.TrySend(c, m)
	if err == nil {
		return true
	}
	if isEnd(err) || hasEnded(h) {
		return false
	}
	h.Send(c, m)
	return true
}

// unrefused says that the messages of a behaviour are the runtime's own. An error that an interceptor
// returns for such a message is logged, and the message runs.
func unrefused[S, M any](b actor.Behaviour[S, M]) {
	kernel.AnyBehaviour(b).Descriptor().Unrefused = true
}

// receiverOf returns a behaviour with an actor that gets its messages.
func receiverOf[S, M any](b actor.Behaviour[S, M], r actor.Ref[S]) kernel.Receiver {
	return kernel.Receiver{D: kernel.AnyBehaviour(b).Descriptor(), B: kernel.AnyRef(r).Cell()}
}

// hasEnded reports whether a handler leads to an actor that is known to have ended.
func hasEnded[M any](h actor.Handler[M]) bool { return status(h) == actor.StatusEnded }

// status returns the status of the actor behind a handler or an [actor.Asker]. One that leads to no
// actor, and has no method Status of its own, counts as idle.
func status(h any) actor.Status {
	switch h := h.(type) {
	case interface{ Status() actor.Status }:
		return statusSaid(h)
	case actor.Target:
		return actor.StatusOf(h)
	}
	return actor.StatusIdle
}

// statusSaid returns the status that a handler reports. A handler that panics counts as idle,
// unless it is a zero Topic or Pool.
func statusSaid(h interface{ Status() actor.Status }) (s actor.Status) {
	defer func() {
		if v := recover(); v != nil {
			if wrong, ok := v.(string); ok && strings.HasPrefix(wrong, "gallop: ") {
				panic(v)
			}
			s = actor.StatusIdle
		}
	}()
	return h.Status()
}

// mustBeHandler panics if a handler could not be found again by comparing, or is a zero Topic or
// Pool.
func mustBeHandler[M any](call string, h actor.Handler[M]) {
	if h == nil {
		panic("gallop: group: " + call + " of a nil Handler")
	}
	// an interface within h may hold a value that cannot be compared, whatever its type
	if !reflect.ValueOf(h).Comparable() {
		panic("gallop: group: " + call + " of a Handler that cannot be compared: use a pointer")
	}
	if again := h; again != h { // it contains a NaN
		panic("gallop: group: " + call + " of a Handler that is not equal to itself: use a pointer")
	}
	if nilGroup(h) {
		panic("gallop: group: " + call + " of a nil pointer to a Topic or Pool")
	}
	_ = status(h) // panics for a zero Topic or Pool
}

// nilGroup reports whether a handler is a nil pointer to a Topic or Pool.
func nilGroup[M any](h actor.Handler[M]) bool {
	switch h := h.(type) {
	case *Topic[M]:
		return h == nil
	case *Pool[M]:
		return h == nil
	}
	return false
}
