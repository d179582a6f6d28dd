package actor

import (
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/timerwheel"

	"github.com/gallop-go/gallop/internal/sim"
)

// marks say from where messages of a deterministic system come that no behaviour has sent. In
// production such a message says only that it comes from outside. In a deterministic system a node
// is used once, so that it stands for its message.
type marks map[*message]mark

// mark is how a message comes, and on whose behalf.
type mark struct {
	via  sim.Via
	from *cell
}

// born notes what a new actor is called.
func (s *simulation) born(a *cell, t *typeInfo) {
	if s == nil || !s.told {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[a.id] = t.name
}

// name is how an actor is called in texts.
func (s *simulation) name(actor uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s#%d", s.types[actor], actor)
}

// comes notes from where m comes. The caller is about to push it.
func (s *simulation) comes(m *message, via sim.Via, from *cell) {
	if s == nil || !s.told {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via, from}
}

// origin returns how a message of the user's has come, and from which actor; 0 is outside.
func (s *simulation) origin(m *message) (via sim.Via, from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[m]; ok {
		return of.via, of.from.id
	}
	return sim.BySend, m.From &^ msg.WasStashed
}

// hasRun forgets a message that has run.
func (s *simulation) hasRun(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks.questions, m)
	delete(s.marks, m)
}

// stashed notes that m is the running message, was, put aside.
func (s *simulation) stashed(was, m *message) {
	if s == nil {
		return
	}
	s.count(-1) // it was sent once
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[was]; ok {
		s.marks[m] = of
	}
}

// unit watches one turn for package actortest: what its function sends, arms, and whether it stops
// its actor. A message is known by its node when it is made, and by its receiver when it has come
// there: between the two nothing of a send is slowed down for the sake of tests.
type unit struct {
	now   *sim.Turn // nil: no such turn runs
	in    *Context  // of the worker that runs it
	nodes map[*message]madeIn
	count int
}

// madeIn is the turn in which a node was made.
type madeIn struct {
	turn  *sim.Turn
	place int
}

// made notes a node that was made for the behaviour that runs.
func (u *unit) made(c *Context, m *message) {
	if u.now != nil && u.in == c {
		u.count++
		u.nodes[m] = madeIn{u.now, u.count}
	}
}

// came enters a message that has come to its receiver.
func (u *unit) came(m *message, e sim.Event, payload any) {
	in, ok := u.nodes[m]
	if !ok || e.Kind == sim.Panicked {
		return
	}
	delete(u.nodes, m)
	sent := sim.Sent{Event: e, Message: payload, Order: in.place}
	at, _ := slices.BinarySearchFunc(in.turn.Sent, in.place, func(s sim.Sent, place int) int { return s.Order - place })
	in.turn.Sent = slices.Insert(in.turn.Sent, at, sent)
}

// InTurn sends an actor a function that runs in a turn of it, and enters in t what the
// function does. It is for package actortest; no other package can use it.
func InTurn[S any](t *sim.Turn, to Ref[S], f func(*S, *Context)) error {
	return to.b.sys().push(to.b, newSignal(to.b.sys(), unitTurn{t: t, f: func(a *cell, c *Context) { f(stateOf[S](a), c) }}), asPlaced)
}

// unitTurn is the message that brings the function.
type unitTurn struct {
	unanswered
	t *sim.Turn
	f func(*cell, *Context)
}

func (s unitTurn) serve(a *cell, c *Context) {
	of := c.sys.sim
	of.callback(c, a, "In")
	u, before := &of.unit, slices.Clone(a.armed())
	if u.nodes == nil {
		u.nodes = map[*message]madeIn{}
	}
	defer func() { u.now = nil }() // also if f panics
	u.now, u.in = s.t, c
	s.f(a, c)
	s.t.Stopped = c.then&mustEnd != 0
	if x := a.cold; x != nil && s.t.Stopped {
		s.t.Reason = x.exitWhy
	}
	for _, at := range a.armed() {
		if a, ok := armedIn(at, a, u); ok && !slices.Contains(before, at) {
			s.t.Armed = append(s.t.Armed, a)
		}
	}
}

// armed returns the timers of an actor, those that have run as well, in the order of their arming.
func (a *cell) armed() []timerwheel.Ref {
	if a.cold == nil || a.cold.timers == nil {
		return nil
	}
	return a.cold.ownTimers().list
}

// armedIn says what a timer of a is about, and that its message is none that was sent.
func armedIn(t timerwheel.Ref, a *cell, u *unit) (out sim.Armed, ok bool) {
	k := a.cold.ownTimers().shard.Find(t)
	if k == nil || isOwn(k.ID) {
		return out, false
	}
	d := a.typ().decls[k.ID]
	m := k.Held
	if m == nil {
		m = d.size.New(msg.Outside)
		d.copy(m, k)
	}
	delete(u.nodes, m)
	after := time.Duration(k.Due() - a.sys().opts.clock.Nanos())
	return sim.Armed{Behaviour: d.name, After: after, Every: time.Duration(k.Period), Message: d.payload(m)}, true
}

// injectFault makes something go wrong in a deterministic system, as package actortest was told to,
// before a behaviour or a callback. All but the panic is what the runtime does by itself, here
// without a reason.
func (a *cell) injectFault(c *Context, f sim.Fault) {
	switch f.Kind {
	case sim.Panic:
		panic(f.Value)
	case sim.Stop:
		c.Stop()
	case sim.Kill:
		a.tell(c, stopRequest{mode: modeKill, why: ErrKilled})
	case sim.Delay:
		c.w.Lag()
	case sim.Preempt:
		c.Gas(maxBatch)
	case sim.Flood:
		flood(c, a)
	case sim.Collect, sim.Starve:
		injectHeapFault(c, a, f.Kind)
	}
}

// flood fills the mailbox with messages that do nothing, for two turns.
func flood(c *Context, a *cell) {
	for range 2 * a.batch() {
		a.box.Push(newSignal(c, nil)) // it runs, so nobody needs to be woken
	}
}

// injectHeapFault collects the actor's heap, or lets it take no more.
func injectHeapFault(c *Context, a *cell, what sim.FaultKind) {
	switch {
	case a.arena == nil:
	case what == sim.Collect:
		c.then |= mustCollect
	default:
		c.Heap().SetLimit(1)
	}
}
