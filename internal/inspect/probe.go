package inspect

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Message is a message that is about to run, or has run, as a [Probe] sees it.
type Message struct {
	Type, Behaviour string // the type and the behaviour that runs
	// From is the number of the sending actor; 0 if the message came from outside.
	From uint64
	// Request: a caller waits for the outcome.
	Request bool
}

// Probe is a pair of functions around the behaviours of types. Either may be nil. They run in the
// actor's turn, on its worker, and must not block or panic. After is not called if the behaviour
// panics.
type Probe struct {
	// Before is called before each behaviour, and After when it has returned.
	Before, After func(c *actor.Context, m Message)
}

// Around puts a probe around the behaviours of the types of these names, or of all types if no name
// is given. Types that have no actors yet are included. Around exchanges the dispatch tables, so a
// message costs nothing more while no probe is set. A running turn may go on with the old table.
// Then the first messages are missed, and some are reported after stop. Around panics if the Probe
// is empty. stop may be called again.
func Around(sys *actor.System, p Probe, types ...string) (stop func()) {
	if p.Before == nil && p.After == nil {
		panic("gallop: inspect.Around with an empty Probe")
	}
	return watchTypes(of(sys), fits(types), func(typ, behaviour string, request bool) (
		before, after func(*kernel.Turn, int, uint64)) {
		call := func(f func(*actor.Context, Message)) func(*kernel.Turn, int, uint64) {
			if f == nil {
				return nil
			}
			return func(c *kernel.Turn, _ int, from uint64) {
				f(face.Context(c), Message{typ, behaviour, from, request})
			}
		}
		return call(p.Before), call(p.After)
	})
}

// fits returns a function that reports whether a type is in the list. An empty list has all types.
func fits(types []string) func(string) bool {
	types = slices.Clone(types)
	return func(typ string) bool { return len(types) == 0 || slices.Contains(types, typ) }
}
