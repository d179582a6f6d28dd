package actor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/timerwheel"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// marks say from where messages of a deterministic system come that no behaviour has sent. In
// production such a message says only that it comes from outside. In a deterministic system a node
// is used once, so that it stands for its message.
type marks map[*message]mark

// mark is how a message comes, and on whose behalf.
type mark struct {
	via  sim.Via
	from uint64
	typ  string // of the sender; "": that of an actor of the system
}

// born notes what a new actor is called.
func (s *simulation) born(a *cell, t *typeInfo) {
	if s == nil || !s.observed {
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
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: via, from: from.id}
}

// comesFromProcess notes that a process sends m.
func (s *simulation) comesFromProcess(m *message, id uint64, typ string) {
	if !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: sim.BySend, from: id, typ: typ}
}

// processEvents returns what is told of what processes do: nil unless package actortest is.
func (s *simulation) processEvents() func(e, payload any) {
	if s == nil || !s.observed {
		return nil
	}
	return func(e, payload any) { s.ofProcess(e.(sim.Event), payload) }
}

// ofProcess tells what a process does.
func (s *simulation) ofProcess(e sim.Event, payload any) {
	switch {
	case e.Kind == sim.SentToProcess:
		s.count(1)
		return
	case e.Kind == sim.Run && !e.Callback:
		s.received.Add(1)
	}
	e.Process, e.Time = true, time.Duration(s.sys.opts.clock.Nanos())
	s.mu.Lock()
	if e.FromType == "" {
		e.FromType = s.types[e.From]
	}
	s.doing = fmt.Sprintf("%s of %s#%d", e.Behaviour, e.Type, e.Actor)
	s.mu.Unlock()
	if s.hooks.Payload != nil {
		s.hooks.Payload(payload)
	}
	s.hooks.Event(e)
}

// sourceOf enters how a message of the user's has come, and from which actor or process; 0 is
// outside.
func (s *simulation) sourceOf(e *sim.Event, m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[m]; ok {
		e.Via, e.From, e.FromType = of.via, of.from, of.typ
		return
	}
	e.Via, e.From = sim.BySend, m.From&^msg.WasStashed
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
	at, _ := slices.BinarySearchFunc(in.turn.Sent, in.place, func(s sim.Sent, place int) int {
		return s.Order - place
	})
	in.turn.Sent = slices.Insert(in.turn.Sent, at, sent)
}

// inTurn sends an actor a function that runs in a turn of it, and enters in t what the
// function does: see sim.InTurn.
func (r Ref[S]) inTurn(t *sim.Turn, f any) error {
	in := f.(func(*S, *Context))
	sys := r.b.sys()
	return sys.push(r.b, newSignal(sys, unitTurn{t: t, f: func(a *cell, c *Context) {
		in(stateOf[S](a), c)
	}}), asPlaced)
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
	u, before := &of.unit, slices.Clone(armedBy(a))
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
	for _, at := range armedBy(a) {
		if a, ok := armedIn(at, a, u); ok && !slices.Contains(before, at) {
			s.t.Armed = append(s.t.Armed, a)
		}
	}
}

// armedBy returns the timers of an actor, those that have run as well, in the order of their arming.
func armedBy(a *cell) []timerwheel.Ref {
	if a.cold == nil || a.cold.parts[timersPart] == nil {
		return nil
	}
	return timersOf(a.cold).list
}

// armedIn says what a timer of a is about, and that its message is none that was sent.
func armedIn(t timerwheel.Ref, a *cell, u *unit) (out sim.Armed, ok bool) {
	k := timersOf(a.cold).shard.Find(t)
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
	return sim.Armed{Behaviour: d.name, After: after, Every: time.Duration(k.Period),
		Message: d.payload(m)}, true
}

// injectFault makes something go wrong in a deterministic system, as package actortest was observed
// to, before a behaviour or a callback. All but the panic is what the runtime does by itself, here
// without a reason.
func injectFault(a *cell, c *Context, f sim.Fault) {
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
		a.box.Push(newSignal(c, nil)) // it runs, so it need not be woken
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

// In a deterministic system it is known who waits for a reply, and what has become of the request.
// So a run in which a caller waits for ever can say so as soon as nothing can happen any more. All
// of it is kept here. The rest of the runtime says when a reply is put off, and when a goroutine or
// a turn begins to wait. Whether the reply is still awaited is looked up when the list of waits is
// wanted, so that nothing has to say when a wait is over.

// askLog is who waits for what. Only one thread runs at a time, and locks what it changes.
type askLog struct {
	questions map[*message]any // of the requests that run
	putOffs   []putOff         // in the order of Defer; some may be over
	calls     []openCall       // in the order of their waits
}

// putOff is a reply that was put off.
type putOff struct {
	*deferral
	d        *descriptor
	question any
	since    int64
	life     uint16 // of the caller, as in the header of its request
}

// openCall is a goroutine, or the turn of an actor, that waits in Ask.
type openCall struct {
	call  *callState
	by    *cell // whose turn waits; nil: a goroutine
	pipe  bool  // that is one of the system's own
	to    *cell
	d     *descriptor
	since int64
}

// running says what the request asks that is about to run. The question is taken out of the message
// before its method runs.
func (s *simulation) running(m *message, question any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.questions[m] = question
}

// putOff enters a reply that Defer puts off.
func (s *simulation) putOff(c *Context, d *deferral) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const some = 64
	if len(s.asks.putOffs)%some == some-1 {
		s.asks.putOffs = slices.DeleteFunc(s.asks.putOffs, func(p putOff) bool {
			return p.state.Load() != deferralOpen
		})
	}
	s.asks.putOffs = append(s.asks.putOffs, putOff{d, c.self.typ().decls[c.msg.ID],
		s.asks.questions[c.msg], s.sys.opts.clock.Nanos(), c.msg.Life})
}

