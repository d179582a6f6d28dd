package actor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/heap"
)

// A holder has handles to its heap everywhere except in its state. It makes so much garbage in
// every behaviour that its arena is collected before the next one.
type holder struct {
	own   heap.Ptr[kept]
	sum   int
	timer Timer
}

// A plain is a handle in a message without Go pointers. A timer keeps such a message in itself.
type plain struct{ p heap.Ptr[kept] }

// make makes a number in the heap, and garbage.
func (h *holder) make(c *Context, v int) heap.Ptr[kept] {
	a := c.Heap()
	p := heap.New[kept](a)
	p.Deref(a).v = v
	litter(c)
	return p
}

func (h *holder) do(c *Context, f func(*holder, *Context)) { f(h, c); litter(c) }

func (h *holder) takePlain(c *Context, m plain) {
	h.sum += m.p.Deref(c.Heap()).v
	litter(c)
}

func (h *holder) takeBeside(c *Context, m handed) {
	h.sum += m.p.Deref(c.Heap()).v
	litter(c)
}

// later stashes the messages that the other table adds up.
func (h *holder) later(c *Context, m handed) { holderBeside.Stash(c, m); litter(c) }

var (
	holderType   = NewType[holder]("holder")
	holderDo     = Declare[func(*holder, *Context)](holderType, "do")
	holderPlain  = Declare[plain](holderType, "plain")
	holderBeside = Declare[handed](holderType, "beside")
	holderUrgent = Declare[handed](holderType, "urgent", Urgent())
	holderMess   = Declare[int](holderType, "mess", Urgent())
	_            = holderType.Table(holderDo.Handle((*holder).do),
		holderPlain.Handle((*holder).takePlain),
		holderBeside.Handle((*holder).takeBeside), holderUrgent.Handle((*holder).takeBeside),
		holderMess.Handle(func(h *holder, c *Context, n int) { heap.MakeSlice[byte](c.Heap(), n) }))
	holderLater = holderType.Variant(holderBeside.Handle((*holder).later))
)

// aHolder is one holder in a system with one worker and a virtual clock.
type aHolder struct {
	t     *testing.T
	sys   *System
	clock *VirtualClock
	r     Ref[holder]
	fault string
}

func holderOf(t *testing.T, opts ...Option) *aHolder {
	h := &aHolder{t: t, clock: NewVirtualClock(time.Unix(0, 0))}
	h.sys = Start(append(opts, WithWorkers(1), WithClock(h.clock),
		WithHooks(Hooks{Panic: func(p PanicReport) {
			h.fault = fmt.Sprint(p.Value)
		}}))...)
	t.Cleanup(func() { h.sys.Stop() })
	h.r = holderType.Spawn(h.sys, holder{})
	return h
}

// do runs f in a behaviour and waits until the system is quiescent.
func (h *aHolder) do(f func(s *holder, c *Context)) {
	h.t.Helper()
	holderDo.Send(h.sys, h.r, f)
	_ = h.sys.Wait(context.Background())
}

// advance lets time pass.
func (h *aHolder) advance(d time.Duration) {
	h.t.Helper()
	if err := h.clock.Advance(context.Background(), d); err != nil {
		h.t.Fatal(err)
	}
}

// sums fails the test unless the handles that were received lead to numbers whose sum is want.
func (h *aHolder) sums(want int) {
	h.t.Helper()
	got := 0
	h.do(func(s *holder, _ *Context) { got = s.sum })
	if got != want || h.fault != "" {
		h.t.Fatalf("sum %d, want %d; %s", got, want, h.fault)
	}
}

// churn runs n behaviours, each followed by a collection.
func (h *aHolder) churn(n int) {
	for range n {
		h.do(func(s *holder, c *Context) { s.own = s.make(c, 1) })
	}
}

