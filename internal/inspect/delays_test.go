package inspect_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestDelays: types are measured, "at most two of a type" at a time, and one that does not come to
// its mail for a while has a delay of that. After stop nothing is measured.
func TestDelays(t *testing.T) {
	sys := start(t)
	slow, err := dollType.SpawnNamed(sys, "slow", doll{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packType.SpawnNamed(sys, "quick", pack{}); err != nil {
		t.Fatal(err)
	}
	release := stuck(t, sys, slow)
	var mu sync.Mutex
	got := map[string][]time.Duration{}
	stop := inspect.Delays(sys, 10*time.Millisecond, func(typ string, d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		got[typ] = append(got[typ], d)
	})
	defer stop()
	of := func(typ string) []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return got[typ]
	}
	eventually(t, "the quick one is measured twice", func() bool { return len(of("pool")) >= 2 })
	equal(t, "of the slow one, meanwhile", len(of("doll")), 0)
	release()
	eventually(t, "the slow one is measured", func() bool { return len(of("doll")) >= 1 })
	// The quick one was measured twice meanwhile, and an actor is not more often than once a second.
	if d := of("doll")[0]; d < 900*time.Millisecond {
		t.Errorf("the slow one has a delay of %v", d)
	}
	stop()
	n := len(of("pool"))
	stop()
	equal(t, "after stop", len(of("pool")), n)
}

// TestDelays_Misuse: invalid arguments panic, and a deterministic system is left alone.
func TestDelays_Misuse(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	for _, f := range []func(){
		func() { inspect.Delays(sys, time.Millisecond, func(string, time.Duration) {}) },
		func() { inspect.Delays(sys, 0, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
	inspect.Delays(sys, 0, func(string, time.Duration) { t.Error("measured") })()
}

// TestDelays_StopWithin: stop panics if it is called within each, where it would wait for itself.
func TestDelays_StopWithin(t *testing.T) {
	sys := start(t)
	if _, err := packType.SpawnNamed(sys, "quick", pack{}); err != nil {
		t.Fatal(err)
	}
	var stop func()
	known := make(chan struct{})
	panics := make(chan any, 100)
	stop = inspect.Delays(sys, 10*time.Millisecond, func(string, time.Duration) {
		defer func() { panics <- recover() }()
		<-known
		stop()
	})
	close(known)
	eventually(t, "stop returns", func() bool { return len(panics) > 0 })
	stop()
	equal(t, "panic", fmt.Sprint(<-panics),
		"gallop: observe.MailboxDelays: each calls stop, which waits for it")
}
