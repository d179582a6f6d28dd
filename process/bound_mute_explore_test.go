//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/explore"
)

// standIn is in the place of the actor that stands for a process: it looks when it is asked to, and
// then applies its pressure or releases it. Package process/actors explores the actor itself.
type standIn struct {
	p       *explore.Program
	asked   []access.Look
	pressed bool
	waiting []*bool // what the senders that are muted wait for
	mutes   int
}

// ask is a message to the stand-in. Any thread.
func (a *standIn) ask(look access.Look) {
	a.p.Point()
	a.asked = append(a.asked, look)
}

// run is a turn. Its own thread only.
func (a *standIn) run() {
	a.p.Await(func() bool { return len(a.asked) > 0 })
	look := a.asked[0]
	a.asked = a.asked[1:]
	crowded := look(func(any) { a.ask(look) })
	a.p.Point()
	if a.pressed = crowded; !crowded {
		for _, released := range a.waiting {
			*released = true
		}
		a.waiting = nil
	}
}

// mute is a muteOption: the sender waits as long as there is pressure. Any thread.
func (a *standIn) mute(_, _ any, first bool, look access.Look) {
	if first {
		a.ask(look)
	}
	a.p.Point()
	if a.pressed {
		released := false
		a.waiting = append(a.waiting, &released)
		a.mutes++
		a.p.Await(func() bool { return released })
	}
}

// TestMuting_Explored: behaviours send to a process while it receives down to its low watermark,
// and the actor that stands for the process looks. No sender stays muted, and no pressure is left.
// Each message is received once. The process waits in receives; or for what is sent last, and is
// idle with a mailbox that is full; or it polls, and is never idle.
func TestMuting_Explored(t *testing.T) {
	for _, how := range []string{"receives", "receives the last first", "polls"} {
		t.Run(how, func(t *testing.T) {
			mutes := 0
			scene := func(p *explore.Program) { mutingScene(p, how, &mutes) }
			explore.PortfolioOf(t, 100_000, 10_000, scene)
			if mutes == 0 {
				t.Error("no sender was muted in any schedule")
			}
		})
	}
}

func mutingScene(p *explore.Program, how string, mutes *int) {
	const senders, each = 2, 2
	g, a := threadParty(), &standIn{p: p}
	s := &Self[int]{}
	s.party = party{sys: g.sys, outer: g}
	s.mailbox.p = &s.Proc
	s.limit("Spawn", []Option{WithWatermarks(2, 0), muteOption(a.mute)})
	b := s.mailbox.rare.bound
	received := [senders * each]int{}
	for i := range senders {
		p.Go(func() {
			for n := range each {
				b.sendMuting(&node[int]{m: each*i + n}, nil, g.sys)
			}
		})
	}
	p.Go(func() {
		for left := len(received); left > 0; {
			var match func(m int) bool
			if left == len(received) && how == "receives the last first" {
				match = func(m int) bool { return m == len(received)-1 }
			}
			switch prev, n := s.find(nil, match); {
			case n != nil:
				received[s.take(prev, n)]++
				left--
			case how == "polls":
				p.Spin()
			default:
				waitOutside(s)
			}
		}
	})
	p.Daemon(func() {
		for {
			a.run()
		}
	})
	p.After(func() error {
		*mutes += a.mutes
		if b.crowded() || a.pressed || b.muting.asked || b.muting.calm != nil {
			return fmt.Errorf("crowded %v, pressed %v, asked %v", b.crowded(), a.pressed, b.muting.asked)
		}
		for i, n := range received {
			if n != 1 {
				return fmt.Errorf("message %d is received %d times", i, n)
			}
		}
		return nil
	})
}
