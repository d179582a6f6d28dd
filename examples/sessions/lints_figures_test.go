//go:build gallop_figures

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
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
	server, sys, end := beginWith(t, io.Discard)
	defer end()
	defer observetest.NoLints(t, sys)()
	begin := time.Now()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := 0; time.Since(begin) < work; n++ {
				call(t, server, "POST", fmt.Sprint("/users/user", i, n%20), "hello")
			}
		})
	}
	all.Wait()
}
