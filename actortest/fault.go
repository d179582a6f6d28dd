package actortest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// Fault is a failure that is injected in every run: see [WithFaults].
type Fault struct {
	// Type and Behaviour select messages by name; an empty name means any.
	//
	// The callbacks "init", "OnStart" and "OnStop" count as behaviours of their type if they are
	// named. They are no messages, so Drop and Refuse do not apply to them.
	//
	// Drop does not apply to messages of the runtime about ends and starts of other actors either:
	// an [actor.Down], an [actor.Exit] or a supervisor's message about its child is never lost.
	Type, Behaviour string
	// At is the number of the first message that the fault applies to. 1, the default, is the first
	// message of all.
	At int
	// Times is the number of messages that the fault applies to. 0 means one, and a negative number
	// means all.
	Times int
	// OneIn selects messages at random: one in so many, from At on. 0 and 1 mean every one. Each
	// order draws anew, except that all orders of [Exhaustive] draw the same.
	OneIn int
	// Do is the injected failure.
	Action FaultAction
	// For is the length of a Jump.
	For time.Duration
}

// FaultAction is an injected failure.
type FaultAction uint8

// The actions. Each is applied just before a behaviour, which then runs, unless the action says
// otherwise. None of them breaks a guarantee of gallop.
const (
	// FaultPanic: it panics with an InjectedPanic before it runs.
	FaultPanic FaultAction = iota + 1
	// FaultStop: the actor stops when the behaviour has returned.
	FaultStop
	// FaultKill: the actor is killed, as by actor.Kill.
	FaultKill
	// FaultDrop: it does not run; the message becomes a dead letter with reason ErrDropped.
	FaultDrop
	// FaultRefuse: TrySend returns actor.ErrOverloaded.
	FaultRefuse
	// FaultDelay: its worker waits until no other worker can run.
	FaultDelay
	// FaultPreempt: the turn ends with this message.
	FaultPreempt
	// FaultFlood: two batches of no-op messages arrive, so that the actor is overloaded.
	FaultFlood
	// FaultCollect: the actor's arena, if it has one, is collected after the behaviour.
	FaultCollect
	// FaultStarve: the actor's arena, if it has one, is full from now on.
	FaultStarve
	// FaultJump: the clock jumps by For, as if the machine had been suspended.
	FaultJump
	lastAction
)

var faultKinds = [lastAction]sim.FaultKind{
	FaultPanic: sim.Panic, FaultStop: sim.Stop, FaultKill: sim.Kill, FaultDrop: sim.Drop,
	FaultDelay:   sim.Delay,
	FaultPreempt: sim.Preempt,
	FaultFlood:   sim.Flood, FaultCollect: sim.Collect, FaultStarve: sim.Starve,
}

// InjectedPanic is the value with which a behaviour panics because of a [Fault].
type InjectedPanic struct {
	Fault Fault // that was injected
}

// Error implements error. A star stands for any type or any behaviour.
func (p InjectedPanic) Error() string {
	return fmt.Sprintf("gallop: actortest: injected panic in %s.%s", cmp.Or(p.Fault.Type, "*"),
		cmp.Or(p.Fault.Behaviour, "*"))
}

// ErrDropped is the reason of dead letters that a [Fault] with Drop makes.
var ErrDropped = errors.New("gallop: actortest: dropped")

// WithFaults injects failures. A message is counted by all faults that match it; the first of them
// that is due is applied. [Run] logs faults that never matched a message. WithFaults panics if a
// fault is invalid.
func WithFaults(table ...Fault) Option {
	for i, f := range table {
		if f.Action == 0 || f.Action >= lastAction || f.At < 0 || f.OneIn < 0 ||
			(f.Action == FaultJump) != (f.For > 0) {
			panic(fmt.Sprintf("gallop: actortest: WithFaults: row %d makes no sense: %+v", i+1, f))
		}
	}
	return func(c *config) { c.setup.faults = append(c.setup.faults, table...) }
}

// nextFault returns the fault that is applied to a message, or nil.
func (r *R) nextFault(e sim.Event, refusal bool) *Fault {
	if r.hits == nil {
		r.hits = make([]hitCount, len(r.setup.faults))
		r.faultRand = rand.NewPCG(r.plan.systemSeed(), 3)
	}
	var found *Fault
	for i := range r.setup.faults {
		f := &r.setup.faults[i]
		if (f.Action == FaultRefuse) != refusal || !f.matches(e) {
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

// matches reports whether a fault applies to a behaviour.
func (f *Fault) matches(e sim.Event) bool {
	switch {
	case f.Type != "" && f.Type != e.Type, (e.Callback || e.News) && f.Action == FaultDrop:
		return false
	case f.Behaviour == "":
		return !e.Callback
	}
	return f.Behaviour == e.Behaviour
}

// hitCount counts how often a fault matched, and how often it was applied.
type hitCount struct{ matched, applied int }

// hit counts a message, and reports whether the fault is applied to it.
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
	case f.Action == FaultJump:
		r.clock.Jump(f.For)
	}
	return sim.Fault{Kind: faultKinds[f.Action], Value: InjectedPanic{*f}, Reason: ErrDropped}
}

func (r *R) refuse(typ, behaviour string) bool {
	return r.nextFault(sim.Event{Type: typ, Behaviour: behaviour}, true) != nil
}
