package observetest_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe/observetest"
)

// A test lets the program do its usual work, and fails if a lint is found meanwhile.
func ExampleNoLints() {
	_ = func(t *testing.T) {
		sys := actor.Start()
		defer sys.Stop()
		end := observetest.NoLints(t, sys, "panic")
		serveForSomeSeconds(sys)
		end()
	}
}

func serveForSomeSeconds(*actor.System) {}
