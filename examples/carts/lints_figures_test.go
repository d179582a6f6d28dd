//go:build gallop_figures

package main

import (
	"os"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe/observetest"
)

// TestNoLints: at its usual work, package observe finds nothing wrong with it.
func TestNoLints(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds") // the page looks once a second
	}
	work := 2 * time.Second
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		work = 20 * time.Second
	}
	sys := actor.Start()
	defer sys.Stop()
	defer observetest.NoLints(t, sys)()
	refs := make([]actor.Ref[cart], 1000)
	for i := range refs {
		refs[i] = cartType.Spawn(sys, cart{})
	}
	for begin := time.Now(); time.Since(begin) < work; {
		if err := buy(t.Context(), sys, refs); err != nil {
			t.Fatal(err)
		}
	}
}
