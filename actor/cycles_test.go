package actor_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// cycler is a supervisor whose children are spawned, fall, come up again and are stopped, one after
// the other. Each child has a name, timers, a child of its own and a stash, and is linked and
// watched.
type cycler struct {
	left  int
	n     int
	falls int
	downs int
	exits int
	child actor.Ref[cycled]
}

// cycled is a child of a cycler.
type cycled struct {
	n     int
	lets  *[]byte // memory that a defect would keep alive
	start func(*cycled, *actor.Context) error
}

const cycledBytes = 1 << 10

func (x *cycled) begin(c *actor.Context) error {
	actor.Every(c, time.Hour, cycledSay, "tick")
	actor.After(c, time.Hour, cycledDo, func(*cycled, *actor.Context) {})
	gone := actor.After(c, time.Minute, cycledDo, func(*cycled, *actor.Context) {})
	actor.After(c, time.Minute, cycledDo, func(*cycled, *actor.Context) {})
	gone.Cancel(c)
	actor.Watch(c, cycledType.SpawnChild(c, cycled{}), cycledDown)
	return c.Register("cycled-" + strconv.Itoa(x.n))
}

func (x *cycled) say(c *actor.Context, s string) { cycledSay.Stash(c, s) }

// next begins a cycle.
func (x *cycler) next(c *actor.Context) {
	if x.left == 0 {
		return
	}
	x.left--
	x.n++
	n := x.n
	x.child = actor.SpawnSupervised(c, cycledType, func(k *cycled) {
		b := make([]byte, cycledBytes)
		*k = cycled{n, &b, (*cycled).begin}
	}, cyclerFell)
	actor.Watch(c, x.child, cyclerDown)
	actor.Link(c, x.child)
	cycledSay.Send(c, x.child, "stashed")
	cycledDo.Send(c, x.child, func(k *cycled, c *actor.Context) {
		if n%16 == 0 {
			panic("on purpose")
		}
		c.Exit(errUser)
	})
}

func (x *cycler) fell(c *actor.Context, f actor.ChildDown) {
	if f.Final {
		x.next(c)
		return
	}
	x.falls++
	actor.Restart(c, f.Ref)
	switch x.n % 3 {
	case 0:
		actor.Stop(c, f.Ref)
	case 1:
		actor.Drain(c, f.Ref)
	default:
		actor.Kill(c, f.Ref)
	}
}

var (
	cyclerType = actor.NewType[cycler]("cycler")
	cyclerGo   = actor.Declare[int](cyclerType, "go")
	cyclerFell = actor.Declare[actor.ChildDown](cyclerType, "fell")
	cyclerDown = actor.Declare[actor.Down](cyclerType, "down")
	cyclerExit = actor.Declare[actor.Exit](cyclerType, "exit")
	_          = cyclerType.Table(
		cyclerGo.Handle(func(x *cycler, c *actor.Context, n int) {
			actor.TrapExit(c, cyclerExit)
			x.left = n
			x.next(c)
		}),
		cyclerFell.Handle((*cycler).fell),
		cyclerDown.Handle(func(x *cycler, _ *actor.Context, _ actor.Down) { x.downs++ }),
		cyclerExit.Handle(func(x *cycler, _ *actor.Context, _ actor.Exit) { x.exits++ }))

	cycledType = actor.NewType[cycled]("cycled").OnStart(func(x *cycled, c *actor.Context) error {
		if x.start == nil {
			return nil
		}
		return x.start(x, c)
	})
	cycledSay  = actor.Declare[string](cycledType, "say")
	cycledDo   = actor.Declare[func(*cycled, *actor.Context)](cycledType, "do")
	cycledDown = actor.Declare[actor.Down](cycledType, "down")
	_          = cycledType.Table(cycledSay.Handle((*cycled).say),
		cycledDo.Handle(func(x *cycled, c *actor.Context, f func(*cycled, *actor.Context)) { f(x, c) }),
		cycledDown.Handle(func(*cycled, *actor.Context, actor.Down) {}))
)

// heapInUse returns the size of the heap after two collections, and the number of its objects.
func heapInUse() (bytes, objects int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.HeapObjects)
}

// TestCycles: "10⁶ spawn/stop/restart cycles leak nothing" (10⁶ in the long form): no actor,
// no goroutine, no timer, no name, no link, no monitor, no ward, and no memory.
func TestCycles(t *testing.T) {
	sys, _ := onVirtualTime(t, actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}), actor.WithHooks(
			actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	r := cyclerType.Spawn(sys, cycler{})
	warm, n := 2_000, nightly(20_000, 1_000_000)
	cyclerGo.Send(sys, r, warm)
	quiet(t, sys)
	goroutines := runtime.NumGoroutine()
	before, objects := heapInUse()
	began := time.Now()
	cyclerGo.Send(sys, r, n)
	must(t, sys.Wait(t.Context()))
	took := time.Since(began)
	after, objectsAfter := heapInUse()
	t.Logf("%d cycles in %v: heap %d bytes in %d objects before, %d in %d after; %d goroutines "+
		"before, %d after", n, took,
		before, objects, after, objectsAfter, goroutines, runtime.NumGoroutine())
	st := sys.Stats()
	equal(t, "actors left", int(st.Spawned-st.Stopped), 1)
	equal(t, "spawned", int(st.Spawned), 1+3*(warm+n)) // a child in each life
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
	equal(t, "ties of the supervisor", actor.TiesOf(r), 0)
	// Workers that have taken over from others stay idle for a while, and so does the monitor.
	if more := runtime.NumGoroutine() - goroutines; figures && more > len(st.Workers)+1 {
		t.Errorf("%d goroutines more", more)
	}
	if grown := after - before; figures && grown > 256<<10 { // memory of caches, for any n
		t.Errorf("%d cycles left %d bytes", n, grown)
	}
}
