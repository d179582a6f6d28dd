//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// basin runs the messages of springs, one a turn.
type basin struct{ ran *int }

type spring struct{}

var (
	basinType = NewType[basin]("basin", WithBatch(1))
	basinTake = Declare[struct{}](basinType, "take")
	_         = basinType.Table(basinTake.Handle(func(b *basin, _ *Context, _ struct{}) { *b.ran++ }))

	springType = NewType[spring]("spring")
	springSend = Declare[Ref[basin]](springType, "send")
	_          = springType.Table(springSend.Handle(func(_ *spring, c *Context, to Ref[basin]) {
		basinTake.Send(c, to, struct{}{})
	}))
)

// TestMute_ReleasedInPartsExplored: a receiver opens its gate again and again while senders enter
// its wait list. Each turn releases one entry. No sender is left muted, and each message runs once.
func TestMute_ReleasedInPartsExplored(t *testing.T) {
	const springs = 3
	defer func(n int) { kernel.ReleaseAtOnce = n }(kernel.ReleaseAtOnce)
	kernel.ReleaseAtOnce = 1
	explore.PortfolioOf(t, 20_000, 5000, func(p *explore.Program) {
		s, ran := newStage(p), 0
		to := basinType.Spawn(s.sys, basin{&ran})
		for range 2 {
			basinTake.Send(s.sys, to, struct{}{})
		}
		s.crew[0].Step() // its batch is used up, and mail is left
		for range springs {
			r := springType.Spawn(s.sys, spring{})
			p.Go(func() { springSend.Send(s.sys, r, to) })
		}
		s.man()
		p.After(func() error {
			if err := s.resting(); err != nil {
				return err
			}
			if st := s.sys.Stats(); ran != 2+springs || st.Mutes != st.Unmutes {
				return fmt.Errorf("%d of %d messages, %d mutes, %d unmutes", ran, 2+springs, st.Mutes,
					st.Unmutes)
			}
			return nil
		})
	})
}
