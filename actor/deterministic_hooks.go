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

// marks has the origin of messages that no behaviour has sent, in a deterministic system. In other
// systems such a message says only that it comes from outside. In a deterministic system a node is
// used once, so the node identifies its message.
type marks map[*message]mark

// mark is the way of a message to its receiver, and the actor or process on whose behalf it was
// sent.
type mark struct {
	via  sim.Via
	from uint64
	typ  string // the sender's type; "": look it up by the number
}

// born records the type of a new actor.
func (s *simulation) born(a *cell, t *typeInfo) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[a.id] = t.name
}

// name returns the name of an actor for texts, as in "socket#4".
func (s *simulation) name(actor uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s#%d", s.types[actor], actor)
}

// comes records the origin of m. The caller is about to push m.
func (s *simulation) comes(m *message, via sim.Via, from *cell) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: via, from: from.id}
}

// comesFromProcess records that a process sends m.
func (s *simulation) comesFromProcess(m *message, id uint64, typ string) {
	if !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: sim.BySend, from: id, typ: typ}
}

// processEvents returns the function that processes call with their events and payloads. It is nil
// unless the hook Event is set.
func (s *simulation) processEvents() func(e, payload any) {
	if s == nil || !s.observed {
		return nil
	}
	return func(e, payload any) { s.ofProcess(e.(sim.Event), payload) }
}

// ofProcess reports an event of a process to the hooks.
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

// sourceOf sets the source of a user's message in e. Via is the way by which the message came. From
// is the number of the actor or process that has sent it, or 0 if it came from outside.
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

// stashed records that m replaces the running message, was, in the stash.
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

// unit watches one turn for package actortest: it records the messages that the turn's function
// sends, the timers that it arms, and whether it stops its actor. A message is recorded when its
// node is made, and when it has come to its receiver. The steps of a send in between are not
// changed for the sake of tests.
type unit struct {
	now   *sim.Turn   // nil: no watched turn runs
	in    *kernelTurn // of the worker that runs the turn
	nodes map[*message]madeIn
	count int // nodes made in watched turns
}

// madeIn is the turn in which a node was made.
type madeIn struct {
	turn  *sim.Turn
	place int
}

// made records a node that was made for the running behaviour, if that is watched.
func (u *unit) made(c *kernelTurn, m *message) {
	if u.now != nil && u.in == c {
		u.count++
		u.nodes[m] = madeIn{u.now, u.count}
	}
}

// came adds a message that has come to its receiver to the turn that has sent it, in the order of
// the sends.
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

// inTurn sends an actor a function that runs in a turn of the actor, and records the actions of the
// function in t: see sim.InTurn.
func (r Ref[S]) inTurn(t *sim.Turn, f any) error {
	in := f.(func(*S, *Context))
	sys := r.b.sys()
	return sys.push(r.b, newSignal(sys, unitTurn{t: t, f: func(a *cell, c *kernelTurn) {
		in(stateOf[S](a), c.face())
	}}), asPlaced)
}

// unitTurn is the message that brings the function.
type unitTurn struct {
	unanswered
	t *sim.Turn
	f func(*cell, *kernelTurn)
}

func (s unitTurn) serve(a *cell, c *kernelTurn) {
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

// armedBy returns the timers of an actor in the order of their arming. It includes timers that have
// fired.
func armedBy(a *cell) []timerwheel.Ref {
	if a.cold == nil || a.cold.parts[timersPart] == nil {
		return nil
	}
	return timersOf(a.cold).list
}

// armedIn describes a timer of a that the function has armed. It removes the timer's message from
// the nodes of u: the message was not sent. ok is false for a timer of the runtime's own, and for a
// timer that is gone.
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

// injectFault injects a fault in a deterministic system, before a behaviour or a callback. Package
// actortest chooses the faults. Except for the panic, each fault is something that the runtime also
// does by itself.
func injectFault(a *cell, c *kernelTurn, f sim.Fault) {
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

// flood pushes empty messages to the mailbox: enough for two turns.
func flood(c *kernelTurn, a *cell) {
	for range 2 * a.batch() {
		a.box.Push(newSignal(c, nil)) // a runs, so it need not be woken
	}
}

// injectHeapFault makes the actor collect its arena, or sets the arena's limit so that it can take
// no more memory.
func injectHeapFault(c *kernelTurn, a *cell, what sim.FaultKind) {
	switch {
	case a.arena == nil:
	case what == sim.Collect:
		c.then |= mustCollect
	default:
		c.Heap().SetLimit(1)
	}
}

// A deterministic system records the callers that wait for replies, and the state of their
// requests. So a run in which a caller waits for ever can report that as soon as nothing can happen
// any more. The code below keeps these records. The rest of the runtime reports that a reply is put
// off, and that a goroutine or a turn begins or ends its wait in Ask. Whether an actor still waits
// for a message is looked up when the list of waits is made.

// askLog records waits for replies. Only one thread runs at a time; it changes the log under the
// lock of the simulation.
type askLog struct {
	questions map[*message]any // the questions of the running requests
	putOffs   []putOff         // in the order of Defer; some may be answered
	calls     []openCall       // in the order in which the waits began
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
	by    *cell // the actor whose turn waits; nil: a goroutine waits
	pipe  bool  // the caller is a goroutine of the run; if by is nil, it runs a function of Pipe
	to    *cell
	d     *descriptor
	since int64
}

// running records the question of a request that is about to run. The message loses the question
// before its method runs.
func (s *simulation) running(m *message, question any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.questions[m] = question
}

// putOff records a reply that Defer puts off. Now and then it removes the replies that were given.
func (s *simulation) putOff(c *kernelTurn, d *deferral) {
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

// enter records that a caller begins to wait, and returns the argument for leave.
func (s *simulation) enter(o openCall) *callState {
	o.since, o.pipe = s.sys.opts.clock.Nanos(), sched.RunOf() != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = append(s.asks.calls, o)
	return o.call
}

// leave records that the wait is over.
func (s *simulation) leave(k *callState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = slices.DeleteFunc(s.asks.calls, func(o openCall) bool { return o.call == k })
}

// awaitOne waits until came reports true, for one of several replies. It returns the last result of
// came. to is one of the actors that have not replied yet, and stands for all of them in the log.
func (s *simulation) awaitOne(ctx context.Context, to *cell, d *descriptor, came func() bool) bool {
	k := new(callState) // stands for all calls
	_, me := callerHere()
	defer s.leave(s.enter(openCall{call: k, by: me, to: to, d: d}))
	return s.sys.sched.Await(ctx, came)
}

// inLife returns the caller a, or nil if the life in which it has asked is over: then it gets no
// outcome.
func inLife(a *cell, mark uint16) *cell {
	if a != nil && mark != 0 && a.cold.isStale(mark) {
		return nil
	}
	return a
}

// waits returns the waits for replies: first the callers in Ask, then the actors that wait for a
// message, then the processes. Nothing runs meanwhile.
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
	inCall map[*callState]int // the indices of the callers in Ask
}

// addProcesses adds the processes that wait for replies of other processes or of actors. processes
// is nil if no system of processes was joined.
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

// add adds a caller that waits for the reply of to to a request of d. If the caller was entered as
// a goroutine or turn in Ask, add completes that entry with the state of the request. It does
// nothing if by and k are nil.
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

// addMail adds the callers whose requests are in the mail of an actor that is in no queue. The
// actor has stashed the request, or is suspended.
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
