package actor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// daybook records the results of a program, besides the order of its behaviours.
type daybook struct{ lines []string }

func (d *daybook) note(args ...any) { d.lines = append(d.lines, fmt.Sprint(args...)) }

// repeatable are programs for every feature of the runtime. shows reports, from the counters,
// whether the feature was at work. Each program is small, and runs in many orders.
var repeatable = map[string]struct {
	program func(sys *actor.System, d *daybook)
	shows   func(st actor.Stats) bool // nil: the order is enough
}{
	"timers":      {repeatTimers, nil},
	"overload":    {repeatFlood(slowType, slowDo), muted},
	"watermarks":  {repeatFlood(markedType, markedDo), muted},
	"bound: mute": {repeatFlood(mutingType.typ, mutingType.do), muted},
	"bound: drop": {repeatFlood(droppingType.typ, droppingType.do), func(st actor.Stats) bool {
		return st.DeadLetters > 0
	}},
	"bound: TrySend": {repeatTrySend, nil},
	"SendWait":       {repeatSendWait, nil},
	"pressure": {repeatPressure, func(st actor.Stats) bool {
		return st.Exempted > 0 && st.PressureDeadlocks > 0
	}},
	"links":     {repeatLinks, func(st actor.Stats) bool { return st.Stopped == 5 }},
	"children":  {repeatChildren, nil},
	"heap":      {repeatHeap, nil},
	"bridges":   {repeatBridges, muted},
	"Pipe":      {repeatPipe, nil},
	"waiting":   {repeatWaiting, exempted},
	"Blocking":  {repeatBlocking, exempted},
	"pinned":    {repeatPinned, nil},
	"variants":  {repeatVariants, nil},
	"names":     {repeatNames, nil},
	"deferrals": {repeatDeferrals, func(st actor.Stats) bool { return st.Panics > 0 }},
}

func muted(st actor.Stats) bool { return st.Mutes > 0 }

// exempted reports whether stand-ins have run turns for blocked workers. They have a row of their
// own.
func exempted(st actor.Stats) bool { return len(st.Workers) > 4 && st.Workers[4].Turns > 0 }

// TestRepeat: "The same seed means the same order", for all features of actors. Each message has
// run, or is a dead letter. At night each program runs with 250 seeds, twice.
func TestRepeat(t *testing.T) {
	for name, c := range repeatable {
		t.Run(name, func(t *testing.T) {
			shown := false
			orders, err := sim.Repeats(func(h *sim.Hooks, seed uint64) string {
				var d daybook
				reported := countRuns(h)
				sys := actor.Start(actor.Simulated(h), actor.WithDeterministic(seed), actor.WithLogger(silent),
					actor.WithBatch(4),
					actor.WithHooks(actor.Hooks{PressureDeadlock: func(r actor.PressureDeadlock) { d.note(r) }}))
				c.program(sys, &d)
				must(t, sys.Wait(context.Background()))
				sys.Stop()
				st, counts := sys.Stats(), sys.SimCounts()
				equal(t, "messages sent", counts.Sent, st.Messages+st.DeadLetters)
				equal(t, "behaviours reported", *reported, st.Messages)
				equal(t, "calls of strangers", counts.Strangers, 0)
				shown = shown || c.shows == nil || c.shows(st)
				return fmt.Sprint(d.lines, st)
			})
			must(t, err)
			t.Logf("%d seeds twice, %d orders", sim.Seeds(), orders)
			equal(t, "it is about "+name, shown, true)
		})
	}
}

// countRuns counts the behaviours that are reported.
func countRuns(h *sim.Hooks) *uint64 {
	n, event := new(uint64), h.Event
	h.Event = func(e sim.Event) {
		if e.Kind == sim.Run && !e.Callback {
			*n++
		}
		event(e)
	}
	return n
}

func repeatTimers(sys *actor.System, d *daybook) {
	for i := range 3 {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(p *puppet, c *actor.Context) {
			actor.After(c, time.Second, do, func(_ *puppet, c *actor.Context) {
				d.note(i, "after", c.Now())
			})
			late := actor.After(c, time.Hour, count, 1)
			var beats actor.Timer
			beats = actor.Every(c, 400*time.Millisecond, do, func(p *puppet, c *actor.Context) {
				d.note(i, "tick", c.Now(), c.Rand().Uint64())
				if p.n++; p.n == 3 {
					d.note(beats.Cancel(c), late.Cancel(c))
				}
			})
		})
	}
}

var (
	markedType = actor.NewType[puppet]("marked", actor.WithWatermarks(8, 2))
	markedDo   = actor.Declare[deed](markedType, "do")
	_          = markedType.Table(markedDo.Handle((*puppet).Do))
)

