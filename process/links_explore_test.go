//go:build gallop_explore

package process

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/sched"
)

var errGone = errors.New("gone")

// threadProc is a process that a thread of a scenario plays. It parks as a goroutine outside.
func threadProc() *Proc {
	g := threadParty()
	return &Proc{party: party{sys: g.sys, outer: g}}
}

// ends is the end of a process.
func ends(p *Proc) {
	p.reason = errGone
	p.state.Store(ended)
	p.announceEnd(nil)
}

// TestUnlink_Explored: Unlink runs against the end of the other and of a third linked process, and
// against a cancel. Afterwards the process is not told to end because of the other, and other
// reasons are not lost. If it traps exits, no exit of the other comes afterwards. Mutants:
// internal/mutants/links.json.
func TestUnlink_Explored(t *testing.T) {
	for _, traps := range []bool{false, true} {
		for _, more := range []string{"nothing", "cancel", "link", "cancel and link"} {
			t.Run(fmt.Sprint("traps ", traps, " and ", more), func(t *testing.T) {
				explore.PortfolioOf(t, 200_000, 5000, func(p *explore.Program) { unlinks(p, traps, more) })
			})
		}
	}
}

func unlinks(pr *explore.Program, traps bool, more string) {
	p, o, third := threadProc(), threadProc(), threadProc()
	b := &mailbox[Exit]{p: p}
	if traps {
		post := func(e Exit) func(*sched.Worker, *System) {
			return func(w *sched.Worker, by *System) { b.put(&node[Exit]{m: e}, w, by) }
		}
		p.getLife().trap = &trap{func(e Exit, _ *sched.Worker, _ *System) func(*sched.Worker, *System) {
			return post(e)
		}, b.settle}
	}
	link(p, third)
	late, ownLate := 0, false
	pr.Go(func() {
		link(p, o)
		if p.unlink(o) {
			o.unlink(p)
		}
		b.fetch()
		for n := b.first; n != nil; n = n.next {
			late--
		}
		ownLate = p.cause.Load() == linkFailed && p.failedLink(linkFailed.after) == nil
	})
	pr.Go(func() { ends(o) })
	pr.Go(func() {
		switch more {
		case "cancel":
			p.tellToEnd(&cancel{reason: ErrStopped}, nil, p.sys)
		case "link":
			ends(third)
		case "cancel and link":
			p.tellToEnd(&cancel{reason: ErrStopped}, nil, p.sys)
			ends(third)
		}
	})
	pr.After(func() error {
		fromO := 0
		b.fetch()
		for n := b.first; n != nil; n = n.next {
			late++
			if n.m.From.p == o {
				fromO++
			}
			if n.m.From.p == third {
				late--
			}
		}
		c := p.cause.Load()
		why := p.failedLink(linkFailed.after)
		var linked *LinkedError
		switch {
		case ownLate:
			return fmt.Errorf("told to end for a link, and none has failed")
		case errors.As(why, &linked) && linked.From.p == o:
			return fmt.Errorf("to end for the link that was taken back")
		case late > 0 || fromO > 1:
			return fmt.Errorf("%d exits after Unlink, %d of the other", late, fromO)
		case more == "nothing" && c != nil:
			return fmt.Errorf("told to end for nothing")
		case more == "cancel" && (c == nil || c.reason != ErrStopped):
			return fmt.Errorf("the cancel is lost: %v", c)
		case more == "link" && !traps && (c != linkFailed || linked == nil || linked.From.p != third):
			return fmt.Errorf("the end of the third is lost: %v, %v", c, why)
		}
		if more == "cancel and link" && (c == nil || p.reasonOf(c) != ErrStopped) {
			return fmt.Errorf("to end for %v, not for the cancel, which came first", c)
		}
		gone := traps && (more == "link" || more == "cancel and link")
		return wants("links", p.life.Load().links.all.n, map[bool]int{true: 0, false: 1}[gone])
	})
}

// TestMonitors_Explored: a monitor that fires, is stopped and is given up by its owner, all at a time:
// one of them has it, and it is in no list afterwards.
func TestMonitors_Explored(t *testing.T) {
	for _, asks := range []bool{false, true} {
		for _, goesOn := range []bool{false, true} {
			t.Run(fmt.Sprint("asks ", asks, " goes on ", goesOn), func(t *testing.T) {
				explore.PortfolioOf(t, 200_000, 5000, func(p *explore.Program) { monitors(p, asks, goesOn) })
			})
		}
	}
}

// monitors is the scenario. If goesOn, the process that is watched does not end.
func monitors(pr *explore.Program, asks, goesOn bool) {
	of, owner := threadProc(), threadProc()
	owner.getLife()
	told, stopped := 0, 0
	m := &monitor{of: of, owner: owner, asks: asks, tell: func(Down, *sched.Worker, *System) { told++ }}
	other := &monitor{of: of, owner: threadProc(), tell: func(Down, *sched.Worker, *System) {}}
	other.enter()
	m.enter()
	if goesOn {
		other.stop()
	} else {
		pr.Go(func() { ends(of) })
	}
	pr.Go(func() { ends(owner) })
	pr.Go(func() {
		if m.stop() {
			stopped++
		}
	})
	pr.After(func() error {
		n := told + stopped
		if n > 1 || asks && n != 1 {
			return fmt.Errorf("told %d times and stopped %d times", told, stopped)
		}
		if m.place.in != nil || m.owned.in != nil || other.place.in != nil || other.owned.in != nil {
			return fmt.Errorf("a monitor is in a list still")
		}
		return nil
	})
}

