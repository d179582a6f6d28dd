package actortest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gallop-go/gallop/internal/sim"
)

// Fault is a row of the table of what goes wrong in every run: see [Faults].
type Fault struct {
	// Type and Behaviour say, by name, where the fault strikes; an empty name means any.
	//
	// The callbacks "init", "OnStart" and "OnStop" count as behaviours of their type if
	// they are named. They are no messages, so Drop and Refuse pass them by.
	//
	// Drop also passes by what the runtime tells of the ends and starts of others: an
	// [actor.Down], [actor.Exit], [actor.Fallen] or [actor.Risen] is never lost.
	Type, Behaviour string
	// At is the first message that the fault may befall. 1, the default, is the first
	// message of all.
	At int
	// Times is how many messages the fault befalls. 0 means one, and a negative number
	// means all.
	Times int
	// OneIn leaves to chance which messages the fault befalls: one in so many, from At on.
	// 0 and 1 mean every one. Each order draws anew, except that all orders of [Exhaustive]
	// draw the same.
	OneIn int
	// Do is what goes wrong.
	Do Action
	// For is how far a Jump goes.
	For time.Duration
}

// Action is what goes wrong.
type Action uint8

// The actions. Each strikes just before a behaviour, which then runs, unless the action
// says otherwise. None of them breaks a promise of gallop's.
const (
	Panic   Action = iota + 1 // it panics, with an InjectedPanic, before it has done anything
	Stop                      // the actor stops when the behaviour has returned
	Kill                      // the actor is killed, as by actor.Kill
	Drop                      // it does not run: the message becomes a dead letter with reason ErrDropped
	Refuse                    // TrySend returns actor.ErrOverloaded
	Delay                     // its worker stalls until nobody else can go on
	Preempt                   // the turn ends with this message
	Flood                     // two batches of messages that do nothing come in: the actor is overloaded
	Collect                   // the actor's heap is collected after the behaviour, if it has one
	Starve                    // the actor's heap takes no more from now on, if it has one
	Jump                      // the clock jumps by For, as if the machine had slept
	lastAction
)

var faultKinds = [lastAction]sim.FaultKind{
	Panic: sim.Panic, Stop: sim.Stop, Kill: sim.Kill, Drop: sim.Drop, Delay: sim.Delay, Preempt: sim.Preempt,
	Flood: sim.Flood, Collect: sim.Collect, Starve: sim.Starve,
}

// InjectedPanic is the value with which a behaviour panics because of a [Fault].
type InjectedPanic struct {
	Fault Fault // the row that says so
}

// Error implements error. A star stands for any type or any behaviour.
func (p InjectedPanic) Error() string {
	return fmt.Sprintf("gallop: actortest: injected panic in %s.%s", cmp.Or(p.Fault.Type, "*"), cmp.Or(p.Fault.Behaviour, "*"))
}

// ErrDropped is the reason of dead letters that were made by a [Fault].
var ErrDropped = errors.New("gallop: actortest: dropped")

// Faults adds rows to the table of what goes wrong. A message is counted by all rows
// that fit it; the first of them that is due befalls it. [Run] logs rows that never
// fitted a message. Faults panics if a row makes no sense.
func Faults(table ...Fault) Option {
	for i, f := range table {
		if f.Do == 0 || f.Do >= lastAction || f.At < 0 || f.OneIn < 0 || (f.Do == Jump) != (f.For > 0) {
			panic(fmt.Sprintf("gallop: actortest: Faults: row %d makes no sense: %+v", i+1, f))
		}
	}
	return func(c *config) { c.setup.faults = append(c.setup.faults, table...) }
}

// due returns the fault that befalls a message, or nil.
func (r *R) nextFault(e sim.Event, refusal bool) *Fault {
	if r.hits == nil {
		r.hits = make([]hitCount, len(r.setup.faults))
		r.faultRand = rand.NewPCG(r.plan.systemSeed(), 3)
	}
	var found *Fault
	for i := range r.setup.faults {
		f := &r.setup.faults[i]
		if (f.Do == Refuse) != refusal || !f.matches(e) {
			continue
		}
		r.setup.matched[i] = true
		if r.hits[i].hit(f, r.faultRand) && found == nil {
			r.hits[i].applied++
			found = f
		}
	}
	return found
}

// fits tells whether a row applies to a behaviour.
func (f *Fault) matches(e sim.Event) bool {
	switch {
	case f.Type != "" && f.Type != e.Type, (e.Callback || e.News) && f.Do == Drop:
		return false
	case f.Behaviour == "":
		return !e.Callback
	}
	return f.Behaviour == e.Behaviour
}

// hits counts how often a row was met, and how often it struck.
type hitCount struct{ matched, applied int }

// befall counts a message and tells whether the fault befalls it.
func (h *hitCount) hit(f *Fault, luck *rand.PCG) bool {
	h.matched++
	if h.matched < f.At || f.Times >= 0 && h.applied >= max(f.Times, 1) {
		return false
	}
	return f.OneIn <= 1 || luck.Uint64()%uint64(f.OneIn) == 0
}

func (r *R) fault(e sim.Event) sim.Fault {
	f := r.nextFault(e, false)
	switch {
	case f == nil:
		return sim.Fault{}
	case f.Do == Jump:
		r.clock.Jump(f.For)
	}
	return sim.Fault{Kind: faultKinds[f.Do], Value: InjectedPanic{*f}, Reason: ErrDropped}
}

func (r *R) refuse(typ, behaviour string) bool {
	return r.nextFault(sim.Event{Type: typ, Behaviour: behaviour}, true) != nil
}
