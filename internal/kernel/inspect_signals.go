package kernel

import (
	"reflect"
	"unsafe"
)

// Package internal/inspect asks an actor by signals, as Stop and Link do, if the actor must answer
// in its turn.

// lookAtState calls f with the state, between two messages.
type lookAtState struct{ f func(state any, err error) }

// Serve implements Signal.
func (s lookAtState) Serve(a *Cell, c *Turn) {
	x := a.Cold
	if x != nil && (x.State != alive || x.unstarted) {
		s.f(nil, nil) // the actor waits for its restart, or has not been started
		return
	}
	s.f(stateAt(a), nil)
}

// Refused implements Signal.
func (s lookAtState) Refused(a *Cell, _ Env) { s.f(nil, a.WhyEnded()) }

// LookAtState calls f in a turn of the actor, ahead of its mail, with a pointer to the state. The
// pointer is nil if the actor is not up. If the actor has ended, f is called with an error. Any
// goroutine.
func (r AnyRef) LookAtState(f func(state any, err error)) { r.b.Tell(r.b.Sys(), lookAtState{f}) }

// stateAt returns a pointer to an actor's state. Owner only.
func stateAt(a *Cell) any {
	at := a.Plus(unsafe.Sizeof(Cell{}))
	return reflect.NewAt(reflect.TypeOf(a.Typ().State).Elem(), at).Interface()
}

// delayProbe calls f after the mail before it has run, or when it is certain not to run.
type delayProbe struct{ f func(err error) }

// Serve implements Signal.
func (s delayProbe) Serve(*Cell, *Turn) { s.f(nil) }

// Refused implements Signal.
func (s delayProbe) Refused(a *Cell, _ Env) { s.f(a.WhyEnded()) }

// lost implements lostInMail.
func (s delayProbe) lost(why error) { s.f(why) }

// Probe puts a signal into the actor's mailbox, after its mail. The signal calls f in the actor's
// turn, or calls it with an error if it will have no turn. f must not block. Any goroutine.
func (r AnyRef) Probe(f func(err error)) {
	a, s := r.b, r.b.Sys()
	m := NewSignal(s, delayProbe{f})
	if err := s.Push(a, m, asSignal); err != nil {
		takeSignal(m)
		f(err)
	}
}

// lostInMail is a signal that waits in the mailbox. lost is called if the signal is not served.
type lostInMail interface{ lost(why error) }
