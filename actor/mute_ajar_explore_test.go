//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// newMuted returns a muted actor that takes most further messages.
func newMuted(most uint32) *cell {
	a := cellOfClass(&typeInSystem{policy: plainMail{}, typ: new(typeInfo),
		sys: &kernelSystem{opts: options{leeway: most, deadlockPeriod: time.Hour}}})
	a.load = backpressure.Muted
	a.shutGate()
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
				if a.passesAjar() {
					passed++
				}
			})
		}
		p.After(func() error {
			if passed != 1 || !a.ajarFull() {
				return fmt.Errorf("%d have passed; crowded: %v", passed, a.ajarFull())
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
		all := map[*cell]*fullWorld{}
		sent := 0
		for range 2 {
			w := &fullWorld{}
			w.task.InitClass(&a.shared().Class)
			all[&w.cell] = w
			p.Go(func() {
				c := &kernelTurn{self: &w.cell}
				c.muteFor(a)
				sent++
				if c.then&mayPark == 0 {
					return
				}
				w.load |= backpressure.Muted
				if w.shutGate(); w.blockedOn.Park() {
					w.parked++
					p.Await(func() bool { return w.resumed == w.parked })
				} else {
					w.load &^= backpressure.Muted
					unblockAll(all, w.openGate())
				}
			})
		}
		p.Go(func() {
			crowded := a.ajarFull()
			if a.load = a.notMuted(); a.load.MustShut() {
				a.shutGate() // as in unmute
			} else {
				unblockAll(all, a.openGate())
			}
			if crowded && (a.gate.IsOpen() || a.gate.IsAjar(&gateMark)) {
				p.Errorf("the watermark was passed, and the gate lets others pass")
			}
			a.forgetAjar() // as in emptied
			a.load &^= backpressure.Overloaded
			unblockAll(all, a.openGate())
		})
		p.After(func() error {
			for a, w := range all {
				if w.parked != w.resumed || a.blockedOn.Count() != 0 {
					return fmt.Errorf("a sender was parked %d times, and resumed %d times", w.parked, w.resumed)
				}
			}
			if sent != 2 || !a.gate.IsOpen() {
				return fmt.Errorf("%d have sent, open: %v", sent, a.gate.IsOpen())
			}
			return nil
		})
	})
}
