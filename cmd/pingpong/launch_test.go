package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// No process starts while Go's own handling of signals is restored, and the other way round.
func TestLaunch_NotBesideTheEndOfHandling(t *testing.T) {
	var calls atomic.Int32
	alone := func() {
		calls.Add(1)
		if launching.TryLock() {
			launching.Unlock()
			t.Error("both may happen at once")
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	stopped := make(chan struct{})
	secondKills(ended, func() { alone(); close(stopped) })
	<-stopped
	p := exec.CommandContext(asked{ended, alone}, os.Args[0]) // whose Start asks whether it shall
	if err := launch(p); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if calls.Load() < 2 {
		t.Error("Start did not ask its context")
	}
}

// "timeout(1) signals the process, and then its group": two signals in one breath are one, and a
// later one kills.
func TestSecondKills_NotInOneBreath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signaled := context.WithCancel(t.Context())
		kills := make(chan time.Time, 1)
		secondKills(ctx, func() { kills <- time.Now() })
		first := time.Now()
		signaled()
		if since := (<-kills).Sub(first); since != again {
			t.Errorf("another signal kills %v after the first", since)
		}
	})
}

// asked is a context that reports when it is asked.
type asked struct {
	context.Context
	heard func()
}

func (a asked) Done() <-chan struct{} { a.heard(); return a.Context.Done() }
