package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/access"
)

// What package inspect asks of an actor in its turn are signals, as Stop and Link are.

// lookAtState brings f the state, between two messages.
type lookAtState struct{ f func(state any, err error) }

func (s lookAtState) serve(a *cell, c *Context) {
	x := a.cold
	if x != nil && (x.state != alive || x.unstarted) {
		s.f(nil, nil) // it waits for its restart, or was not started yet
		return
	}
	s.f(stateAt(a), nil)
}

func (s lookAtState) refused(a *cell, _ env) { s.f(nil, a.whyEnded()) }

// LookAtState calls f in a turn of the actor, ahead of its mail, with a pointer to the state: nil
// if the actor is not up. If it has ended, f is called with an error.
func (in *inspector) LookAtState(ref AnyRef, f func(state any, err error)) {
	targetOf("inspect.State", ref).tell(in.s, lookAtState{f})
}

// delayProbe calls f when the mail before it has run, or will not run.
type delayProbe struct{ f func(err error) }

func (s delayProbe) serve(*cell, *Context) { s.f(nil) }

func (s delayProbe) refused(a *cell, _ env) { s.f(a.whyEnded()) }

// lost implements lostInMail.
func (s delayProbe) lost(why error) { s.f(why) }

// Probe puts a signal behind the actor's mail that calls f in its turn, or with an error if it will
// not have one. f must not block.
func (in *inspector) Probe(ref AnyRef, f func(err error)) {
	a, s := targetOf("inspect.Delay", ref), in.s
	m := newSignal(s, delayProbe{f})
	if err := s.push(a, m, asSignal); err != nil {
		takeSignal(m)
		s.recycle(m)
		f(err)
	}
}

// lostInMail is a signal that waits behind mail, and hears if it is not served.
type lostInMail interface{ lost(why error) }

// peekLoad looks at how an actor stands against its gate, as Context.peek does.
//
//go:norace
//go:noinline
func peekLoad(a *cell, l *access.ActorLook) {
	const behind = backpressure.Overloaded | backpressure.Pressed
	l.Overloaded = a.load&behind != 0
	l.Muted = a.load&backpressure.Muted != 0
}
