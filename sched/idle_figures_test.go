//go:build gallop_figures

package sched_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// TestNoGoroutineBeforeWork: a scheduler that has nothing to do costs none.
func TestNoGoroutineBeforeWork(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, sched.Config{Workers: 8})
	quiet(t, s)
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines for nothing", n-before)
	}
}
