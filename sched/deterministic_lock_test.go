//go:build gallop_invariants && !gallop_explore && !race

package sched_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// TestDriver_LockAtAChoice: a choice that is made under a lock of the runtime's panics, and names
// the place where the lock was taken. Otherwise the thread that waits for it has the baton, and the
// run hangs in a way that depends on the order.
func TestDriver_LockAtAChoice(t *testing.T) {
	s := start(t, sched.Config{Workers: 1, Driver: byChance(1)})
	said, g := map[string]any{}, newGraph(s)
	g.inject(g.node(func(w *sched.Worker) {
		for name, mu := range map[string]sync.Locker{"quick": &seam.QuickMutex{},
			"plain": &seam.Mutex{}} {
			func() {
				mu.Lock()
				defer mu.Unlock()
				defer func() { said[name] = recover() }()
				w.Point()
			}()
			w.Point() // without the lock
		}
	}))
	if err := s.WaitQuiet(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for name, v := range said {
		if err, _ := v.(error); err == nil || !strings.Contains(err.Error(), t.Name()) {
			t.Errorf("%s: %v", name, v)
		}
	}
	if len(said) != 2 {
		t.Errorf("only %v", said)
	}
}