// repeatFlood makes three actors send to an actor that cannot keep up.
func repeatFlood(typ *actor.Type[puppet], b actor.Behaviour[puppet, deed]) func(*actor.System,
	*daybook) {
	return func(sys *actor.System, _ *daybook) {
		to := typ.Spawn(sys, puppet{})
		send := func(_ *puppet, c *actor.Context) {
			for range 40 {
				b.Send(c, to, func(p *puppet, c *actor.Context) { c.Gas(10) })
			}
		}
		for range 3 {
			p := puppetType.Spawn(sys, puppet{})
			for range 3 {
				do.Send(sys, p, send)
			}
		}
	}
}

func repeatTrySend(sys *actor.System, d *daybook) {
	to := refusingType.typ.Spawn(sys, puppet{})
	nothing := func(*puppet, *actor.Context) {}
	for i := range 3 {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			for range 10 {
				d.note(i, refusingType.do.TrySend(c, to, nothing))
			}
		})
	}
	for range 20 {
		d.note(refusingType.do.TrySend(sys, to, nothing),
			slowDo.TrySend(sys, slowType.Spawn(sys, puppet{}), nothing))
	}
}

func repeatSendWait(sys *actor.System, d *daybook) {
	to, bounded := slowType.Spawn(sys, puppet{}), mutingType.typ.Spawn(sys, puppet{})
	for i := range 200 {
		d.note(slowDo.SendWait(context.Background(), to, func(*puppet, *actor.Context) { d.note(i) }))
		d.note(mutingType.do.SendWait(context.Background(), bounded, func(*puppet, *actor.Context) {
			d.note(-i)
		}))
	}
}

// repeatPressure makes circles: an actor under pressure waits for mail of an actor that is muted
// for it.
func repeatPressure(sys *actor.System, d *daybook) {
	for range 3 {
		socket, reader := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		read := func(_ *puppet, c *actor.Context) {
			count.Send(c, socket, 1)
			do.Send(c, socket, func(p *puppet, c *actor.Context) {
				if d.note(c.ActorID(), p.n); p.n == 3 {
					c.ReleasePressure()
				}
			})
		}
		do.Send(sys, socket, func(_ *puppet, c *actor.Context) {
			c.ApplyPressure()
			for range 3 {
				do.Send(c, reader, read)
			}
		})
	}
}

var errBroken = errors.New("broken")

func repeatLinks(sys *actor.System, d *daybook) {
	ring := make([]actor.Ref[puppet], 5)
	for i := range ring {
		ring[i] = puppetType.Spawn(sys, puppet{})
	}
	watcher := spyType.Spawn(sys, puppet{note: d})
	for i, r := range ring {
		do.Send(sys, r, func(_ *puppet, c *actor.Context) { actor.Link(c, ring[(i+1)%len(ring)]) })
		spyOn.Send(sys, watcher, r)
	}
	for _, r := range ring {
		count.Send(sys, r, 1)
	}
	do.Send(sys, ring[2], func(_ *puppet, c *actor.Context) { c.Exit(errBroken) })
	actor.Kill(sys, ring[4])
	actor.Drain(sys, ring[0])
}

// A watcher records which actors have ended, and why.
var (
	spyType = actor.NewType[puppet]("watcher")
	spyOn   = actor.Declare[actor.Ref[puppet]](spyType, "watch")
	spied   = actor.Declare[actor.Down](spyType, "down")
	_       = spyType.Table(spyOn.Handle(func(_ *puppet, c *actor.Context, r actor.Ref[puppet]) {
		actor.Watch(c, r, spied)
	}),
		spied.Handle(func(p *puppet, _ *actor.Context, x actor.Down) {
			p.note.(*daybook).note(x.ActorID, x.Reason)
		}))
)

func repeatChildren(sys *actor.System, d *daybook) {
	var grow func(left int) deed
	grow = func(left int) deed {
		return func(_ *puppet, c *actor.Context) {
			for range 2 {
				child := puppetType.SpawnChild(c, puppet{})
				count.Send(c, child, left)
				if left > 0 {
					do.Send(c, child, grow(left-1))
				}
			}
		}
	}
	top := puppetType.Spawn(sys, puppet{})
	do.Send(sys, top, grow(2))
	actor.Stop(sys, top)
}

// attic keeps many values in its heap, and drops half of them.
type attic struct {
	m heap.Map[int, heap.Ptr[[8]int]]
}

var (
	atticType = actor.NewType[attic]("attic")
	fillAttic = actor.Declare[actor.Ref[attic]](atticType, "fill")
	handOver  = actor.Declare[heap.Region[[8]int]](atticType, "hand over")
	_         = atticType.Table(fillAttic.Handle((*attic).fill), handOver.Handle((*attic).take))
)

func (s *attic) fill(c *actor.Context, next actor.Ref[attic]) {
	a := c.Heap()
	for i := range 400 {
		p := heap.New[[8]int](a)
		p.Deref(a)[0] = i
		s.m.Put(a, c.Rand().IntN(200), p)
	}
	r := heap.NewRegion[[8]int]()
	r.SetRoot(heap.New[[8]int](r.Arena()))
	handOver.Send(c, next, r.Move())
}

