package observe

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// "so one look a second may meet none": a pressure lasts as long as glances meet it, and one that is
// applied again is another one.
func TestPressures(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	ref := actor.NewType[struct{}]("socket").Spawn(sys, struct{}{}).Any()
	var p pressures
	for n := range 60 { // tenths of a second
		now := []inspect.Pressure{{Actor: ref, Which: 1}}
		switch {
		case n%4 == 3:
			now = nil // nothing is muted at this moment
		case n >= 50:
			now[0].Which = 2
		}
		p.glance(at(0).Add(time.Duration(n)*beat), now)
	}
	all := p.found(at(6))
	if len(all) != 2 || all[0].actor.Type != "socket" || all[0].last.Sub(all[0].first) != 49*beat || all[1].first != at(5) {
		t.Errorf("found %+v", all)
	}
	if all = p.found(at(7).Add(beat)); len(all) != 1 || all[0].first != at(5) {
		t.Errorf("later found %+v", all)
	}
	if all = p.found(at(8)); len(all) != 0 {
		t.Errorf("at last found %+v", all)
	}
}
