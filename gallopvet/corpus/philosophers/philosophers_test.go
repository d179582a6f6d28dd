package philosophers

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// TestEat: all have eaten in the end.
func TestEat(t *testing.T) {
	sys := actor.Start()
	ended := make(chan int, 5)
	start(sys, 5, 100, bridge.ToChan(sys, ended))
	if err := sys.Run(); err != nil {
		t.Fatal(err)
	}
	if len(ended) != 5 {
		t.Errorf("%d have eaten", len(ended))
	}
}
