package actor

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// A forger has an invalid handle, made with unsafe in payloadOf.
type forger struct {
	forged heap.Ptr[[20_000]uint64]
	list   heap.Ptr[forgery]
}

type forgery struct {
	forged heap.Ptr[[20_000]uint64]
	next   heap.Ptr[forgery]
}

// forge makes a handle that leads beyond its page.
func forge(a *heap.Arena) heap.Ptr[[20_000]uint64] {
	m := &new(msg.Node[heap.Ptr[uint64]]).Header
	*kernel.PayloadOf[heap.Ptr[uint64]](m) = heap.New[uint64](a)
	return *kernel.PayloadOf[heap.Ptr[[20_000]uint64]](m)
}

// forgeOne puts an invalid handle where a collection begins.
func (f *forger) forgeOne(a *heap.Arena) { f.forged = forge(a) }

// forgeDeep puts an invalid handle at the end of a long list, so that the first step of a
// collection does not see it.
func (f *forger) forgeDeep(a *heap.Arena) {
	p := heap.New[forgery](a)
	p.Deref(a).forged = forge(a)
	for range 200_000 {
		next := p
		p = heap.New[forgery](a)
		p.Deref(a).next = next
	}
	f.list = p
}

// TestForgedHandle: "found by a collection, if it leads beyond its page: panic". The panic ends the
// actor. Only messages that wait for the actor become dead letters. The message that ran last does
// not: its node may be in use for another message by then.
func TestForgedHandle(t *testing.T) {
	for name, forge := range map[string]func(*forger, *heap.Arena){"in one go": (*forger).forgeOne,
		"in steps": (*forger).forgeDeep} {
		for how, last := range map[string]int{"alone": 0, "in a row": 7, "in the middle": 3} {
			t.Run(name+", "+how, func(t *testing.T) { testForgedHandle(t, forge, last) })
		}
	}
}

func testForgedHandle(t *testing.T, forge func(*forger, *heap.Arena), which int) {
	const sent = 8
	typ := NewType[forger]("forger")
	do, fell := Declare[int](typ, "do"), Declare[ChildDown](typ, "fell")
	begin := Declare[func(*Context)](typ, "begin")
	var ran, dead, falls atomic.Int64
	var report atomic.Pointer[PanicReport]
	typ.Table(do.Handle(func(f *forger, c *Context, n int) {
		if ran.Add(1); n == which {
			forge(f, c.Heap())
			litter(c)
		}
	}), begin.Handle(func(_ *forger, c *Context, f func(*Context)) { f(c) }),
		fell.Handle(func(_ *forger, c *Context, f ChildDown) {
			if falls.Add(1); !f.Final {
				Restart(c, f.Ref)
			}
		}))
	sys := Start(WithWorkers(1), WithHooks(Hooks{DeadLetter: func(DeadLetter) {
		dead.Add(1)
	}}), WithHooks(Hooks{Panic: func(r PanicReport) {
		report.Store(&r)
	}}))
	defer sys.Stop()
	run := func(f func(*Context)) {
		begin.Send(sys, typ.Spawn(sys, forger{}), f)
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stream := func(c *Context, to Ref[forger]) {
		for i := range sent {
			do.Send(c, to, i)
		}
	}
	check := func(who string) {
		t.Helper()
		if r := report.Swap(nil); r == nil || !strings.Contains(r.Value.(string), "mistyped") &&
			!strings.Contains(r.Value.(string), "gallop: invariant: ") {
			t.Errorf("%s: reported is %+v", who, r)
		} else if r.Behaviour != "" || r.MessageID != 0 {
			t.Errorf("%s: panicked in %q, which had returned", who, r.Behaviour)
		}
	}
	run(func(c *Context) { stream(c, typ.Spawn(c, forger{})) })
	check("plain")
	if ran.Load()+dead.Load() != sent {
		t.Errorf("plain: of %d messages %d ran, and %d are dead letters", sent, ran.Load(), dead.Load())
	}
	ran.Store(0)
	dead.Store(0)
	run(func(c *Context) { stream(c, SpawnSupervised(c, typ, func(*forger) {}, fell)) })
	check("supervised")
	if ran.Load() != sent || dead.Load() != 0 || falls.Load() != 1 {
		t.Errorf("supervised: of %d messages %d ran, and %d are dead letters; it fell %d times", sent,
			ran.Load(), dead.Load(), falls.Load())
	}
	run(func(c *Context) { // the nodes that the worker keeps for reuse are in order
		to := typ.Spawn(c, forger{})
		for range 1000 {
			do.Send(c, to, -1)
		}
	})
	if ran.Load() != sent+1000 {
		t.Errorf("of 1000 messages %d ran", ran.Load()-sent)
	}
}
