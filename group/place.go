package group

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// errNoActor is the error of calls that need the actor of a topic or pool while there is none.
var errNoActor = fmt.Errorf("gallop: group: no actor at the moment: %w", actor.ErrSuspended)

// place holds the current actor of a topic, pool or registry. A supervisor may replace the actor by
// a new one, so the place outlives it.
//
// There is no actor before the first one. A supervisor's child that has ended is no actor either,
// until the supervisor replaces it. Meanwhile orders are kept. The next actor carries them out in
// OnStart, before its mail, so they come before any later message. Nothing is sent while mu is held.
type place[S any] struct {
	kind    string                     // "Topic", "Pool" …, for panics and errors. Read-only
	current seam.Pointer[actor.Ref[S]] // nil: there was no actor yet. Stored with mu held

	mu       sync.Mutex
	orders   []func(s *S, c *actor.Context) // guarded by mu; none is added while there is an actor
	started  bool                           // by Start; guarded by mu
	declared bool                           // by Child; guarded by mu
	lost     actor.Ref[S]                   // see lose; zero: not needed yet; guarded by mu
}

// actorRef returns the actor of now, which may have ended; zero if there was none yet.
func (p *place[S]) actorRef() (r actor.Ref[S]) {
	if now := p.current.Load(); now != nil {
		r = *now
	}
	return r
}

// status returns the status of the actor. While there is none it counts as overloaded, as an actor
// does that waits for its restart.
func (p *place[S]) status() actor.Status {
	now := p.current.Load()
	if now == nil {
		return actor.StatusOverloaded
	}
	s := now.Status()
	if s == actor.StatusEnded && p.isDeclared() {
		return actor.StatusOverloaded
	}
	return s
}

// errOf returns the error of a send or request to the actor: errNoActor if the actor has ended as a
// supervisor's child.
func (p *place[S]) errOf(err error) error {
	if err != nil && guard.Is(err, actor.ErrStopped) && !guard.Is(err, actor.ErrSystemStopped) &&
		p.isDeclared() {
		return errNoActor
	}
	return err
}

// stop ends the actor, if there is one.
func (p *place[S]) stop(from actor.Sender) {
	if to := p.current.Load(); to != nil {
		actor.Stop(from, *to)
	}
}

// order sends the actor an order, or keeps it until the next actor starts, for the function that
// handles it.
func order[S, O any](p *place[S], from actor.Sender, b actor.Behaviour[S, O],
	handle func(s *S, c *actor.Context, o O), o O) {
	kernel.EnvOf(from)
	to := p.current.Load()
	if to == nil || to.Status() == actor.StatusEnded {
		to = p.keep(func(s *S, c *actor.Context) { handle(s, c, o) })
	}
	if to != nil {
		b.Send(from, *to, o)
	}
}

// keep keeps an order. It returns the actor instead if there is one by now, or if it has ended and
// is no supervisor's child.
func (p *place[S]) keep(o func(s *S, c *actor.Context)) *actor.Ref[S] {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := p.current.Load()
	if to != nil && (!p.declared || to.Status() != actor.StatusEnded) {
		return to
	}
	p.orders = append(p.orders, o)
	return nil
}

// publish makes r the actor. It reports false if there is another one that has not ended.
func (p *place[S]) publish(r actor.Ref[S]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.current.Load(); now != nil && *now != r && now.Status() != actor.StatusEnded {
		return false
	}
	p.current.Store(&r)
	return true
}

// enter is called in OnStart. It makes the running actor the actor of the place, and returns a
// function that carries out the orders that were kept.
func (p *place[S]) enter(s *S, c *actor.Context) (carryOut func(), err error) {
	if !p.publish(actor.Self[S](c)) {
		return nil, errors.New("gallop: group: the " + p.kind +
			" has an actor already: make one for each tree")
	}
	p.mu.Lock()
	orders := p.orders
	p.orders = nil
	p.mu.Unlock()
	return func() {
		for _, o := range orders {
			o(s, c)
		}
	}, nil
}

// start makes sure that Start is called once, and not for the child of a supervisor.
func (p *place[S]) start(from actor.Sender) {
	kernel.EnvOf(from)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started || p.declared {
		panic("gallop: group: Start of a " + p.kind + " that was started, or is a supervisor's child")
	}
	p.started = true
}

// declare records that the actor is the child of a supervisor.
func (p *place[S]) declare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		panic("gallop: group: Child of a " + p.kind + " that was started")
	}
	p.declared = true
}

// isDeclared reports whether the actor is the child of a supervisor, which replaces it.
func (p *place[S]) isDeclared() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.declared
}

// lose makes a dead letter of a message that was sent before there was an actor. The dead letter
// names an actor of the type, which ends at once.
func lose[S, M any](p *place[S], typ *actor.Type[S], b actor.Behaviour[S, M], from actor.Sender,
	m M) {
	kernel.EnvOf(from)
	kernel.Refuse(from, receiverOf(b, p.standIn(typ, from)), m, errNoActor)
}

// standIn returns an actor that has been told to end.
func (p *place[S]) standIn(typ *actor.Type[S], from actor.Sender) actor.Ref[S] {
	p.mu.Lock()
	r := p.lost
	p.mu.Unlock()
	if !r.IsZero() {
		return r
	}
	var none S
	r = typ.Spawn(from, none)
	actor.Stop(from, r)
	p.mu.Lock()
	p.lost = r
	p.mu.Unlock()
	return r
}
