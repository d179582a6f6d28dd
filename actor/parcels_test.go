package actor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// A message may own parcels and regions. If the message never runs, they are discarded.
// heap.Blobs counts the blobs that are left.

// payload is a message that owns two blobs.
type payload struct {
	parcel heap.Parcel
	region heap.Region[byte]
}

const shared = 2 * heap.SharedAbove

func newOwnedPayload() payload {
	f := payload{heap.NewParcel(strings.Repeat("p", shared)), heap.NewRegion[byte]()}
	heap.NewBlob(f.region.Arena(), strings.Repeat("r", shared))
	return f
}

// unload takes the parcel and the region over. It panics if either was discarded.
func (f payload) unload(c *actor.Context) {
	f.parcel.Unpack(c.Heap())
	f.region.Join(c.Heap())
}

// onPurpose is the panic value of a hauler that is told to fall.
const onPurpose = "on purpose"

// hauler is an actor with timers that carry payloads.
type hauler struct{ timers []actor.Timer }

// yard is a system with one supervisor and one hauler, on a virtual clock.
type yard struct {
	t      *testing.T
	sys    *actor.System
	clock  *actor.VirtualClock
	child  actor.Ref[hauler]
	runs   int
	typ    *actor.Type[hauler]
	do     actor.Behaviour[hauler, func(*hauler, *actor.Context)]
	take   actor.Behaviour[hauler, payload]
	onTake func(*hauler, *actor.Context, payload)
	parent actor.Behaviour[lodger, func(*actor.Context)]
	bosses actor.Ref[lodger]
}

func newYard(t *testing.T, opts ...actor.Option) *yard {
	y := &yard{t: t, typ: actor.NewType[hauler]("hauler"),
		onTake: func(*hauler, *actor.Context, payload) {}}
	y.do = actor.Declare[func(*hauler, *actor.Context)](y.typ, "do")
	y.take = actor.Declare[payload](y.typ, "take")
	y.typ.Table(y.do.Handle(func(h *hauler, c *actor.Context, f func(*hauler, *actor.Context)) {
		f(h, c)
	}),
		y.take.Handle(func(h *hauler, c *actor.Context, f payload) { y.runs++; y.onTake(h, c, f) }))
	bosses := actor.NewType[lodger]("parent")
	y.parent = actor.Declare[func(*actor.Context)](bosses, "parent")
	fell := actor.Declare[actor.ChildDown](bosses, "fell")
	bosses.Table(y.parent.Handle(func(_ *lodger, c *actor.Context, f func(*actor.Context)) { f(c) }),
		fell.Handle(func(*lodger, *actor.Context, actor.ChildDown) {}))
	y.sys, y.clock = onVirtualTime(t, append(opts,
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			if p.Value != onPurpose {
				t.Error(p.Value)
			}
		}}))...)
	y.bosses = bosses.Spawn(y.sys, lodger{})
	y.tell(func(c *actor.Context) {
		y.child = actor.SpawnSupervised(c, y.typ, func(*hauler) {}, fell)
	})
	return y
}

// tell runs f in a behaviour of the supervisor.
func (y *yard) tell(f func(*actor.Context)) {
	y.parent.Send(y.sys, y.bosses, f)
	quiet(y.t, y.sys)
}

// in runs f in a behaviour of the hauler.
func (y *yard) in(f func(*hauler, *actor.Context)) {
	y.do.Send(y.sys, y.child, f)
	quiet(y.t, y.sys)
}

// onTheirWay lets the timers of the hauler become due during its turn, and then runs then in that
// turn.
func (y *yard) onTheirWay(then func(*hauler, *actor.Context)) {
	y.in(func(h *hauler, c *actor.Context) {
		y.clock.Jump(time.Second)
		eventually(y.t, "the timers to be on their way", func() bool {
			return actor.Incoming(c) == len(h.timers)
		})
		then(h, c)
	})
}

func cancelAll(h *hauler, c *actor.Context) {
	for _, t := range h.timers {
		t.Cancel(c)
	}
}

