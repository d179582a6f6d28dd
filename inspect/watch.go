package inspect

import (
	"github.com/gallop-go/gallop/actor"
)

// Message is a message that is about to run, or has run, as a [Probe] sees it.
type Message struct {
	Type, Behaviour string // which behaviour
	// From is the number of the actor that sent it; 0 if it came from outside.
	From uint64
	// Request says that a caller waits for the outcome.
	Request bool
}

// Probe is a pair of functions around the behaviours of types. Either may be nil. They run in the
// actor's turn, on its worker, and must not block or panic. After is not called if the behaviour
// panics.
type Probe struct {
	// Before is called before each behaviour, and After when it has returned.
	Before, After func(c *actor.Context, m Message)
}

// Watch puts a probe around the behaviours of the types of these names, or of all types if there
// are none, types included that have no actors yet. It exchanges the dispatch tables: while none
// is watched a message costs nothing for it. A turn that runs may go on with the old table: the
// first messages may be missed, and some may come after stop. An empty Probe makes Watch panic.
// stop may be called again.
func Watch(sys *actor.System, p Probe, types ...string) (stop func()) { return func() {} }

// Counts counts the messages that behaviours have run.
type Counts struct{}

// Count counts the messages of types, named as for [Watch], until [Counts.Stop]. A message costs
// a few nanoseconds for it.
func Count(sys *actor.System, types ...string) *Counts { return new(Counts) }

// Ran is how many messages a behaviour has run.
type Ran struct {
	Type, Behaviour string // which behaviour
	Messages        uint64 // that it has run
	// Outside is how many of them came from outside.
	Outside uint64
}

// Ran returns the counts of all behaviours that have run, by type and behaviour.
func (k *Counts) Ran() []Ran { return nil }

// Stop ends the counting. What was counted stays.
func (k *Counts) Stop() {}
