package observe

import (
	"cmp"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// pressures follows actors under pressure. The mutes for them last milliseconds, since the runtime
// releases muted actors now and then, so one look a second may meet none.
type pressures struct{ seen map[inspect.Pressure]*pressed }

// pressed is a pressure of which actors were seen to be muted.
type pressed struct {
	actor       inspect.Actor
	first, last time.Time // of these looks
}

// pressureKept is how long after a mute was seen the pressure is taken to last.
const pressureKept = 2 * time.Second

// glance notes the pressures of this moment. At most mostActors are followed.
func (p *pressures) glance(at time.Time, now []inspect.Pressure) {
	for _, one := range now {
		if s := p.seen[one]; s != nil {
			s.last = at
		} else if len(p.seen) < mostActors {
			if p.seen == nil {
				p.seen = map[inspect.Pressure]*pressed{}
			}
			p.seen[one] = &pressed{first: at, last: at}
		}
	}
}

// found returns the pressures that last, in the order of their actors.
func (p *pressures) found(at time.Time) (all []pressed) {
	for k, s := range p.seen {
		if at.Sub(s.last) > pressureKept {
			delete(p.seen, k)
		} else {
			all = append(all, pressed{inspect.Describe(k.Actor), s.first, s.last})
		}
	}
	slices.SortFunc(all, func(a, b pressed) int {
		return cmp.Or(cmp.Compare(a.actor.ID, b.actor.ID), a.first.Compare(b.first))
	})
	return all
}
