package actor

import (
	"context"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

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
	if s == nil || !s.told {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const some = 64
	if len(s.asks.putOffs)%some == some-1 {
		s.asks.putOffs = slices.DeleteFunc(s.asks.putOffs, func(p putOff) bool { return p.state.Load() != deferralOpen })
	}
	s.asks.putOffs = append(s.asks.putOffs, putOff{d, c.self.typ().decls[c.msg.ID], s.asks.questions[c.msg], s.sys.opts.clock.Nanos(), c.msg.Life})
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
func (a *cell) inLife(mark uint16) *cell {
	if a != nil && mark != 0 && a.isStale(mark) {
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
			w.add(by.inLife(p.life), k, p.by.Load(), p.d, sim.Wait{Question: p.question, Since: time.Duration(p.since), How: sim.PutOff})
		}
	}
	s.sys.stopList.mu.Lock()
	list := s.sys.stopList.all.Members()
	s.sys.stopList.mu.Unlock()
	for _, a := range list {
		w.addMail(a)
	}
	return w.all
}

// waitList is a list of waits that is being made.
type waitList struct {
	all    []sim.Wait
	inCall map[*callState]int // which of them is in Ask, by its call
}

// enter adds a goroutine, or the turn of an actor, that waits in Ask.
func (l *waitList) enter(o openCall) {
	w := sim.Wait{Callee: o.to.String(), Type: o.to.typ().name, Behaviour: o.d.name, Since: time.Duration(o.since)}
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
			l.add(by.inLife(m.Life), k, a, d, sim.Wait{Question: d.payload(m), How: how})
		}
	}
	for m := a.cold.stash.list.First; m != nil; m = m.Next {
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
