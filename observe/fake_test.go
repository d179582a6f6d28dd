package observe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// script is a source whose samples the test provides, one a tick.
type script struct {
	tick func(n int) *sample // n from 0

	mu            sync.Mutex
	begun, closed int
	ended         bool // the system
	stopped       []uint64
	known         []inspect.Actor
	stateOf       func(ctx context.Context, a inspect.Actor) (inspect.Snapshot, error)
}

func (s *script) begin() instruments {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return &scriptTools{script: s}
}

func (s *script) counts() (begun, closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun, s.closed
}

func (s *script) find(id uint64) (inspect.Actor, bool) {
	for _, a := range s.known {
		if a.ID == id {
			return a, true
		}
	}
	return inspect.Actor{}, false
}

func (s *script) state(ctx context.Context, a inspect.Actor) (inspect.Snapshot, error) {
	if s.stateOf == nil {
		return inspect.Snapshot{}, errors.New("no state in this script")
	}
	return s.stateOf(ctx, a)
}

func (s *script) mail(a inspect.Actor) []inspect.MailOf {
	if a.Queued == 0 {
		return nil
	}
	return []inspect.MailOf{{Behaviour: "say", Count: a.Queued}}
}

func (s *script) process(id uint64) (inspect.Process, string, bool) {
	return inspect.Process{ID: id, Type: "worker", Waits: true, On: "sleep"}, "secret-stack", id == 21
}

func (s *script) stop(a inspect.Actor) { s.stopped = append(s.stopped, a.ID) }

type scriptTools struct {
	*script
	n int
}

func (t *scriptTools) sample(at time.Time) *sample {
	s := &sample{}
	if t.tick != nil {
		s = t.tick(t.n)
	}
	t.n++
	s.at = at
	return s
}

func (t *scriptTools) glance(time.Time) {}

func (t *scriptTools) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

func (t *scriptTools) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed++
}

// an makes an actor for a script.
func an(typ string, id uint64, change ...func(*inspect.Actor)) inspect.Actor {
	a := inspect.Actor{ID: id, Type: typ, Status: actor.StatusIdle}
	for _, f := range change {
		f(&a)
	}
	return a
}

func queued(n int) func(*inspect.Actor)   { return func(a *inspect.Actor) { a.Queued = n } }
func named(n string) func(*inspect.Actor) { return func(a *inspect.Actor) { a.Name = n } }

// walkThrough runs a rule on a script of so many ticks, and returns the findings of each tick.
func walkThrough(r rule, ticks int, tick func(n int) *sample) [][]lint {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var before *sample
	var all [][]lint
	by := newJudge([]rule{r})
	for n := range ticks {
		s := tick(n)
		s.at = begin.Add(time.Duration(n) * time.Second)
		v := viewOf(begin, before, s, by, &history{})
		all, before = append(all, v.lints), s
	}
	return all
}