// TestCase_Explored: two parties that use one case at a time. One of them panics, or they have it one
// after the other; the value is received once.
func TestCase_Explored(t *testing.T) {
	twices, turns := 0, 0
	explore.PortfolioOf(t, 200_000, 5000, func(p *explore.Program) {
		c, other := NewChan[int](0), NewChan[int](0)
		got := 0
		one := RecvFrom(c, &got, nil)
		received, panicked := 0, 0
		try := func() {
			defer func() {
				if recover() != nil {
					panicked++
				}
			}()
			if Select(threadParty(), one, RecvFrom(other, nil, nil)) == 0 {
				received++
			}
		}
		p.Go(try)
		p.Go(try)
		p.Go(func() {
			c.Send(threadParty(), 1)
			other.Close(threadParty())
		})
		p.After(func() error {
			switch {
			case received == 1 && panicked == 0:
				turns++
			case received == 1 && panicked == 1:
				twices++
			default:
				return fmt.Errorf("%d received, %d panicked", received, panicked)
			}
			if c.receivers.first != nil || other.receivers.first != nil {
				return fmt.Errorf("a waiter is left")
			}
			return wants("value", got, 1)
		})
	})
	if twices == 0 || turns == 0 {
		t.Errorf("%d panicked, %d in turns", twices, turns)
	}
}

// TestCaseTwice_Explored: a Select that has a case twice panics and has received nothing. A value
// sent to another of its cases meanwhile is not taken.
func TestCaseTwice_Explored(t *testing.T) {
	explore.PortfolioOf(t, 200_000, 5000, func(p *explore.Program) {
		c := NewChan[int](0)
		one := RecvFrom(NewChan[int](0), nil, nil)
		panicked, sent, received := 0, 0, 0
		p.Go(func() {
			defer func() {
				if recover() != nil {
					panicked++
				}
			}()
			if Select(threadParty(), RecvFrom(c, nil, nil), one, one) == 0 {
				received++
			}
		})
		p.Go(func() {
			if c.TrySend(outside(), 1) {
				sent++
			}
		})
		p.After(func() error {
			if panicked+received != 1 {
				return fmt.Errorf("%d panicked, %d received", panicked, received)
			}
			return wants("sent", sent, received)
		})
	})
}

// brokenCase is a case whose code does not return from withdraw.
type brokenCase struct{ noLock }

func (*brokenCase) foreign() bool                { return true }
func (*brokenCase) poll(*party) (*party, bool)   { return nil, false }
func (*brokenCase) enroll(*party, uint32) uint32 { return 0 }
func (*brokenCase) withdraw(*party)              { panic("planted") }

// TestForeignCase_Explored: a Select whose other case does not return when it is withdrawn, against a
// counterpart that waits, commits, or comes between the two looks of the Select. The counterpart goes
// on, the value is there, and the case may be used again.
func TestForeignCase_Explored(t *testing.T) {
	for _, sends := range []bool{false, true} {
		t.Run(fmt.Sprint("sends ", sends), func(t *testing.T) {
			outcomes := map[string]int{}
			explore.PortfolioOf(t, 200_000, 5000, func(p *explore.Program) { foreignCase(p, sends, outcomes) })
			if len(outcomes) != 2 {
				t.Errorf("outcomes %v: want some that return, and some that panic", outcomes)
			}
		})
	}
}

func foreignCase(pr *explore.Program, sends bool, outcomes map[string]int) {
	c, v, got := NewChan[int](0), 1, 0
	other, withdrawn := NewChan[int](0), &brokenCase{}
	one := RecvFrom(c, &got, nil)
	if sends {
		one = SendTo(c, &v)
	}
	outcome := "nothing"
	pr.Go(func() {
		outcome = "panics"
		defer func() { _ = recover() }()
		if Select(threadParty(), withdrawn, one, RecvFrom(other, nil, nil)) == 1 {
			outcome = "returns"
		}
	})
	pr.Go(func() {
		if sends {
			got, _ = c.Recv(threadParty())
		} else {
			c.Send(threadParty(), v)
		}
	})
	pr.After(func() error {
		outcomes[outcome]++
		if c.senders.first != nil || c.receivers.first != nil || other.receivers.first != nil {
			return fmt.Errorf("a waiter is left")
		}
		if k, ok := one.(*recvCase[int]); ok && k.taken.Load() != 0 {
			return fmt.Errorf("the case that receives is taken for good")
		}
		if k, ok := one.(*sendCase[int]); ok && k.taken.Load() != 0 {
			return fmt.Errorf("the case that sends is taken for good")
		}
		return wants("value", got, v)
	})
}
