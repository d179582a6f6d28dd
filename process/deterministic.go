package process

import (
	"sync"

	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// In a deterministic run each operation that others can observe, or that lets others run, is a choice
// of the driver: other threads may go first. A run of package actortest is also told of each
// operation, message and end. All of this is off the paths of other systems, which pay a look at
// System.stepwise where an operation begins.

// deterministicRuns counts the deterministic systems that have not ended. Operations that are given
// neither an Env nor a Party look at it before they look for the process that calls.
var deterministicRuns seam.Count

// act is envOf for an operation.
func act(from Env) (*System, *sched.Worker) {
	sys, w := envOf(from)
	if sys.stepwise {
		sys.choose(from, w)
	}
	return sys, w
}

// choose lets others go first, and tells of the operation that was called.
func (s *System) choose(from Env, w *sched.Worker) {
	s.point(from, w)
	if by, ok := from.(Party); ok && s.joined.told != nil && by.self() != nil {
		by.self().did(callee())
	}
}

// point lets others go first. A process that is unwound because its system has stopped has no worker
// and no others.
func (s *System) point(from Env, w *sched.Worker) {
	if w != nil {
		w.Point()
		return
	}
	switch from.(type) {
	case *System, *Goroutine, *carrier:
		s.sched.Point()
	}
}

// choice is choose for an operation of the process.
func (p *Proc) choice(op string) {
	if p.w != nil {
		p.w.Point()
		p.did(op)
	}
}

// choiceHere is choice for the process that the calling goroutine runs, if it runs one of a
// deterministic system.
func choiceHere(op string) {
	if deterministicRuns.Load() == 0 {
		return
	}
	if p := processHere(); p != nil && p.sys.stepwise {
		p.choice(op)
	}
}

// told reports events to a run of package actortest.
type told struct {
	event func(e sim.Event, payload any) // read-only
	mu    sync.Mutex
	from  map[any]sim.Event // guarded by mu: the origins of waiting messages, by their nodes
}

// tell reports an event of p on a worker; nil: outside.
func (p *Proc) tell(w *sched.Worker, e sim.Event, payload any) {
	e.Actor, e.Type, e.Worker = p.id, p.typeName(), -1
	if w != nil {
		e.Worker = w.ID()
	}
	p.sys.joined.told.event(e, payload)
}

// did tells of an operation.
func (p *Proc) did(op string) {
	if p.sys.joined.told != nil {
		p.tell(p.w, sim.Event{Kind: sim.Did, Behaviour: op}, nil)
	}
}

// began tells that a process was started.
func (p *Proc) began(from Env, w *sched.Worker) {
	if p.sys.joined.told == nil {
		return
	}
	e := sim.Event{Kind: sim.Run, Behaviour: "start", Callback: true}
	e.From, e.FromType = p.sys.origin(from)
	p.tell(w, e, nil)
}

// tellEnd tells that the process ends. Processes that end with their system do not matter to a
// run.
func (p *Proc) tellEnd() {
	if p.sys.joined.told != nil {
		p.tell(p.w, sim.Event{Kind: sim.Ended, Behaviour: "end"}, p.reason)
	}
}

// origin returns the process that acts, or the number of the actor; 0 if the caller is outside.
func (s *System) origin(from Env) (id uint64, typ string) {
	switch by := from.(type) {
	case Party:
		if p := by.self(); p != nil {
			return p.id, p.typeName()
		}
	case *turnEnv:
		return s.joined.actors.ActorOn(by.w), ""
	}
	return 0, ""
}

// sends notes a message that is about to be put into the mailbox of p by the running code. news:
// the runtime has made the message. n is its node.
func (p *Proc) sends(n any, w *sched.Worker, news bool) {
	t := p.sys.joined.told
	if t == nil {
		return
	}
	t.event(sim.Event{Kind: sim.SentToProcess}, nil)
	e := sim.Event{News: news}
	if by := processHere(); news {
	} else if by != nil {
		e.From, e.FromType = by.id, by.typeName()
	} else if w != nil {
		e.From = p.sys.joined.actors.ActorOn(w)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from[n] = e
}

// receives tells the fate of a message to p: it was received, or became a dead letter.
func (p *Proc) receives(n, m any, what sim.Kind) {
	t := p.sys.joined.told
	if t == nil {
		return
	}
	t.mu.Lock()
	e, sent := t.from[n]
	delete(t.from, n)
	t.mu.Unlock()
	if !sent { // refused, or too late
		t.event(sim.Event{Kind: sim.SentToProcess}, nil)
	}
	e.Kind, e.Behaviour = what, "message"
	w := p.w
	if what == sim.DeadLetter {
		w = nil
		if by := processHere(); by != nil {
			w = by.w
		}
	}
	p.tell(w, e, m)
}
