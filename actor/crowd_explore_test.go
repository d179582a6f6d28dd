//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// newMuted is an actor that is muted, and takes most messages more.
func newMuted(most uint32) *body {
	b := bodyOfKind(&kind{typ: new(typeInfo), sys: &System{opts: options{leeway: most, stallPeriod: time.Hour}}})
	b.load = backpressure.Muted
	b.shutGate()
	return b
}

// TestCrowd_Explored: of three senders that find a gate ajar, whose actor takes two messages, one
// passes and two do not (C2, C3).
func TestCrowd_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		b := newMuted(2)
		passed := 0
		for range 3 {
			p.Go(func() {
				if b.letsPass() {
					passed++
				}
			})
		}
		p.After(func() error {
			if passed != 1 || !b.crowded() {
				return fmt.Errorf("%d have passed; crowded: %v", passed, b.crowded())
			}
			return nil
		})
	})
}

// TestCrowd_LetGoExplored: two senders meet the gate of a muted actor while it is let go, runs its
// mail and recovers. Nobody is left parked. If the watermark was passed, the gate does not open
// before the mail has run (C4).
func TestCrowd_LetGoExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		b := newMuted(2)
		all := map[*body]*fullWorld{}
		sent := 0
		for range 2 {
			w := &fullWorld{}
			w.task.InitKind(&b.kind().Kind)
			all[&w.body] = w
			p.Go(func() {
				c := &Context{self: &w.body}
				c.muteFor(b)
				sent++
				if c.then&mayPark == 0 {
					return
				}
				w.load |= backpressure.Muted
				if w.shutGate(); w.debt.Park() {
					w.parked++
					p.Await(func() bool { return w.resumed == w.parked })
				} else {
					w.load &^= backpressure.Muted
					forgive(all, w.openGate())
				}
			})
		}
		p.Go(func() {
			crowded := b.crowded()
			if b.load = b.notMuted(); b.load.MustShut() {
				b.shutGate() // as in unmute
			} else {
				forgive(all, b.openGate())
			}
			if crowded && (b.gate.IsOpen() || b.gate.IsAjar(&gateMark)) {
				p.Errorf("the watermark was passed, and the gate lets others pass")
			}
			b.forgetCrowd() // as in emptied
			b.load &^= backpressure.Overloaded
			forgive(all, b.openGate())
		})
		p.After(func() error {
			for b, w := range all {
				if w.parked != w.resumed || b.debt.Owes() != 0 {
					return fmt.Errorf("a sender was parked %d times, and resumed %d times", w.parked, w.resumed)
				}
			}
			if sent != 2 || !b.gate.IsOpen() {
				return fmt.Errorf("%d have sent, open: %v", sent, b.gate.IsOpen())
			}
			return nil
		})
	})
}
