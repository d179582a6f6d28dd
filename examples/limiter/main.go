// Command limiter shows a rate limiter of one actor per client, on a clock that jumps. See
// README.md.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gallop-go/gallop/actor"
)

func main() {
	if err := demo(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "limiter:", err)
		os.Exit(1)
	}
}

// demo lets two clients ask for more than they get.
func demo(out io.Writer) error {
	clock := actor.NewVirtualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	l := NewLimiter(Rate{Burst: 3, Every: time.Second}, actor.Clock(clock))
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
