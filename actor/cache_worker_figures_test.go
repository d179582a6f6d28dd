//go:build gallop_figures

package actor_test

import (
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// Tests of the memory that an idle system keeps to use again.

// caches is a type of actors that run the functions that are sent to them, and take messages of
// type M.
type caches[M any] struct {
	typ  *actor.Type[int]
	load actor.Behaviour[int, M]
	do   actor.Behaviour[int, func(*actor.Context)]
}

func newCaches[M any](opts ...actor.TypeOption) caches[M] {
	k := caches[M]{typ: actor.NewType[int]("kept", opts...)}
	k.load, k.do = actor.Declare[M](k.typ, "load"), actor.Declare[func(*actor.Context)](k.typ, "do")
	k.typ.Table(k.load.Handle(func(*int, *actor.Context, M) {}),
		k.do.Handle(func(_ *int, c *actor.Context, f func(*actor.Context)) {
			f(c)
		}))
	return k
}

// keepsAtMost fails the test if the heap holds over limit bytes more than before.
func keepsAtMost(t *testing.T, before int64, limit int64) {
	t.Helper()
	var now int64
	// The garbage of other tests may need more than one collection.
	for range 10 {
		if now, _ = heapInUse(); now-before <= limit {
			return
		}
	}
	t.Errorf("%d bytes are kept, want %d at most", now-before, limit)
}

// loads makes an actor send 12 MiB of messages of type M to another one and to itself; messages to
// itself go back to its worker at once. Some messages come from outside.
func loads[M any](t *testing.T) {
	size := int(unsafe.Sizeof(*new(M)))
	t.Run(strconv.Itoa(size), func(t *testing.T) {
		k := newCaches[M]()
		sys := start(t, actor.WithWorkers(2))
		from := k.typ.Spawn(sys, 0)
		before, _ := heapInUse()
		for _, to := range []actor.Ref[int]{k.typ.Spawn(sys, 0), from} {
			k.do.Send(sys, from, func(c *actor.Context) {
				for range 12<<20/size + 1 {
					k.load.Send(c, to, *new(M))
				}
			})
			quiet(t, sys)
		}
		for range 4 << 20 / size {
			k.load.Send(sys, from, *new(M))
		}
		quiet(t, sys)
		// Two workers, each with 256 KiB and up to 16 KiB of three homes.
		keepsAtMost(t, before, 3<<18)
	})
}

// TestCache_Messages: "An idle worker keeps at most 0.3 MiB of messages of one layout", for
// messages of any size.
func TestCache_Messages(t *testing.T) {
	loads[[40]byte](t)
	loads[[100]byte](t)
	loads[[500]byte](t)
	loads[[1000]byte](t)
	loads[[5000]byte](t)
	loads[[64 << 10]byte](t)
	loads[[1 << 20]byte](t)
	loads[struct {
		p *int
		b [64 << 10]byte
	}](t)
}

// TestCache_Urgent: "An idle worker keeps at most 0.3 MiB of messages of one layout", and idle
// actors keep no urgent messages.
func TestCache_Urgent(t *testing.T) {
	typ := actor.NewType[int]("kept")
	load := actor.Declare[[64 << 10]byte](typ, "load", actor.Urgent())
	typ.Table(load.Handle(func(*int, *actor.Context, [64 << 10]byte) {}))
	sys := start(t, actor.WithWorkers(1))
	before, _ := heapInUse()
	var all [200]actor.Ref[int]
	for i := range all {
		all[i] = typ.Spawn(sys, 0)
		load.Send(sys, all[i], [64 << 10]byte{})
	}
	quiet(t, sys)
	keepsAtMost(t, before, 1<<20)
	runtime.KeepAlive(all)
}

// fillHeap makes the running actor use a megabyte of its heap, and end.
func fillHeap(c *actor.Context) {
	a := c.Heap()
	for range 8000 {
		heap.New[[128]byte](a)
	}
	c.Stop()
}

// TestCache_Roots: a worker keeps less than 2.75 MiB of arena memory, also after many messages with
// handles.
func TestCache_Roots(t *testing.T) {
	k := newCaches[heap.Ptr[int]]()
	sys := start(t, actor.WithWorkers(1))
	before, _ := heapInUse()
	k.do.Send(sys, k.typ.Spawn(sys, 0), func(c *actor.Context) {
		p := heap.New[int](c.Heap())
		for range 500_000 {
			k.load.Send(c, actor.Self[int](c), p)
		}
		for range 8000 { // so that it is collected
			heap.New[[128]byte](c.Heap())
		}
		k.do.Send(c, actor.Self[int](c), func(c *actor.Context) { c.Stop() })
	})
	quiet(t, sys)
	keepsAtMost(t, before, 3<<20) // and messages
}

// TestCache_Detached: the memory of a worker that took over and has retired is left to the GC.
func TestCache_Detached(t *testing.T) {
	const n = 64
	k := newCaches[[200]byte]()
	goroutines := runtime.NumGoroutine()
	sys := start(t, actor.WithWorkers(2))
	before, _ := heapInUse()
	var in sync.WaitGroup
	in.Add(n)
	open := make(chan struct{})
	for range n {
		r := k.typ.Spawn(sys, 0)
		k.do.Send(sys, r, func(c *actor.Context) {
			for range 500 {
				k.load.Send(c, r, [200]byte{})
			}
			c.Blocking(func() { in.Done(); <-open })
		})
		k.do.Send(sys, r, fillHeap)
		k.do.Send(sys, k.typ.Spawn(sys, 0), func(c *actor.Context) {
			c.Blocking(func() { <-open })
			fillHeap(c)
		})
	}
	in.Wait()
	close(open)
	quiet(t, sys)
	// The workers and the monitor.
	eventually(t, "all spares to have retired", func() bool {
		return runtime.NumGoroutine() <= goroutines+3
	})
	// Two workers.
	keepsAtMost(t, before, 8<<20)
}

// TestCache_Stopped: a system that has stopped, and is kept, keeps no memory of its workers, pins
// included.
func TestCache_Stopped(t *testing.T) {
	if heap.Poisoned { // nothing is recycled
		return
	}
	for name, opts := range map[string][]actor.TypeOption{"Plain": nil,
		"Pinned": {actor.WithPinnedThread()}} {
		t.Run(name, func(t *testing.T) {
			k := newCaches[int](opts...)
			before, _ := heapInUse()
			// Each worker is kept, with 30 KiB.
			sys := start(t, actor.WithWorkers(1), actor.WithMaxBlocked(1))
			for range 16 {
				k.do.Send(sys, k.typ.Spawn(sys, 0), fillHeap)
			}
			quiet(t, sys)
			if now, _ := heapInUse(); now-before < 1<<18 {
				t.Errorf("%d bytes are kept: nothing was used", now-before)
			}
			sys.Stop()
			keepsAtMost(t, before, 3<<16) // of which the race detector may take half
			runtime.KeepAlive(sys)
		})
	}
}

// TestDefer_Kept: an actor that has put many replies off at a time keeps no memory for them
// afterwards.
func TestDefer_Kept(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r, caller := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{})
	const many = 1 << 17
	before, _ := heapInUse()
	clerkDo.Send(sys, caller, func(_ *clerk, c *actor.Context) {
		for range many {
			actor.AskTo(c, clerkWant, r, 0, clerkHeard)
		}
	})
	quiet(t, sys)
	clerkDo.Send(sys, r, func(k *clerk, c *actor.Context) {
		for i := range many {
			k.open[i].Reply(c, i, nil)
		}
		k.open = nil
	})
	quiet(t, sys)
	equal(t, "messages", sys.Stats().Messages, 2*many+2)
	keepsAtMost(t, before, 3<<18)
	runtime.KeepAlive(r)
}

