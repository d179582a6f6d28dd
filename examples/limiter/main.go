// Command limiter shows a rate limiter of one actor per client, on a clock that jumps. See
// README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gallop-go/gallop/actor"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program. It takes no arguments, and exits with 2 if there are any.
func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("limiter", flag.ContinueOnError)
	fs.SetOutput(stderr)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "limiter: unexpected argument %q\n", fs.Arg(0))
		fs.Usage()
		return 2
	}
	if err := demo(stdout); err != nil {
		fmt.Fprintln(stderr, "limiter:", err)
		return 1
	}
	return 0
}

// demo lets two clients ask for more than they get.
func demo(out io.Writer) error {
	clock := actor.NewVirtualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	l := NewLimiter(Rate{Burst: 3, Every: time.Second}, actor.WithClock(clock))
	defer l.Close()
	ctx := context.Background()
	for _, wait := range []time.Duration{0, time.Second, 1500 * time.Millisecond, time.Minute} {
		if err := clock.Advance(ctx, wait); err != nil {
			return err
		}
		for _, client := range []string{"ann", "bob"} {
			allowed := 0
			for range 5 {
				ok, err := l.Allow(ctx, client)
				if err != nil {
					return err
				}
				if ok {
					allowed++
				}
			}
			fmt.Fprintf(out, "after %v more: %s gets %d of 5\n", wait, client, allowed)
		}
	}
	return nil
}
