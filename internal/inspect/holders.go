package inspect

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
)

// ActorHolder is a kind of holder, as [actor.System.Why] has them, of one actor.
type ActorHolder struct {
	What  string
	Count int
	Actor Actor
}

// Holders returns the result of [actor.System.Why]. For each kind of holder it also returns the
// actors that have most of them, up to so many. "stashed message" is a kind there, though a stash
// keeps no system from being quiescent. It takes as long as Why with a timerStride of 1. With a
// larger one it looks at the owners of so many timers less, multiplies what it sees, and takes
// about 20 ns for each timer. timers is their number.
func Holders(sys *actor.System, most, timerStride int) (why []actor.Holder, largest []ActorHolder,
	timers int) {
	all, timers := of(sys).Holders(most, timerStride, func(what string, n int, a *kernel.Cell) {
		largest = append(largest, ActorHolder{what, n, describe(a.Found())})
	})
	for _, h := range all {
		why = append(why, face.Holder(h))
	}
	return why, largest, timers
}

// IsShuttingDown reports whether [actor.System.Shutdown], Run or Stop has begun to end the system.
func IsShuttingDown(sys *actor.System) bool { return of(sys).Refusing.Load() }
