package group_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// foreign is a handler that is no actor. Its TrySend returns why.
type foreign struct {
	why   error
	tried []int
	sent  []int
}

func (f *foreign) Send(_ actor.Sender, m int) { f.sent = append(f.sent, m) }
func (f *foreign) TrySend(_ actor.Sender,
	m int) error {
	f.tried = append(f.tried, m)
	return f.why
}

// standingFor is a foreign that says how it stands.
type standingFor struct {
	foreign
	standing actor.Status
}

func (s *standingFor) Status() actor.Status { return s.standing }

// TestForeign: "With any other error the handler keeps its place, and its Send is called with the
// same message", in a topic and in a pool. A handler that has ended is forgotten, and does not get
// the message.
func TestForeign(t *testing.T) {
	own := errors.New("no connection")
	for name, c := range map[string]struct {
		h     actor.Handler[int]
		see   func(actor.Handler[int]) *foreign
		ended bool
	}{
		"its own": {&foreign{why: own}, plain, false},
		"overloaded": {&foreign{why: fmt.Errorf("%w: %w", own, actor.ErrOverloaded)}, plain,
			false},
		"stopped":        {&foreign{why: fmt.Errorf("%w: %w", own, actor.ErrStopped)}, plain, true},
		"system stopped": {&foreign{why: actor.ErrSystemStopped}, plain, true},
		"stands busy":    {&standingFor{foreign{why: own}, actor.StatusBusy}, standsFor, false},
		"stands ended":   {&standingFor{foreign{why: own}, actor.StatusEnded}, standsFor, true},
	} {
		for kind, make := range waiters {
			*c.see(c.h) = foreign{why: c.see(c.h).why}
			sys := start(t, actor.WithWorkers(1),
				actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
			in := make(sys, c.h)
			for i := range 2 {
				in.Send(sys, i)
			}
			quiet(t, sys)
			tried, sent := "[0 1]", "[0 1]"
			if c.ended {
				tried, sent = "[0]", "[]"
			}
			if f := c.see(c.h); fmt.Sprint(f.tried) != tried || fmt.Sprint(f.sent) != sent {
				t.Errorf("%s in a %s: tried with %v, sent %v; want %s and %s", name, kind, f.tried,
					f.sent, tried, sent)
			}
		}
	}
}

func plain(h actor.Handler[int]) *foreign     { return h.(*foreign) }
func standsFor(h actor.Handler[int]) *foreign { return &h.(*standingFor).foreign }

// TestForeign_MemberStays: a pool goes on with a member that had an error of its own, and says so.
func TestForeign_MemberStays(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	f := &foreign{why: errors.New("no connection")}
	p := group.NewPool(group.RoundRobin[int](), f).Start(sys)
	p.Send(sys, 1)
	quiet(t, sys)
	f.why = nil
	p.Send(sys, 2)
	count(t, p.Len, 1)
	if fmt.Sprint(f.tried, f.sent) != "[1 2] [1]" {
		t.Errorf("tried with %v, sent %v", f.tried, f.sent)
	}
}
