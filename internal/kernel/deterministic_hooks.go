package kernel

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/kernel/timerwheel"
	"github.com/gallop-go/gallop/sched"
)

// marks has the origin of messages that no behaviour has sent, in a deterministic system. In other
// systems such a message says only that it comes from outside. In a deterministic system a node is
// used once, so the node identifies its message.
type marks map[*Message]mark

// mark is the way of a message to its receiver, and the actor or process on whose behalf it was
// sent.
type mark struct {
	via  sim.Via
	from uint64
	typ  string // the sender's type; "": look it up by the number
}

// born records the type of a new actor.
func (s *Simulation) born(a *Cell, t *TypeInfo) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[a.ID] = t.Name
}

// name returns the name of an actor for texts, as in "socket#4".
func (s *Simulation) name(actor uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s#%d", s.types[actor], actor)
}

// Comes records the origin of m: the way via, on behalf of the actor from. The caller is about to
// push m.
func (s *Simulation) Comes(m *Message, via sim.Via, from *Cell) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: via, from: from.ID}
}

// comesFromProcess records that a process sends m.
func (s *Simulation) comesFromProcess(m *Message, id uint64, typ string) {
	if !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[m] = mark{via: sim.BySend, from: id, typ: typ}
}

// processEvents returns the function that processes call with their events and payloads. It is nil
// unless the hook Event is set.
func (s *Simulation) processEvents() func(e sim.Event, payload any) {
	if s == nil || !s.observed {
		return nil
	}
	return s.ofProcess
}

// ofProcess reports an event of a process to the hooks.
func (s *Simulation) ofProcess(e sim.Event, payload any) {
	switch {
	case e.Kind == sim.SentToProcess:
		s.Count(1)
		return
	case e.Kind == sim.Run && !e.Callback:
		s.received.Add(1)
	}
	e.Process, e.Time = true, time.Duration(s.sys.Opts.Clock.Nanos())
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
func (s *Simulation) sourceOf(e *sim.Event, m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.marks[m]; ok {
		e.Via, e.From, e.FromType = of.via, of.from, of.typ
		return
	}
	e.Via, e.From = sim.BySend, m.From&^msg.WasStashed
}

// hasRun forgets a message that has run.
func (s *Simulation) hasRun(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks.questions, m)
	delete(s.marks, m)
}

// stashed records that m replaces the running message, was, in the stash.
func (s *Simulation) stashed(was, m *Message) {
	if s == nil {
		return
	}
	s.Count(-1) // it was sent once
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
	now   *sim.Turn // nil: no watched turn runs
	in    *Turn     // of the worker that runs the turn
	nodes map[*Message]madeIn
	count int // nodes made in watched turns
}

// madeIn is the turn in which a node was made.
type madeIn struct {
	turn  *sim.Turn
	place int
}

// made records a node that was made for the running behaviour, if that is watched.
func (u *unit) made(c *Turn, m *Message) {
	if u.now != nil && u.in == c {
		u.count++
		u.nodes[m] = madeIn{u.now, u.count}
	}
}