// TestHeap_RootsInTimers: the handles "of its timers" survive until the timers have run or were
// canceled. They belong to After and Every, and are in the timer itself or beside Go pointers.
func TestHeap_RootsInTimers(t *testing.T) {
	h := holderOf(t)
	h.do(func(s *holder, c *Context) {
		After(c, time.Second, holderPlain, plain{s.make(c, 1)})
		After(c, time.Second, holderBeside, handed{"two", s.make(c, 2)})
		s.timer = Every(c, 2*time.Second, holderPlain, plain{s.make(c, 10)})
		Every(c, 2*time.Second, holderBeside, handed{"four", s.make(c, 20)})
		After(c, time.Hour, holderBeside, handed{"never", s.make(c, 1000)}).Cancel(c)
	})
	h.churn(3)
	h.advance(time.Second)
	h.sums(3)
	for i := range 3 {
		h.churn(2)
		h.advance(2 * time.Second)
		h.sums(3 + 30*(i+1))
	}
	h.do(func(s *holder, c *Context) { s.timer.Cancel(c) })
	h.churn(2)
	h.advance(2 * time.Second)
	h.sums(93 + 20)
}

// TestHeap_RootsInTimersOnTheirWay: a timer whose message is in the mailbox is still one of the
// actor's timers. Messages before it let the arena be collected.
func TestHeap_RootsInTimersOnTheirWay(t *testing.T) {
	h := holderOf(t)
	h.do(func(s *holder, c *Context) {
		for i := range 5 {
			After(c, 0, holderPlain, plain{s.make(c, 1)})
			Every(c, time.Second, holderBeside, handed{"tick", s.make(c, 10*i)})
		}
	})
	h.sums(5)
	h.advance(time.Second)
	h.sums(105)
}

// TestHeap_RootsInTheStash: "… in its stash": the handles survive in the stash and after Unstash.
func TestHeap_RootsInTheStash(t *testing.T) {
	h := holderOf(t)
	h.do(func(s *holder, c *Context) {
		Become(c, holderLater)
		for v := range 5 {
			holderBeside.Send(c, h.r, handed{"kept", s.make(c, v)})
		}
	})
	h.churn(3)
	h.sums(0)
	h.do(func(_ *holder, c *Context) { Unbecome(c); UnstashAll(c) })
	h.sums(0 + 1 + 2 + 3 + 4)
}

// TestHeap_RootsInMail: "… in its mailbox": mail to itself, yielded and urgent mail, with other
// behaviours in between.
func TestHeap_RootsInMail(t *testing.T) {
	h := holderOf(t)
	h.do(func(s *holder, c *Context) {
		for range 10 {
			holderPlain.Send(c, h.r, plain{s.make(c, 1)})
			holderBeside.Send(c, h.r, handed{"text", s.make(c, 10)})
		}
		Yield(c, holderBeside, handed{"first", s.make(c, 1000)})
	})
	h.sums(1110)
	h.do(func(s *holder, c *Context) {
		for range 3 {
			holderUrgent.Send(c, h.r, handed{"soon", s.make(c, 10_000)})
		}
	})
	h.sums(31_110)
}

// TestHeap_RootsInMailWithABound: "… in its mailbox": also for a type with a bound that drops the
// oldest messages.
func TestHeap_RootsInMailWithABound(t *testing.T) {
	typ := NewType[holder]("bounded holder", WithBound(4, OverflowDropOldest))
	do := Declare[func(*holder, *Context)](typ, "do")
	take := Declare[plain](typ, "take")
	typ.Table(do.Handle((*holder).do), take.Handle((*holder).takePlain))
	h, got := holderOf(t), 0
	r := typ.Spawn(h.sys, holder{})
	do.Send(h.sys, r, func(s *holder, c *Context) {
		for v := range 7 {
			take.Send(c, r, plain{s.make(c, v)})
		}
	})
	_ = h.sys.Wait(context.Background())
	do.Send(h.sys, r, func(s *holder, _ *Context) { got = s.sum })
	_ = h.sys.Wait(context.Background())
	if got != 3+4+5+6 || h.fault != "" {
		t.Fatalf("sum %d; %s", got, h.fault)
	}
}

