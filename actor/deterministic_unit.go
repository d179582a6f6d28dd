package actor

import (
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/sim"
)

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
	return to.b.pushFromOutside(newSignal(nil, unitTurn{t: t, f: func(a *cell, c *Context) { f(stateOf[S](a), c) }}))
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
		if a, ok := at.in(a, u); ok && !slices.Contains(before, at) {
			s.t.Armed = append(s.t.Armed, a)
		}
	}
}

// armed returns the timers of an actor, those that have run as well, in the order of their arming.
func (a *cell) armed() []armedTimer {
	if a.cold == nil || a.cold.timers == nil {
		return nil
	}
	return a.cold.ownTimers().list
}

// in says what a timer of b is about, and that its message is none that was sent.
func (t armedTimer) in(a *cell, u *unit) (out sim.Armed, ok bool) {
	k := a.cold.ownTimers().shard.slab.find(t)
	if k == nil || isOwn(k.id) {
		return out, false
	}
	d := a.typ().decls[k.id]
	m := k.held
	if m == nil {
		m = d.size.newBlock(1)
		d.copy(m, k)
	}
	delete(u.nodes, m)
	after := time.Duration(int64(k.at) - a.sys().opts.clock.Nanos())
	return sim.Armed{Behaviour: d.name, After: after, Every: time.Duration(k.period), Message: d.payload(m)}, true
}