// enter notes that a caller begins to wait, and returns what leave needs.
func (s *simulation) enter(o openCall) *callState {
	o.since, o.pipe = s.sys.opts.clock.Nanos(), sched.RunOf() != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = append(s.asks.calls, o)
	return o.call
}

// leave notes that the wait is over.
func (s *simulation) leave(k *callState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = slices.DeleteFunc(s.asks.calls, func(o openCall) bool { return o.call == k })
}

// awaitOne waits for the next of several replies, one of which is that of to.
func (s *simulation) awaitOne(ctx context.Context, to *cell, d *descriptor, came func() bool) bool {
	k := new(callState) // stands for all of them
	_, me := callerHere()
	defer s.leave(s.enter(openCall{call: k, by: me, to: to, d: d}))
	return s.sys.sched.Await(ctx, came)
}

// inLife returns the caller, or nil if the life is over in which it asked: that one hears no more.
func inLife(a *cell, mark uint16) *cell {
	if a != nil && mark != 0 && a.cold.isStale(mark) {
		return nil
	}
	return a
}

// waits returns who waits for a reply: first those in Ask, then those who wait for a message.
// Nothing runs meanwhile.
func (s *simulation) waits() []sim.Wait {
	s.mu.Lock()
	calls, putOffs := slices.Clone(s.asks.calls), slices.Clone(s.asks.putOffs)
	s.mu.Unlock()
	w := waitList{inCall: map[*callState]int{}}
	for _, o := range calls {
		w.enter(o)
	}
	for _, p := range putOffs {
		if p.state.Load() == deferralOpen {
			by, k := p.to.caller().awaits()
			w.add(inLife(by, p.life), k, p.by.Load(), p.d,
				sim.Wait{Question: p.question, Since: time.Duration(p.since), How: sim.PutOff})
		}
	}
	s.sys.stopList.mu.Lock()
	list := s.sys.stopList.all.Members()
	s.sys.stopList.mu.Unlock()
	for _, a := range list {
		w.addMail(a)
	}
	w.addProcesses(s.sys.processes.sys.Load())
	return w.all
}

// waitList is a list of waits that is being made.
type waitList struct {
	all    []sim.Wait
	inCall map[*callState]int // which of them is in Ask, by its call
}

// addProcesses adds the processes that wait for replies of others, or of actors; processes is nil if none were
// joined.
func (l *waitList) addProcesses(processes *any) {
	if processes == nil {
		return
	}
	types, asking := map[uint64]string{}, []access.ProcessLook{}
	access.EachProcess(*processes, math.MaxInt, func(p access.ProcessLook) {
		types[p.ID] = p.Type
		_, ofActor := p.Of.(Target)
		if p.Waits && (p.Asked != 0 || ofActor && p.On == "reply of") {
			asking = append(asking, p)
		}
	})
	slices.SortFunc(asking, func(a, b access.ProcessLook) int { return cmp.Compare(a.ID, b.ID) })
	for _, p := range asking {
		w := sim.Wait{Caller: fmt.Sprintf("%s#%d", p.Type, p.ID), How: sim.Owed}
		if t, ofActor := p.Of.(Target); ofActor {
			a := targetOf("Call", t)
			w.Callee, w.Type = a.String(), a.typ().name
		} else {
			w.Type = types[p.Asked]
			w.Callee = fmt.Sprintf("%s#%d", w.Type, p.Asked)
		}
		l.all = append(l.all, w)
	}
}

// enter adds a goroutine, or the turn of an actor, that waits in Ask.
func (l *waitList) enter(o openCall) {
	w := sim.Wait{Callee: o.to.String(), Type: o.to.typ().name, Behaviour: o.d.name,
		Since: time.Duration(o.since)}
	switch {
	case o.by != nil:
		w.Caller = o.by.String()
	case o.pipe:
		w.Caller = "a Pipe"
	}
	l.inCall[o.call] = len(l.all)
	l.all = append(l.all, w)
}

// add adds a caller who waits for the reply of to to d, or says what has become of the request of
// a goroutine that was entered.
func (l *waitList) add(by *cell, k *callState, to *cell, d *descriptor, w sim.Wait) {
	if i, ok := l.inCall[k]; ok && k != nil {
		l.all[i].How, l.all[i].Question = w.How, w.Question
		return
	}
	if by == nil && k == nil {
		return
	}
	if by != nil {
		w.Caller = by.String()
	}
	w.Callee, w.Type, w.Behaviour = to.String(), to.typ().name, d.name
	l.all = append(l.all, w)
}

// addMail adds those who wait because of the mail of an actor that is in no queue: it has put the
// request aside, or is suspended.
func (l *waitList) addMail(a *cell) {
	add := func(m *message, how sim.How) {
		if d := a.typ().decls[m.ID]; d.caller != nil {
			by, k := d.caller(m).awaits()
			l.add(inLife(by, m.Life), k, a, d, sim.Wait{Question: d.payload(m), How: how})
		}
	}
	for m := stashOf(a.cold).first(); m != nil; m = m.Next {
		add(m, sim.Stashed)
	}
	for m := a.cold.held.First; m != nil; m = m.Next {
		add(m, sim.Suspended)
	}
	a.box.Each(&a.in, func(m *message) bool {
		add(m, sim.Suspended)
		return true
	})
}
