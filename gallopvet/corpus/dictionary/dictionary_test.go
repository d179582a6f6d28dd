package dictionary

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestSnapshot: save saves as many entries as there were.
func TestSnapshot(t *testing.T) {
	sys := actor.Start()
	d := start(sys, 10, 100)
	v, err := snapshot.Ask(context.Background(), d, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	save.Send(sys, d, &n)
	if err := sys.Run(); err != nil {
		t.Fatal(err)
	}
	if int(n.Load()) != len(v.Get()) {
		t.Errorf("%d were saved, not %d", n.Load(), len(v.Get()))
	}
}
