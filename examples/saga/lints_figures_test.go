//go:build gallop_figures

package main

import (
	"os"
	"testing"
	"time"

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
	for _, style := range []string{inActors, inProcesses} {
		b := newBank(accounts, start, 0, style)
		end := observetest.NoLints(t, b.sys)
		for begin, n := time.Now(), 0; time.Since(begin) < work/2; n += 100 {
			if err := b.more(t.Context(), n, 100); err != nil {
				t.Error(err)
				break
			}
		}
		end()
		b.sys.Stop()
	}
}
