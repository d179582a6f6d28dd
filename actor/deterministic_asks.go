package actor

import (
	"context"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// In a deterministic system it is known who waits for a reply, and what has become of the request.
// So a run in which somebody waits for ever can say so as soon as nothing can happen any more. All
// of it is kept here. The rest of the runtime says when a reply is put off, and when a goroutine or
// a turn begins to wait. Whether the reply is still awaited is asked when somebody wants to know, so
// that nothing has to say when a wait is over.

// askBook is who waits for what. Only one thread runs at a time, and locks what it changes.
type askBook struct {
	questions map[*message]any // of the requests that run
	putOffs   []putOff         // in the order of Defer; some may be over
	calls     []openCall       // in the order of their waits
}

// putOff is a reply that was put off.
type putOff struct {
	*deferral
	d        *declaration
	question any
	since    int64
}

// openCall is a goroutine, or the turn of an actor, that waits in Ask.
type openCall struct {
	call  *callState
	by    *body // whose turn waits; nil: a goroutine
	pipe  bool  // that is one of the system's own
	to    *body
	d     *declaration // nil: one of several, by AskAll or Replies
	since int64
}

// running says what the request asks that is about to run. The question is taken out of the message
// before its method runs.
func (s *simulation) running(m *message, question any) {
	s.mu.Lock()
	s.asks.questions[m] = question
	s.mu.Unlock()
}

// putOff enters a reply that Defer puts off.
func (s *simulation) putOff(c *Context, d *deferral) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const some = 64
	if len(s.asks.putOffs)%some == some-1 {
		s.asks.putOffs = slices.DeleteFunc(s.asks.putOffs, func(p putOff) bool { return p.state != deferralOpen })
	}
	s.asks.putOffs = append(s.asks.putOffs, putOff{d, c.self.typ().decls[c.msg.id], s.asks.questions[c.msg], s.sys.opts.clock.Nanos()})
}

// enter notes that somebody begins to wait, and returns what leave needs.
func (s *simulation) enter(o openCall) *callState {
	o.since, o.pipe = s.sys.opts.clock.Nanos(), sched.RunOf() != nil
	s.mu.Lock()
	s.asks.calls = append(s.asks.calls, o)
	s.mu.Unlock()
	return o.call
}

// leave notes that the wait is over.
func (s *simulation) leave(k *callState) {
	s.mu.Lock()
	s.asks.calls = slices.DeleteFunc(s.asks.calls, func(o openCall) bool { return o.call == k })
	s.mu.Unlock()
}

// awaitOne waits for the next of several replies, one of which is that of to.
func (s *simulation) awaitOne(ctx context.Context, to *body, came func() bool) bool {
	k := new(callState) // stands for all of them
	defer s.leave(s.enter(openCall{call: k, by: askerIn(to.sys(), to), to: to}))
	return s.sys.sched.Await(ctx, came)
}

// waits returns who waits for a reply: first those in Ask, then those who wait for a message.
// Nothing runs meanwhile.
func (s *simulation) waits() (all []sim.Wait) {
	s.mu.Lock()
	calls, putOffs := slices.Clone(s.asks.calls), slices.Clone(s.asks.putOffs)
	s.mu.Unlock()
	inCall := map[*callState]int{}
	for _, o := range calls {
		w := sim.Wait{Asked: o.to.String(), Type: o.to.typ().name, Since: time.Duration(o.since)}
		if o.by != nil {
			w.Asker = o.by.String()
		} else if o.pipe {
			w.Asker = "a Pipe"
		}
		if o.d != nil {
			w.Behaviour = o.d.name
		}
		inCall[o.call] = len(all)
		all = append(all, w)
	}
	add := func(by *body, k *callState, w sim.Wait) {
		if i, ok := inCall[k]; ok && k != nil {
			all[i].How, all[i].Question = w.How, w.Question
			return
		}
		if by != nil {
			w.Asker = by.String()
		}
		if by != nil || k != nil {
			all = append(all, w)
		}
	}
	for _, p := range putOffs {
		if p.state == deferralOpen {
			by, k := p.to.awaited()
			add(by, k, sim.Wait{Asked: p.by.String(), Type: p.by.typ().name, Behaviour: p.d.name,
				Question: p.question, Since: time.Duration(p.since), How: sim.PutOff})
		}
	}
	for _, at := range s.sys.wards.all.entries {
		for m := at.who.extra.stash.first; m != nil; m = m.next {
			b := at.who
			if d := b.typ().decls[m.id]; d.awaited != nil {
				by, k := d.awaited(m)
				add(by, k, sim.Wait{Asked: b.String(), Type: b.typ().name, Behaviour: d.name, Question: d.payload(m), How: sim.Stashed})
			}
		}
	}
	return all
}
