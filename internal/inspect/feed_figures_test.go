//go:build gallop_figures

package inspect_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestDeadLetters_Memory: a feed does not grow with the letters, of which none has a goroutine.
func TestDeadLetters_Memory(t *testing.T) {
	sys := start(t)
	dead := dollType.Spawn(sys, doll{})
	if err := actor.StopWait(soon(t), dead); err != nil {
		t.Fatal(err)
	}
	f := inspect.DeadLetters(sys)
	defer f.Close()
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	sendTwice(sys, dead, 500_000)
	most := 0
	for range 100 {
		most = max(most, runtime.NumGoroutine())
		f.Letters()
	}
	quiet(t, sys)
	runtime.GC()
	runtime.ReadMemStats(&b)
	if most > 40 {
		t.Errorf("%d goroutines", most)
	}
	if more := int64(b.HeapAlloc) - int64(a.HeapAlloc); more > 1<<20 {
		t.Errorf("the heap has grown by %d bytes", more)
	}
}
