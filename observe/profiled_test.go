package observe

import (
	"testing"

	"github.com/gallop-go/gallop/internal/inspect"
)

// The shares of two windows are of both together.
func TestTwoWindowsAddUp(t *testing.T) {
	seen := func(actor, n uint64) inspect.Busy {
		return inspect.Busy{Type: "t", Behaviour: "b", Actor: actor, Samples: n}
	}
	a := profiled{actors: []inspect.Busy{seen(1, 30), seen(2, 10)}, looks: 100, ran: 40}
	b := profiled{actors: []inspect.Busy{seen(2, 50), seen(3, 10)}, looks: 100, ran: 60}
	sum := a.plus(b)
	want := []inspect.Busy{seen(2, 60), seen(1, 30), seen(3, 10)}
	for i := range want {
		want[i].Share = float64(want[i].Samples) / 100
		if sum.actors[i] != want[i] {
			t.Errorf("place %d has %+v, want %+v", i, sum.actors[i], want[i])
		}
	}
	if sum.looks != 200 || sum.ran != 100 {
		t.Errorf("%d looks, %d of them at a turn", sum.looks, sum.ran)
	}
}
