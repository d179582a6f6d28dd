package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// A Disk counts, and panics at an empty message.
type Disk struct{ written int }

func (d *Disk) Write(_ *actor.Context, s string) (int, error) {
	if s == "" {
		panic("nothing to write")
	}
	d.written++
	return d.written, nil
}

var (
	DiskType = actor.NewType[Disk]("disk")
	Write    = actor.DeclareAsk[string, int](DiskType, "write")
	_        = DiskType.Table(Write.Handle((*Disk).Write))
)

// quietly starts a system that does not log the panics that examples provoke.
func quietly(opts ...actor.Option) *actor.System {
	return actor.Start(append(opts, actor.WithWorkers(1),
		actor.WithLogger(slog.New(slog.DiscardHandler)))...)
}

// A tree is data. Its actors keep their refs when they are restarted, and lose their state.
func Example() {
	ctx, sys := context.Background(), quietly()
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[Disk]{Name: "disk", Type: DiskType,
			Init: func(d *Disk) { d.written = 100 }},
	}})
	_ = sys.Wait(ctx)
	disk, _ := supervise.Find[Disk](ctx, root, "disk")
	fmt.Println(Write.Ask(ctx, disk, "a line"))
	_, err := Write.Ask(ctx, disk, "")
	fmt.Println(err)
	fmt.Println(Write.Ask(ctx, disk, "a line"))
	sys.Stop()
	// Output:
	// 101 <nil>
	// gallop: actor panicked: nothing to write
	// 101 <nil>
}

// A tree prints as it is at the moment: who there is, how they stand, how often they were
// restarted and why.
func ExampleTree() {
	ctx, sys := context.Background(), quietly()
	root := supervise.Start(sys,
		supervise.Spec{Name: "app", Strategy: supervise.RestForOne, Children: []supervise.Child{
			supervise.Worker[Disk]{Name: "disk", Type: DiskType},
			supervise.Spec{Name: "mirrors", Children: []supervise.Child{
				supervise.Worker[Disk]{Name: "left", Type: DiskType},
				supervise.Worker[Disk]{Name: "right", Type: DiskType, Restart: supervise.Temporary},
			}},
		}})
	_ = sys.Wait(ctx)
	left, _ := supervise.Find[Disk](ctx, root, "mirrors", "left")
	_, _ = Write.Ask(ctx, left, "")
	_ = sys.Wait(ctx)
	var tree supervise.Node
	tree, _ = supervise.Tree(ctx, root)
	mirrors := tree.Children[1]
	for _, k := range mirrors.Children {
		fmt.Println(mirrors.Name, mirrors.Strategy, k.Name, k.State == supervise.Running,
			k.Restarts, k.Last)
	}
	sys.Stop()
	// Output:
	// mirrors one_for_one left true 1 gallop: actor panicked: nothing to write
	// mirrors one_for_one right true 0 <nil>
}

// Children of simple_one_for_one are started from a template, at any time.
func ExampleFromTemplate() {
	ctx, sys := context.Background(), quietly()
	disks := supervise.Start(sys, supervise.Spec{Name: "disks", Strategy: supervise.SimpleOneForOne,
		Template: supervise.Worker[Disk]{Type: DiskType, Restart: supervise.Transient}})
	var one supervise.Child = supervise.FromTemplate("sda", func(d *Disk) { d.written = 7 })
	any, err := supervise.StartChild.Ask(ctx, disks.Ref, one)
	sda, _ := actor.As[Disk](any)
	fmt.Println(err)
	fmt.Println(Write.Ask(ctx, sda, "a line"))
	tree, _ := supervise.Tree(ctx, disks)
	fmt.Println(len(tree.Children), tree.Children[0].State)
	_, err = supervise.RemoveChild.Ask(ctx, disks.Ref, "sda")
	fmt.Println(err)
	_ = sys.Wait(ctx)
	_, err = supervise.RestartChild.Ask(ctx, disks.Ref, "sda")
	fmt.Println(err)
	sys.Stop()
	// Output:
	// <nil>
	// 8 <nil>
	// 1 running
	// <nil>
	// gallop: supervise: no such child: "sda"
}

// A supervisor that has restarted its children too often gives up, and says why.
func ExampleEscalationError() {
	ctx, sys := context.Background(), quietly()
	var root supervise.Supervisor = supervise.Start(sys, supervise.Spec{
		Name:      "app",
		Strategy:  supervise.OneForAll,
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute},
		Children:  []supervise.Child{supervise.Worker[Disk]{Name: "disk", Type: DiskType}},
	})
	_ = sys.Wait(ctx)
	disk, _ := supervise.Find[Disk](ctx, root, "disk")
	_, _ = Write.Ask(ctx, disk, "")
	_, _ = Write.Ask(ctx, disk, "")
	down, _ := actor.Join(ctx, root)
	var e *supervise.EscalationError
	fmt.Println(errors.As(down.Reason, &e), errors.Is(down.Reason, supervise.ErrIntensity))
	fmt.Println(e)
	sys.Stop()
	// Output:
	// true true
	// gallop: supervise: too many restarts: "app" gives up over "disk": gallop: actor panicked: nothing to write
}

