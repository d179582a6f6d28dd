package banking

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestMoney: no money comes or goes.
func TestMoney(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	accounts, sum := start(sys, 10, 1000), 0
	if err := sys.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		n, err := look.Ask(context.Background(), a, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != 10*1000 {
		t.Errorf("the accounts have %d", sum)
	}
}
