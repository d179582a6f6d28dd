package actortest

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// Turn records what a function did in a turn of an actor: see [In].
type Turn[S any] struct {
	Ref  actor.Ref[S] // the actor, which lives on
	Sent []Sent       // in the order of sending
	// in order, without those canceled in the turn
	Armed   []Armed
	Stopped bool  // it has called Stop or Exit
	Reason  error // the argument of Exit
}

// Sent is a message or a request that was sent in a turn.
type Sent struct {
	To        string // the receiver, as "bank#2"
	Behaviour string // for which the message was
	Message   any    // for a request, the question
	Request   bool   // by AskTo and its like
	Dead      bool   // the receiver did not run it
}

// Armed is a timer that was armed in a turn.
type Armed struct {
	Behaviour string        // that it runs
	After     time.Duration // until it fires for the first time
	Every     time.Duration // its period; 0 for a timer that fires once
	Message   any           // that it sends
}

func (s Sent) carried() any  { return s.Message }
func (a Armed) carried() any { return a.Message }

// Of returns the messages of one type from a list of sent or armed ones: as in
// actortest.Of[Charge](turn.Sent).
func Of[M any, E interface{ carried() any }](all []E) (of []M) {
	for _, e := range all {
		if m, ok := e.carried().(M); ok {
			of = append(of, m)
		}
	}
	return of
}

// In tests one method. It spawns an actor of type t with the given state, calls f in a turn of the
// actor, runs the system as [R.Quiet] does, and returns the actions of f. f gets the actor's state
// and a real context, in which Send, AskTo, After, Pipe, Self, Stop and everything else work.
// Messages of f go to probes or to other actors, and replies come back to the actor, which lives
// on. f should check the state itself: when In returns, the actor may have run more messages.
//
// [actor.Defer] and Stash need a running message, and f is none: to test a method that calls them,
// send the message. In fails the run if the actor has ended before f could run, or if f still waits
// for time to pass when all else is quiet.
func In[S any](r *R, t *actor.Type[S], state S, f func(s *S, c *actor.Context)) *Turn[S] {
	if r == nil || r.sys == nil {
		panic("gallop: actortest: In with a nil or zero R: use the one that the scenario was given")
	}
	if f == nil {
		panic("gallop: actortest: In: a nil function")
	}
	turn, began, done := &sim.Turn{}, false, false
	ref := t.Spawn(r.sys, state)
	err := kernel.AnyRef(ref).InTurn(turn, func(a *kernel.Cell, c *kernel.Turn) {
		began = true
		f(kernel.StateOf[S](a), face.Context(c))
		done = true
	})
	r.Quiet()
	switch {
	case err != nil || !began:
		r.Fatalf("In: %v had ended before the function could run", ref)
	case !done && ref.Status() != actor.StatusEnded: // otherwise it panicked
		r.Fatalf("In: the function in %v still waits when all else is quiet", ref)
	}
	out := &Turn[S]{Ref: ref, Stopped: turn.Stopped, Reason: turn.Reason}
	for _, s := range turn.Sent {
		e := s.Event
		out.Sent = append(out.Sent,
			Sent{fmt.Sprintf("%s#%d", e.Type, e.Actor), e.Behaviour, s.Message, e.Request,
				e.Kind == sim.DeadLetter})
	}
	for _, a := range turn.Armed {
		out.Armed = append(out.Armed, Armed(a))
	}
	return out
}