// A child that needs something that may be away backs off, longer every time. On a virtual clock
// there is no real waiting.
func ExampleBackoff() {
	ctx, clock := context.Background(),
		actor.NewVirtualClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	sys := quietly(actor.WithClock(clock))
	backoff := supervise.Backoff{First: time.Second, Max: time.Minute}
	tries := 0
	supervise.Start(sys, supervise.Spec{Name: "app",
		Intensity: supervise.Intensity{Restarts: 10, Within: time.Hour},
		Children: []supervise.Child{supervise.Worker[Disk]{Name: "disk", Type: DiskType,
			Backoff: backoff,
			Stop:    supervise.DrainWithin(5 * time.Second),
			Init: func(*Disk) {
				fmt.Println(clock.Now().Format(time.TimeOnly))
				if tries++; tries < 5 {
					panic("no disk")
				}
			}}}})
	_ = clock.Advance(ctx, time.Hour)
	fmt.Println(backoff.Delay(10, 0))
	sys.Stop()
	// Output:
	// 12:00:00
	// 12:00:01
	// 12:00:03
	// 12:00:07
	// 12:00:15
	// 1m0s
}

// The values of Restart have names.
func ExampleState() {
	var kind supervise.Restart = supervise.Transient
	var strategy supervise.Strategy = supervise.RestForOne
	var end supervise.Shutdown = supervise.StopWithin(time.Second)
	fmt.Println(supervise.BackingOff, supervise.State(supervise.Pending), kind, strategy,
		end != supervise.KillAtOnce())
	// Output:
	// backing off pending transient rest_for_one true
}

// A child finds an older sibling in its OnStart, by its name.
func ExampleSibling() {
	ctx, sys := context.Background(), quietly()
	root, err := supervise.StartWait(ctx, sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{
			supervise.Worker[Disk]{Name: "disk", Type: DiskType},
			supervise.Worker[Cache]{Name: "cache", Type: CacheType},
		}})
	fmt.Println(err)
	cache, _ := supervise.Find[Cache](ctx, root, "cache")
	fmt.Println(Put.Ask(ctx, cache, "a line"))
	sys.Stop()
	// Output:
	// <nil>
	// 1 <nil>
}

// A Cache writes to a disk.
type Cache struct{ disk actor.Ref[Disk] }

func (k *Cache) Start(c *actor.Context) (err error) {
	k.disk, err = supervise.Sibling[Disk](c, "disk")
	return err
}

func (k *Cache) Put(c *actor.Context, s string) (int, error) {
	return Write.Ask(context.Background(), k.disk, s)
}

var (
	CacheType = actor.NewType[Cache]("cache").OnStart((*Cache).Start)
	Put       = actor.DeclareAsk[string, int](CacheType, "put")
	_         = CacheType.Table(Put.Handle((*Cache).Put))
)

// The error says which child did not come up, and why.
func ExampleStartError() {
	ctx, sys := context.Background(), quietly()
	_, err := supervise.StartWait(ctx, sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Spec{Name: "fast",
			Children: []supervise.Child{supervise.Worker[Cache]{Name: "cache", Type: CacheType}}},
		// it is younger: the cache does not find it
		supervise.Worker[Disk]{Name: "disk", Type: DiskType},
	}})
	var e *supervise.StartError
	fmt.Println(errors.As(err, &e), errors.Is(err, supervise.ErrNoChild), e.Path)
	sys.Stop()
	// Output:
	// true true app/fast/cache
}

// OnEvent hears of everything that happens in a tree.
func ExampleEvent() {
	ctx, sys := context.Background(), quietly()
	var kinds []supervise.EventKind
	tell := func(e supervise.Event) {
		kinds = append(kinds, e.Kind)
		fmt.Println(e)
	}
	root, _ := supervise.StartWait(ctx, sys,
		supervise.Spec{Name: "app", OnEvent: tell, Children: []supervise.Child{
			supervise.Worker[Disk]{Name: "disk", Type: DiskType,
				Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute}},
		}})
	disk, _ := supervise.Find[Disk](ctx, root, "disk")
	for range 2 {
		_, _ = Write.Ask(ctx, disk, "")
		_ = sys.Wait(ctx)
	}
	fmt.Println(kinds[0] == supervise.ChildFailed, kinds[2] == supervise.GivenUp)
	sys.Stop()
	// Output:
	// app/disk (disk) failed: actor panicked: nothing to write; restarts: 1
	// app/disk (disk) restarted; restarts: 1
	// app/disk (disk) gave up: actor panicked: nothing to write; restarts: 1
	// true true
}

// A service that is told to end: see docs/service.md for a main.
func ExampleServe() {
	ctx, cancel := context.WithCancel(context.Background())
	err := supervise.Serve(ctx, quietly(), supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[Disk]{Name: "disk", Type: DiskType, Init: func(*Disk) { cancel() }},
	}}, time.Minute)
	fmt.Println(err)
	// Output:
	// <nil>
}