// TestTimer_DiscardsOwnedPayload: the payload of a timer is discarded if its message will not run:
// the timer was canceled in time or on its way, or ended with its actor, its life or its system.
func TestTimer_DiscardsOwnedPayload(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(y *yard)
	}{
		{"Cancel", func(y *yard) { y.in(cancelAll) }},
		{"CancelOnTheirWay", func(y *yard) { y.onTheirWay(cancelAll) }},
		{"Stop", func(y *yard) { actor.Stop(y.sys, y.child) }},
		{"StopOnTheirWay", func(y *yard) {
			y.onTheirWay(func(_ *hauler, c *actor.Context) { actor.Stop(c, y.child) })
		}},
		{"Kill", func(y *yard) { actor.Kill(y.sys, y.child) }},
		{"Drain", func(y *yard) { actor.Drain(y.sys, y.child) }},
		{"Restart", func(y *yard) { y.tell(func(c *actor.Context) { actor.Restart(c, y.child) }) }},
		{"RestartOnTheirWay", func(y *yard) {
			y.onTheirWay(func(*hauler, *actor.Context) {
				y.parent.Send(y.sys, y.bosses, func(c *actor.Context) { actor.Restart(c, y.child) })
				eventually(y.t, "the order", func() bool { return actor.Signaled(y.child) })
			})
		}},
		{"SystemStops", func(y *yard) { y.sys.Stop() }},
		{"SystemStopsOnTheirWay", func(y *yard) {
			stopped := make(chan struct{})
			y.do.Send(y.sys, y.child, func(h *hauler, c *actor.Context) {
				y.clock.Jump(time.Second)
				eventually(y.t, "the timers to be on their way", func() bool {
					return actor.Incoming(c) == len(h.timers)
				})
				go func() { y.sys.Stop(); close(stopped) }()
				eventually(y.t, "the stop", func() bool { return actor.SystemStopping(y.sys) })
			})
			receive(y.t, "Stop to return", stopped)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := heap.Blobs().Live
			y := newYard(t, actor.WithWorkers(2))
			y.in(func(h *hauler, c *actor.Context) {
				h.timers = []actor.Timer{actor.After(c, time.Second, y.take, newOwnedPayload()),
					actor.After(c, time.Second, y.take, newOwnedPayload())}
			})
			equal(t, "blobs of two timers", heap.Blobs().Live-before, 4)
			tc.end(y)
			_ = y.sys.Wait(soon(t))
			equal(t, "messages run", y.runs, 0)
			equal(t, "blobs left", heap.Blobs().Live, before)
		})
	}
}

// TestTimer_ForTheDeadDiscards: as TestTimer_ForTheDead, with a payload that owns blobs.
func TestTimer_ForTheDeadDiscards(t *testing.T) {
	before := heap.Blobs().Live
	y := newYard(t)
	must(t, actor.KillWait(soon(t), y.child))
	inside(t, y.sys, func(c *actor.Context) { actor.FireWith(c, y.take, y.child, newOwnedPayload()) })
	quiet(t, y.sys)
	equal(t, "blobs left", heap.Blobs().Live, before)
	equal(t, "left over", actor.LeftoversOf(y.sys), actor.Leftovers{})
}

// TestEvery_OwnsNothing: "Every also panics if messages of b own a parcel or a region".
func TestEvery_OwnsNothing(t *testing.T) {
	before := heap.Blobs().Live
	y := newYard(t)
	y.in(func(_ *hauler, c *actor.Context) {
		p := newOwnedPayload()
		panics(y.t, "own a parcel or a region", func() { actor.Every(c, time.Second, y.take, p) })
		p.unload(c)
	})
	actor.Stop(y.sys, y.child)
	quiet(t, y.sys)
	equal(t, "blobs left", heap.Blobs().Live, before)
	equal(t, "left over", actor.LeftoversOf(y.sys), actor.Leftovers{})
}
