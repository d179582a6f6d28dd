//go:build gallop_figures

package actor_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestAsk_Crowded: when the processors are busy with other goroutines, callers park at once after a
// while, and so does the worker. All callers get their answers. When the other goroutines have
// ended, callers yield again before they park.
func TestAsk_Crowded(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := puppetType.Spawn(sys, puppet{})
	ctx := soon(t)
	ask := func() {
		_, err := value.Ask(ctx, r, struct{}{})
		must(t, err)
	}
	asked := 200
	for range asked { // to measure the fastest yield
		ask()
	}
	over := make(chan struct{})
	var others sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		others.Go(func() {
			for end := false; !end; runtime.Gosched() {
				for begun := time.Now(); time.Since(begun) < 20*time.Microsecond; {
				}
				select {
				case <-over:
					end = true
				default:
				}
			}
		})
	}
	eventually(t, "callers to park at once", func() bool { ask(); asked++; return actor.Crowded(sys) })
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 50 {
				ask()
			}
		})
	}
	callers.Wait()
	close(over)
	others.Wait()
	if !raceDetector { // with it each yield counts as late
		eventually(t, "callers to let others run", func() bool { ask(); return !actor.Crowded(sys) })
	}
	if n := sys.Stats().Messages; n < uint64(asked+8*50) {
		t.Errorf("%d messages have run", n)
	}
}
