package main

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestDemo: the output in the README.
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := demo(&out); err != nil {
		t.Fatal(err)
	}
	const want = `after 0s more: ann gets 3 of 5
after 0s more: bob gets 3 of 5
after 1s more: ann gets 1 of 5
after 1s more: bob gets 1 of 5
after 1.5s more: ann gets 1 of 5
after 1.5s more: bob gets 1 of 5
after 1m0s more: ann gets 3 of 5
after 1m0s more: bob gets 3 of 5
`
	if out.String() != want {
		t.Errorf("it prints\n%s", &out)
	}
}

// TestLimiter: the requests passed never exceed the burst and the allowance since, for any client
// and any number of clients at a time. A quiet client leaves nothing behind.
func TestLimiter(t *testing.T) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	l := NewLimiter(Rate{Burst: 10, Every: time.Second}, actor.WithClock(clock))
	defer l.Close()
	var allowed atomic.Int64
	for range 5 {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for range 5 {
					ok, err := l.Allow(t.Context(), "ann")
					if err != nil {
						t.Error(err)
					}
					if ok {
						allowed.Add(1)
					}
				}
			})
		}
		all.Wait()
		if err := clock.Advance(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if n := allowed.Load(); n != 10+4 {
		t.Errorf("%d were allowed, want 14", n)
	}
	if err := clock.Advance(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Clients(t.Context()); n != 0 || err != nil {
		t.Errorf("%d buckets are left, %v", n, err)
	}
}

// TestLimiter_NeverFails: a bucket may be full, and end, between any two steps of callers that ask
// for it. They get another bucket, and no error.
func TestLimiter_NeverFails(t *testing.T) {
	l := NewLimiter(Rate{Burst: 1, Every: time.Microsecond},
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	defer l.Close()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 200 {
				if _, err := l.Allow(t.Context(), "ann"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// Bad arguments print an error and the usage, exit with 2, and run nothing.
func TestRun_BadArgumentsExit2WithUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-x": "not defined", "ann": `unexpected argument "ann"`,
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) ||
			!strings.Contains(stderr.String(), "Usage of limiter:") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want %q", args, code, &stdout, &stderr,
				says)
		}
	}
	if code := run([]string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit %d", code)
	}
}
