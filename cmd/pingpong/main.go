// Command pingpong measures the actor runtime on this machine. It runs a scenario on gallop and the
// same work on goroutines and channels, in turns, and prints how they compare.
//
//	go run ./cmd/pingpong
//	go run ./cmd/pingpong -scenario all
//	go run ./cmd/pingpong -scenario fanin -n 1000000 -workers 2 -json
//	go run ./cmd/pingpong -n 300000000 -observe localhost:8080
//
// The GC runs with GOGC=400 on both sides, unless the environment has a GOGC. The command exits
// with
//
//   - 0 if every count was right,
//   - 1 if a count was wrong,
//   - 2 on unusable flags,
//   - 130 if it was interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(wholeProcess(registry)) }

// wholeProcess is the whole process: the command, until it is done or interrupted.
func wholeProcess(known []scenario) int {
	relaxCollector()
	if os.Getenv(partEnv) == channelsPart {
		// all processes of a terminal, or of a group, get it
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		return serveTurns(known, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	secondKills(ctx, stop)
	if os.Getenv(partEnv) != "" {
		ctx = cancelAtEOF(ctx, os.Stdin)
	}
	return command{known: known, stdout: os.Stdout, stderr: os.Stderr}.run(ctx, os.Args[1:])
}