// TestHeap_RootsInAppendedMail: "… in its mailbox": messages appended under the bias of the worker
// on which another actor has woken it.
func TestHeap_RootsInAppendedMail(t *testing.T) {
	needFence(t)
	h := holderOf(t)
	appended := false
	tenantAct.Send(h.sys, tenantType.Spawn(h.sys, tenant{}), func(c *Context) {
		c.grantBias(true)
		holderDo.Send(c, h.r, func(s *holder, c *Context) {
			for range 10 {
				holderPlain.Send(c, h.r, plain{s.make(c, 1)})
				holderBeside.Send(c, h.r, handed{"text", s.make(c, 10)})
			}
			appended = c.kernel().Self.In.HasAppended()
		})
	})
	_ = h.sys.Wait(context.Background())
	h.sums(110)
	if !appended {
		t.Error("nothing was appended")
	}
}

// TestHeap_RootsInUrgentMail: urgent mail beyond the batch of a turn waits in the actor's hand.
func TestHeap_RootsInUrgentMail(t *testing.T) {
	h := holderOf(t, WithBatch(2))
	h.do(func(s *holder, c *Context) {
		for range 9 {
			holderUrgent.Send(c, h.r, handed{"soon", s.make(c, 1)})
		}
	})
	h.sums(9)
}

// TestHeap_RootsInTimersOfTheDraining: the message of a timer that has fired when its actor begins
// to drain runs, with its handles. Other timers are ended, and their handles released.
func TestHeap_RootsInTimersOfTheDraining(t *testing.T) {
	h := holderOf(t, WithBatch(1))
	var end *holder
	h.do(func(s *holder, c *Context) {
		end = s
		After(c, 0, holderPlain, plain{s.make(c, 1)})
		Every(c, time.Second, holderBeside, handed{"never", s.make(c, 1000)})
		After(c, 0, holderBeside, handed{"two", s.make(c, 10)})
		holderDo.Send(c, h.r, func(_ *holder, c *Context) { Drain(c, h.r) })
		for range 3 {
			holderDo.Send(c, h.r, func(*holder, *Context) {})
		}
	})
	if end.sum != 11 || h.fault != "" || h.r.Status() != StatusEnded {
		t.Errorf("sum %d, want 11, and the actor is %v; %s", end.sum, h.r.Status(), h.fault)
	}
}

// TestHeap_RootsInVariantsAndChildren: handles in the state stay valid when the actor changes its
// dispatch table. The handles of a child are in an arena of its own.
func TestHeap_RootsInVariantsAndChildren(t *testing.T) {
	h := holderOf(t)
	var child Ref[holder]
	h.do(func(s *holder, c *Context) {
		s.own = s.make(c, 7)
		Become(c, holderLater)
		child = holderType.SpawnChild(c, holder{})
		holderDo.Send(c, child, func(s *holder, c *Context) { s.own = s.make(c, 8) })
	})
	for _, r := range []Ref[holder]{h.r, child, h.r, child} {
		holderDo.Send(h.sys, r, func(*holder, *Context) {})
	}
	for r, want := range map[Ref[holder]]int{h.r: 7, child: 8} {
		got := 0
		holderDo.Send(h.sys, r, func(s *holder, c *Context) { got = s.own.Deref(c.Heap()).v })
		_ = h.sys.Wait(context.Background())
		if got != want || h.fault != "" {
			t.Errorf("%v has %d, want %d; %s", r, got, want, h.fault)
		}
	}
}

// TestHeap_UrgentMailIsCollected: an actor that gets only urgent mail is collected as well.
func TestHeap_UrgentMailIsCollected(t *testing.T) {
	h := holderOf(t)
	for range 1000 {
		holderMess.Send(h.sys, h.r, 1000)
	}
	_ = h.sys.Wait(context.Background())
	for range 300 {
		holderMess.Send(h.sys, h.r, 1000)
		_ = h.sys.Wait(context.Background())
	}
	if s := h.r.target().Arena.Stats(); s.Reserved > 300_000 {
		t.Errorf("%+v is held for nothing", s)
	}
}
