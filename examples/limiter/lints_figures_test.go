//go:build gallop_figures

package main

import (
	"fmt"
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
	l := NewLimiter(Rate{Burst: 10, Every: time.Millisecond})
	defer l.Close()
	defer observetest.NoLints(t, l.sys)()
	begin := time.Now()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := 0; time.Since(begin) < work; n++ {
				if _, err := l.Allow(t.Context(), fmt.Sprint("client", i, n%100)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
