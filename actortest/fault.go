package actortest

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/sim"
)

// Fault is a row of the table of what goes wrong in every run: see [Faults].
type Fault struct {
	// Type and Behaviour say where, by name; an empty one means any.
	Type, Behaviour string
	// At is the message with which it begins: 1, the default, is the first.
	At int
	// Times is how many messages it befalls; 0 means one, and a negative number all.
	Times int
	// Do is what happens.
	Do Action
}

// Action is what goes wrong.
type Action uint8

// The actions.
const (
	Panic  Action = iota + 1 // the behaviour panics, with an InjectedPanic, before it has done anything
	Stop                     // the actor stops when the behaviour has returned
	Drop                     // the message becomes a dead letter with reason ErrDropped
	Refuse                   // TrySend returns actor.ErrOverloaded
)

// InjectedPanic is what a behaviour panics with because of a [Fault].
type InjectedPanic struct {
	Fault Fault // the row that says so
}

// Error implements error.
func (p InjectedPanic) Error() string {
	return fmt.Sprintf("gallop: actortest: injected panic in %s.%s", p.Fault.Type, p.Fault.Behaviour)
}

// ErrDropped is the reason of dead letters that a [Fault] has made.
var ErrDropped = errors.New("gallop: actortest: dropped")

// Faults adds rows to the table of what goes wrong. All that fit a message count it; the
// first that is due befalls it.
func Faults(table ...Fault) Option {
	return func(c *config) { c.scene.faults = append(c.scene.faults, table...) }
}

// due returns the fault that befalls a message, or nil.
func (r *R) due(typ, behaviour string, refusal bool) *Fault {
	if r.hits == nil {
		r.hits = make([]int, len(r.scene.faults))
	}
	var found *Fault
	for i := range r.scene.faults {
		f := &r.scene.faults[i]
		if (f.Do == Refuse) != refusal || f.Type != "" && f.Type != typ || f.Behaviour != "" && f.Behaviour != behaviour {
			continue
		}
		if r.hits[i]++; found == nil && f.befalls(r.hits[i]) {
			found = f
		}
	}
	return found
}

// befalls tells whether the n-th message is one of those.
func (f *Fault) befalls(n int) bool {
	n -= max(f.At, 1)
	return n >= 0 && (f.Times < 0 || n < max(f.Times, 1))
}

func (r *R) fault(e sim.Event) sim.Fault {
	f := r.due(e.Type, e.Behaviour, false)
	switch {
	case f == nil:
		return sim.Fault{}
	case f.Do == Drop:
		return sim.Fault{Drop: ErrDropped}
	}
	return sim.Fault{Do: func(c any) { f.strike(c.(*actor.Context)) }}
}

// strike makes go wrong what the row says, in front of the behaviour.
func (f *Fault) strike(c *actor.Context) {
	switch f.Do {
	case Panic:
		panic(InjectedPanic{*f})
	case Stop:
		c.Stop()
	}
}

func (r *R) refuse(typ, behaviour string) bool { return r.due(typ, behaviour, true) != nil }
