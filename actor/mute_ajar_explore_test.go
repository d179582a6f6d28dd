//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// newMuted returns a muted actor that takes most further messages.
func newMuted(most uint32) *kernel.Cell {
	a := cellOfClass(&kernel.TypeInSystem{Policy: kernel.PlainMail{}, Typ: new(kernel.TypeInfo),
		Sys: &kernel.System{Opts: kernel.Options{Leeway: most, DeadlockPeriod: time.Hour}}})
	a.Load = backpressure.Muted
	a.ShutGate()
	return a
}

// TestAjar_Explored: three senders find a gate ajar, and the actor takes two messages. One sender
// passes, and two do not (C2, C3).
func TestAjar_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		a := newMuted(2)
		passed := 0
		for range 3 {
			p.Go(func() {
				if a.PassesAjar() {
					passed++
				}
			})
		}
		p.After(func() error {
			if passed != 1 || !a.AjarFull() {
				return fmt.Errorf("%d have passed; crowded: %v", passed, a.AjarFull())
			}
			return nil
		})
	})
}

// TestAjar_LetGoExplored: two senders meet the gate of a muted actor while it is unmuted, runs its
// mail and recovers. Neither is left parked. If the watermark was passed, the gate does not open
// before the mail has run (C4).
func TestAjar_LetGoExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		a := newMuted(2)
		all := map[*kernel.Cell]*fullWorld{}
		sent := 0
		for range 2 {
			w := &fullWorld{}
			w.Task.InitClass(&a.Shared().Class)
			all[&w.Cell] = w
			p.Go(func() {
				c := &kernel.Turn{Self: &w.Cell}
				c.MuteFor(a)
				sent++
				if c.Then&kernel.MayPark == 0 {
					return
				}
				w.Load |= backpressure.Muted
				if w.ShutGate(); w.BlockedOn.Park() {
					w.parked++
					p.Await(func() bool { return w.resumed == w.parked })
				} else {
					w.Load &^= backpressure.Muted
					unblockAll(all, w.OpenGate())
				}
			})
		}
		p.Go(func() {
			crowded := a.AjarFull()
			if a.Load = a.NotMuted(); a.Load.MustShut() {
				a.ShutGate() // as in unmute
			} else {
				unblockAll(all, a.OpenGate())
			}
			if crowded && (a.Gate.IsOpen() || a.Gate.IsAjar(&kernel.GateMark)) {
				p.Errorf("the watermark was passed, and the gate lets others pass")
			}
			a.ForgetAjar() // as in emptied
			a.Load &^= backpressure.Overloaded
			unblockAll(all, a.OpenGate())
		})
		p.After(func() error {
			for a, w := range all {
				if w.parked != w.resumed || a.BlockedOn.Count() != 0 {
					return fmt.Errorf("a sender was parked %d times, and resumed %d times", w.parked, w.resumed)
				}
			}
			if sent != 2 || !a.Gate.IsOpen() {
				return fmt.Errorf("%d have sent, open: %v", sent, a.Gate.IsOpen())
			}
			return nil
		})
	})
}
