package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the command itself in the processes that the tests of apart start. Otherwise it
// fails the package when a test has left a goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv(partEnv) != "" {
		os.Exit(wholeProcess(append(registry, retainer, endless, miscounted, lost, signaled, killedBy,
			gone,
			stuck, shaken, collecting)))
	}
	goleak.VerifyTestMain(m)
}