// came adds a message that has come to its receiver to the turn that has sent it, in the order of
// the sends.
func (u *unit) came(m *Message, e sim.Event, payload any) {
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

// unitTurn is the signal of InTurn.
type unitTurn struct {
	Unanswered
	t *sim.Turn
	f func(*Cell, *Turn)
}

// InTurn runs f in a turn of an actor of a simulated system, and records the actions of f in t.
// Any goroutine.
func (r AnyRef) InTurn(t *sim.Turn, f func(*Cell, *Turn)) error {
	sys := r.b.Sys()
	return sys.Push(r.b, NewSignal(sys, unitTurn{t: t, f: f}), asPlaced)
}

// Serve implements Signal.
func (s unitTurn) Serve(a *Cell, c *Turn) {
	of := c.Sys.Sim
	of.callback(c, a, "In")
	u, before := &of.unit, slices.Clone(ArmedBy(a))
	if u.nodes == nil {
		u.nodes = map[*Message]madeIn{}
	}
	defer func() { u.now = nil }() // also if f panics
	u.now, u.in = s.t, c
	s.f(a, c)
	s.t.Stopped = c.Then&mustEnd != 0
	if x := a.Cold; x != nil && s.t.Stopped {
		s.t.Reason = x.exitWhy
	}
	for _, at := range ArmedBy(a) {
		if a, ok := armedIn(at, a, u); ok && !slices.Contains(before, at) {
			s.t.Armed = append(s.t.Armed, a)
		}
	}
}

// ArmedBy returns the timers of an actor in the order of their arming. It includes timers that have
// fired. Owner only.
func ArmedBy(a *Cell) []timerwheel.Ref {
	if a.Cold == nil || a.Cold.Parts[TimersPart] == nil {
		return nil
	}
	return TimersOf(a.Cold).list
}

// armedIn describes a timer of a that the function has armed. It removes the timer's message from
// the nodes of u: the message was not sent. ok is false for a timer of the runtime's own, and for a
// timer that is gone.
func armedIn(t timerwheel.Ref, a *Cell, u *unit) (out sim.Armed, ok bool) {
	k := TimersOf(a.Cold).Shard.Find(t)
	if k == nil || isOwn(k.ID) {
		return out, false
	}
	d := a.Typ().Decls[k.ID]
	m := k.Held
	if m == nil {
		m = d.Size.New(msg.Outside)
		d.Copy(m, k)
	}
	delete(u.nodes, m)
	after := time.Duration(k.Due() - a.Sys().Opts.Clock.Nanos())
	return sim.Armed{Behaviour: d.Name, After: after, Every: time.Duration(k.Period),
		Message: d.Payload(m)}, true
}

// injectFault injects a fault in a deterministic system, before a behaviour or a callback. Package
// actortest chooses the faults. Except for the panic, each fault is something that the runtime also
// does by itself.
func injectFault(a *Cell, c *Turn, f sim.Fault) {
	switch f.Kind {
	case sim.Panic:
		panic(f.Value)
	case sim.Stop:
		c.Stop()
	case sim.Kill:
		a.Tell(c, StopRequest{Mode: ModeKill, Why: ErrKilled})
	case sim.Delay:
		c.W.Lag()
	case sim.Preempt:
		c.Gas(MaxBatch)
	case sim.Flood:
		flood(c, a)
	case sim.Collect, sim.Starve:
		injectHeapFault(c, a, f.Kind)
	}
}

// flood pushes empty messages to the mailbox: enough for two turns.
func flood(c *Turn, a *Cell) {
	for range 2 * a.batch() {
		a.Box.Push(NewSignal(c, nil)) // a runs, so it need not be woken
	}
}

// injectHeapFault makes the actor collect its arena, or sets the arena's limit so that it can take
// no more memory.
func injectHeapFault(c *Turn, a *Cell, what sim.FaultKind) {
	switch {
	case a.Arena == nil:
	case what == sim.Collect:
		c.Then |= MustCollect
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
	questions map[*Message]any // the questions of the running requests
	putOffs   []putOff         // in the order of Defer; some may be answered
	calls     []openCall       // in the order in which the waits began
}

// putOff is a reply that was put off.
type putOff struct {
	*Deferral
	d        *Descriptor
	question any
	since    int64
	life     uint16 // of the caller, as in the header of its request
}

// openCall is a goroutine, or the turn of an actor, that waits in Ask.
type openCall struct {
	call  *CallState
	by    *Cell // the actor whose turn waits; nil: a goroutine waits
	pipe  bool  // the caller is a goroutine of the run; if by is nil, it runs a function of Pipe
	to    *Cell
	d     *Descriptor
	since int64
}

// running records the question of a request that is about to run. The message loses the question
// before its method runs.
func (s *Simulation) running(m *Message, question any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.questions[m] = question
}

// PutOff records a reply that Defer puts off. Now and then it removes the replies that were given.
func (s *Simulation) PutOff(c *Turn, d *Deferral) {
	if s == nil || !s.observed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const some = 64
	if len(s.asks.putOffs)%some == some-1 {
		s.asks.putOffs = slices.DeleteFunc(s.asks.putOffs, func(p putOff) bool {
			return p.State.Load() != DeferralOpen
		})
	}
	s.asks.putOffs = append(s.asks.putOffs, putOff{d, c.Self.Typ().Decls[c.Msg.ID],
		s.asks.questions[c.Msg], s.sys.Opts.Clock.Nanos(), c.Msg.Life})
}

// enter records that a caller begins to wait, and returns the argument for leave.
func (s *Simulation) enter(o openCall) *CallState {
	o.since, o.pipe = s.sys.Opts.Clock.Nanos(), sched.RunOf() != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = append(s.asks.calls, o)
	return o.call
}

// leave records that the wait is over.
func (s *Simulation) leave(k *CallState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks.calls = slices.DeleteFunc(s.asks.calls, func(o openCall) bool { return o.call == k })
}

// AwaitOne waits until came reports true, for one of several replies. It returns the last result of
// came. to is one of the actors that have not replied yet, and stands for all of them in the log.
func (s *Simulation) AwaitOne(ctx context.Context, to *Cell, d *Descriptor, came func() bool) bool {
	k := new(CallState) // stands for all calls
	_, me := CallerHere()
	defer s.leave(s.enter(openCall{call: k, by: me, to: to, d: d}))
	return s.sys.Sched.Await(ctx, came)
}

// inLife returns the caller a, or nil if the life in which it has asked is over: then it gets no
// outcome.
func inLife(a *Cell, mark uint16) *Cell {
	if a != nil && mark != 0 && a.Cold.IsStale(mark) {
		return nil
	}
	return a
}

// waits returns the waits for replies: first the callers in Ask, then the actors that wait for a
// message, then the processes. Nothing runs meanwhile.
func (s *Simulation) waits() []sim.Wait {
	s.mu.Lock()
	calls, putOffs := slices.Clone(s.asks.calls), slices.Clone(s.asks.putOffs)
	s.mu.Unlock()
	w := waitList{inCall: map[*CallState]int{}}
	for _, o := range calls {
		w.enter(o)
	}
	for _, p := range putOffs {
		if p.State.Load() == DeferralOpen {
			by, k := p.To.Caller().awaits()
			w.add(inLife(by, p.life), k, p.By.Load(), p.d,
				sim.Wait{Question: p.question, Since: time.Duration(p.since), How: sim.PutOff})
		}
	}
	s.sys.StopList.mu.Lock()
	list := s.sys.StopList.All.Members()
	s.sys.StopList.mu.Unlock()
	for _, a := range list {
		w.addMail(a)
	}
	w.addProcesses(s.sys.processes.load())
	return w.all
}

// waitList is a list of waits that is being made.
type waitList struct {
	all    []sim.Wait
	inCall map[*CallState]int // the indices of the callers in Ask
}

// addProcesses adds the processes that wait for replies of other processes or of actors. processes
// is nil if no system of processes was joined.
func (l *waitList) addProcesses(processes joint.Processes) {
	if processes == nil {
		return
	}
	types, asking := map[uint64]string{}, []joint.ProcessLook{}
	processes.EachProcess(math.MaxInt, func(p joint.ProcessLook) {
		types[p.ID] = p.Type
		_, ofActor := p.Of.(AnyRef)
		if p.Waits && (p.Asked != 0 || ofActor && p.On == "reply of") {
			asking = append(asking, p)
		}
	})
	slices.SortFunc(asking, func(a, b joint.ProcessLook) int { return cmp.Compare(a.ID, b.ID) })
	for _, p := range asking {
		w := sim.Wait{Caller: fmt.Sprintf("%s#%d", p.Type, p.ID), How: sim.Owed}
		if t, ofActor := p.Of.(AnyRef); ofActor {
			a := t.must("Call")
			w.Callee, w.Type = a.String(), a.Typ().Name
		} else {
			w.Type = types[p.Asked]
			w.Callee = fmt.Sprintf("%s#%d", w.Type, p.Asked)
		}
		l.all = append(l.all, w)
	}
}

// enter adds a goroutine, or the turn of an actor, that waits in Ask.
func (l *waitList) enter(o openCall) {
	w := sim.Wait{Callee: o.to.String(), Type: o.to.Typ().Name, Behaviour: o.d.Name,
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
func (l *waitList) add(by *Cell, k *CallState, to *Cell, d *Descriptor, w sim.Wait) {
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
	w.Callee, w.Type, w.Behaviour = to.String(), to.Typ().Name, d.Name
	l.all = append(l.all, w)
}

// addMail adds the callers whose requests are in the mail of an actor that is in no queue. The
// actor has stashed the request, or is suspended.
func (l *waitList) addMail(a *Cell) {
	add := func(m *Message, how sim.How) {
		if d := a.Typ().Decls[m.ID]; d.Caller != nil {
			by, k := d.Caller(m).awaits()
			l.add(inLife(by, m.Life), k, a, d, sim.Wait{Question: d.Payload(m), How: how})
		}
	}
	for m := StashOf(a.Cold).first(); m != nil; m = m.Next {
		add(m, sim.Stashed)
	}
	for m := a.Cold.held.First; m != nil; m = m.Next {
		add(m, sim.Suspended)
	}
	a.Box.Each(&a.In, func(m *Message) bool {
		add(m, sim.Suspended)
		return true
	})
}
