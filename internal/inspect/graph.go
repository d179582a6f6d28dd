package inspect

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Edge says that one actor waits for another.
type Edge struct {
	From, To Actor // From waits for To
	// Behaviour is what From runs meanwhile, if it asks; "" if it is muted or that is unknown.
	Behaviour string
	// AtLeast is how long it has waited; 0 means less than a second, or unknown.
	AtLeast time.Duration
}

// WaitGraph says who waits for whom.
type WaitGraph struct {
	// Mutes are the actors that are muted. One that is muted for several is there several times.
	Mutes []Edge
	// Asks are the actors that wait for a reply in their turn.
	Asks []Edge
	// Pressed are the actors that apply pressure and for which others are muted.
	Pressed []Actor
	// Circles are the circles of waiting that have stood for a second or more, each once: every
	// actor waits for the next, and the last for the first. The first of a circle may be one under
	// pressure, which waits for nothing that the runtime knows, while a message from it lies in the
	// mailbox of the last: see [actor.PressureDeadlock].
	Circles [][]Actor
}

// Graph returns who waits for whom. Mutes and asks are hints while the system works. A circle is
// true: all of its waits were there at the same time. Where a test moves the time
// ([actor.VirtualClock]), there are circles in deterministic systems only.
func Graph(sys *actor.System) WaitGraph {
	in := of(sys)
	var g WaitGraph
	now := in.Clock()
	waits := waitsOf(in) // after now: they stood then, if they are dated before
	for _, w := range waits {
		e := Edge{From: describe(in, w.who), To: describe(in, w.to), AtLeast: w.atLeast(now)}
		if w.asks {
			e.Behaviour = in.BehaviourOf(w.who)
			g.Asks = append(g.Asks, e)
		} else {
			g.Mutes = append(g.Mutes, e)
		}
	}
	pressed := map[actor.AnyRef]bool{}
	in.EachPressed(func(ref actor.AnyRef) { pressed[ref] = true })
	g.Pressed = describeAll(in, pressed)
	for _, c := range confirmed(in, now, waits, pressed) {
		var circle []Actor
		for _, ref := range c {
			circle = append(circle, describe(in, ref))
		}
		g.Circles = append(g.Circles, circle)
	}
	return g
}

// Held is a [actor.System.Hold] that was not released yet.
type Held struct {
	// At is where it was taken: a function, a space, and file and line.
	At  string
	For time.Duration
}

// Holds returns the holds that were taken since [Begin] and are not released, the oldest first.
// It calls Begin. [actor.System.Why] counts those from before as well.
func Holds(sys *actor.System) []Held {
	in := of(sys)
	in.Begin()
	var all []Held
	in.EachHold(func(function, file string, line int, at time.Time) {
		all = append(all, Held{fmt.Sprintf("%s %s:%d", function, file, line), time.Since(at)})
	})
	return all
}