func (s *attic) take(c *actor.Context, r heap.Region[[8]int]) {
	s.m.Put(c.Heap(), -1, r.Join(c.Heap()))
}

func repeatHeap(sys *actor.System, d *daybook) {
	a, b := atticType.Spawn(sys, attic{}), atticType.Spawn(sys, attic{})
	for range 20 {
		fillAttic.Send(sys, a, b)
		fillAttic.Send(sys, b, a)
	}
}

func repeatBridges(sys *actor.System, d *daybook) {
	in, out := make(chan int, 100), make(chan int, 3)
	for i := range 100 {
		in <- i
	}
	close(in)
	to := bridge.ToChan(sys, out)
	for range 2 {
		do.Send(sys, puppetType.Spawn(sys, puppet{note: to}), func(p *puppet, c *actor.Context) {
			bridge.FromChan(c, in, count)
			for range 80 {
				to.Send(c, int(c.ActorID()))
			}
		})
	}
	reader := puppetType.Spawn(sys, puppet{})
	var read deed
	read = func(p *puppet, c *actor.Context) {
		for len(out) > 0 {
			d.note(<-out)
			p.n++
		}
		if p.n < 160 {
			do.Send(c, reader, read)
		}
	}
	do.Send(sys, reader, read)
}

func repeatPipe(sys *actor.System, d *daybook) {
	for i := range 5 {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			actor.Pipe(c, reply, func(context.Context) (int, error) { d.note(i); return i, nil })
		})
	}
	refs := []actor.Ref[puppet]{puppetType.Spawn(sys, puppet{n: 1}),
		puppetType.Spawn(sys, puppet{n: 2})}
	d.note(bridge.AskAll(context.Background(), value, refs, struct{}{}))
	for r, res := range bridge.Replies(context.Background(), value, refs, struct{}{}) {
		d.note(r.ID(), res)
	}
}

// repeatWaiting has more waiting behaviours than there are workers, so others stand in for these.
func repeatWaiting(sys *actor.System, d *daybook) {
	chain := make([]actor.Ref[puppet], 12)
	for i := range chain {
		chain[i] = puppetType.Spawn(sys, puppet{})
	}
	var down func(i int) func(*puppet, *actor.Context) (any, error)
	down = func(i int) func(*puppet, *actor.Context) (any, error) {
		return func(_ *puppet, c *actor.Context) (any, error) {
			if i == len(chain) {
				return i, nil
			}
			count.Send(c, chain[(i+1)%len(chain)], 1)
			return try.Ask(context.Background(), chain[i], down(i+1))
		}
	}
	for range 2 {
		d.note(try.Ask(context.Background(), chain[0], down(1)))
	}
}

// repeatBlocking makes behaviours leave their slots, and come back.
func repeatBlocking(sys *actor.System, d *daybook) {
	answer := puppetType.Spawn(sys, puppet{n: 7})
	for range 8 {
		p := puppetType.Spawn(sys, puppet{})
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			count.Send(c, answer, 1)
			c.Blocking(func() { d.note(value.Ask(context.Background(), answer, struct{}{})) })
			count.Send(c, answer, 1)
		})
		count.Send(sys, p, 1)
	}
}

func repeatPinned(sys *actor.System, d *daybook) {
	p := pinnedType.Spawn(sys, puppet{})
	for i := range 4 {
		q := puppetType.Spawn(sys, puppet{})
		do.Send(sys, q, func(_ *puppet, c *actor.Context) {
			pinnedDo.Send(c, p, func(_ *puppet, c *actor.Context) { d.note(i); count.Send(c, q, 1) })
		})
	}
}

func repeatVariants(sys *actor.System, d *daybook) {
	for range 3 {
		r := doorType.Spawn(sys, door{})
		for i := range 8 {
			knock.Send(sys, r, i)
		}
	}
}

// A door runs every other knock, and stashes the others.
type door struct{}

var (
	doorType = actor.NewType[door]("door")
	knock    = actor.Declare[int](doorType, "knock", actor.Urgent())
	after    = actor.Declare[int](doorType, "after")
	_        = doorType.Table(knock.Handle((*door).shut),
		after.Handle(func(_ *door, c *actor.Context, n int) {
			actor.UnstashAll(c)
		}))
	shutDoor = doorType.Variant(knock.Handle((*door).open))
)

func (d *door) shut(c *actor.Context, n int) {
	actor.Become(c, shutDoor)
	actor.Yield(c, after, n)
}

func (d *door) open(c *actor.Context, n int) {
	actor.Unbecome(c)
	after.Send(c, actor.Self[door](c), n)
}

func repeatNames(sys *actor.System, d *daybook) {
	for i := range 6 {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			r, err := puppetType.SpawnNamed(c, fmt.Sprint("name ", i%2), puppet{})
			if d.note(i, err); err == nil {
				actor.Stop(c, r)
			}
		})
	}
}
