//go:build gallop_figures

package main

import (
	"fmt"
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
	sys := actor.Start(actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	defer sys.Stop()
	defer observetest.NoLints(t, sys)()
	chat, err := NewChat(t.Context(), sys)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if err := chat.Enter("library", fmt.Sprint("user", i), false); err != nil {
			t.Fatal(err)
		}
	}
	for begin := time.Now(); time.Since(begin) < work; {
		for range 20 {
			if err := chat.Say(t.Context(), "library", "a line, and no more"); err != nil {
				t.Fatal(err)
			}
		}
		if err := sys.Wait(t.Context()); err != nil { // who lags loses lines, as the topic says
			t.Fatal(err)
		}
	}
}