// TestBursts_LeaveNothing: the memory of bursts of messages is free afterwards, although nodes in
// use lie beside nodes that are not in use.
func TestBursts_LeaveNothing(t *testing.T) {
	typ := actor.NewType[int]("crowd")
	flood := actor.Declare[func(*actor.Context)](typ, "flood")
	hit := actor.Declare[int](typ, "hit")
	typ.Table(flood.Handle(func(_ *int, c *actor.Context, f func(*actor.Context)) {
		f(c)
	}), hit.Handle(func(n *int, _ *actor.Context, by int) {
		*n += by
	}))
	sys := start(t, actor.WithWorkers(2))
	var crowd [500]actor.Ref[int]
	for i := range crowd {
		crowd[i] = typ.Spawn(sys, 0)
	}
	burst := func() {
		flood.Send(sys, crowd[0], func(c *actor.Context) {
			for range scaled(400) {
				for _, r := range crowd {
					hit.Send(c, r, 1)
				}
			}
		})
		quiet(t, sys)
	}
	burst()
	before, _ := heapInUse()
	for range 12 {
		burst()
		_, _ = heapInUse() // the GC empties the pools
	}
	after, _ := heapInUse()
	// Each worker keeps 256 KiB of nodes. Eight nodes are made together, and all eight stay in memory
	// while it keeps one of them.
	if left := after - before; left > 4<<20 {
		t.Errorf("%d bytes are left of 12 bursts", left)
	}
}

// TestTimer_FiredBurstIsLetGo: the memory of many timers is freed when the last of them has run,
// although no timer is armed or canceled afterwards.
func TestTimer_FiredBurstIsLetGo(t *testing.T) {
	n := scaled(100_000)
	for _, workers := range []int{1, 2} {
		sys, clock := onVirtualTime(t, actor.WithWorkers(workers))
		a, b := tallyType.Spawn(sys, tally{}), tallyType.Spawn(sys, tally{})
		before, _ := heapInUse()
		armMany.Send(sys, a, n/2)
		armMany.Send(sys, b, n/2)
		advance(t, clock, 2*time.Hour)
		quiet(t, sys)
		after, _ := heapInUse()
		// The actors' lists of them stay, a timer has 64.
		if kept := after - before; kept > 128<<10+int64(n)*24 {
			t.Errorf("%d workers: %d bytes are kept of %d timers", workers, kept, n)
		}
		equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
	}
}
