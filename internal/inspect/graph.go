package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Edge is one actor's wait for another.
type Edge struct {
	From, To Actor // From waits for To
	// Behaviour is the behaviour in which From asks; "" if From is muted, or if it is unknown.
	Behaviour string
	// AtLeast is how long From has waited; 0 means less than a second, or unknown.
	AtLeast time.Duration
}

// WaitGraph has the waits between actors.
type WaitGraph struct {
	// Mutes has an edge for each actor that a muted actor waits for.
	Mutes []Edge
	// Asks has an edge for each actor that waits for a reply in its turn.
	Asks []Edge
	// Pressed are the actors that apply pressure and for which others are muted.
	Pressed []Actor
	// Circles are the circles of waits that have lasted for a second or more, each once. Every
	// actor waits for the next, and the last for the first. The first actor may be under pressure
	// instead: it waits for nothing that the runtime knows, while its message is in the mailbox of
	// the last. See [actor.PressureDeadlock].
	Circles [][]Actor
}

// Graph returns the waits between actors. Mutes and asks are hints while the system works. A circle
// is certain: all of its waits stood at the same time. With a clock that a test moves
// ([actor.VirtualClock]), circles are found in deterministic systems only.
func Graph(sys *actor.System) WaitGraph {
	s := of(sys)
	var g WaitGraph
	now := clock(s)
	waits := waitsOf(s) // after now, so waits that are dated before now stood then
	for _, w := range waits {
		e := Edge{From: describe(w.who), To: describe(w.to), AtLeast: w.atLeast(now)}
		if w.asks {
			e.Behaviour = behaviourOf(s, w.who)
			g.Asks = append(g.Asks, e)
		} else {
			g.Mutes = append(g.Mutes, e)
		}
	}
	pressed := map[kernel.AnyRef]bool{}
	eachPressed(s, func(ref kernel.AnyRef, _ uint32) { pressed[ref] = true })
	g.Pressed = describeAll(pressed)
	for _, c := range confirmed(s, now, waits, pressed) {
		var circle []Actor
		for _, ref := range c {
			circle = append(circle, describe(ref))
		}
		g.Circles = append(g.Circles, circle)
	}
	return g
}

// Pressure is one application of pressure by an actor ([actor.Context.ApplyPressure]). Two values
// that are equal are about the same one.
type Pressure struct {
	Actor actor.AnyRef
	Which uint32
}

// Pressed returns the pressure for which actors are muted now. It takes some nanoseconds for each.
func Pressed(sys *actor.System) (all []Pressure) {
	eachPressed(of(sys), func(ref kernel.AnyRef, which uint32) {
		all = append(all, Pressure{actor.AnyRef(ref), which})
	})
	return all
}
