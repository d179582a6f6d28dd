package actor

import (
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// WithDeterministic makes the system deterministic: it runs one step at a time, and the
// seed n alone decides the order of the steps and all other random choices. The same seed
// gives the same order on any machine, with the same code that runs in other systems.
// WithDeterministic is for tests and for the search for the cause of a failure; package
// actortest is built on it. To seed [Context.Rand] alone, use [WithRandSeed].
//
// The system has the number of workers of [WithWorkers], 4 by default. But only one runs at
// a time, and only while a goroutine waits for the system: in Wait, Run, Shutdown, Stop,
// Ask, SendWait, or for a moment in a Send from outside. The runtime may turn to another
// worker before each message that is sent and after each message that has run. Functions of
// [Pipe], and the goroutines between actors and channels, take their turns like behaviours.
// They take no virtual time unless they call [Sleep].
//
// Time is virtual, and begins at the same moment in every run. When no actor can go on, it
// jumps to the next timer; with [WithClock] the caller moves it instead. A behaviour takes
// no time. A behaviour that waits for a reply is treated as a long one when no other can
// go on: then other workers take over the queue of its worker, as they do at once in
// [Context.Blocking].
//
// A program is repeatable if the runtime is its only source of time, chance and input.
// These make it unrepeatable: time.Now, the top-level functions of math/rand, the order of
// maps, a select with several ready cases, goroutines of the program's own that use the
// system, contexts with a deadline, and addresses as keys.
//
// A behaviour that blocks on something outside of the system blocks the whole system; after
// ten seconds the runtime panics and names the behaviour. A lock that is held during a send
// has the same effect.
//
// Messages are not recycled, the governor and [WithCPUBinding] are off, and long turns are
// not reported.
func WithDeterministic(n uint64) Option {
	return systemOption(func(o *kernel.Options) {
		o.Seed = n
		// In a run of actortest n seeds only the random choices; the hooks decide the order.
		if o.Hooks == nil {
			o.Hooks, o.Seeded = &sim.Hooks{}, true
		}
	})
}
