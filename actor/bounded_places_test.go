package actor

import (
	"errors"
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// TestBound_DropOldestBesidePlaces: "the message that has waited longest" makes room, also for one
// who comes while all places are those of senders on their way, and nothing waits. The bound holds
// when they come.
func TestBound_DropOldestBesidePlaces(t *testing.T) {
	for _, inside := range []bool{false, true} { // who has the place that is in use when they come
		dropped := make(chan int, 10)
		typ := NewType[int]("two places", WithBound(2, OverflowDropOldest))
		say := Declare[int](typ, "say")
		typ.Table(say.Handle(func(s *int, _ *Context, n int) { *s = *s*10 + n }))
		sys := Start(WithWorkers(1), WithHooks(Hooks{DeadLetter: func(l DeadLetter) {
			if !errors.Is(l.Reason, ErrDropped) {
				t.Errorf("%v became a dead letter: %v", l.Message, l.Reason)
			}
			dropped <- l.Message.(int)
		}}))
		var got *int
		r := typ.SpawnFunc(sys, func(s *int) { got = s })
		f := r.b.flowOf()
		for range 2 {
			if !f.permits.TryAcquire(r.b) {
				t.Fatal("no place")
			}
		}
		m := say.d.size.TakeOne()
		*payloadOf[int](m) = 1
		m.ID = say.d.id
		if dropped, tell, err := f.put(r.b, nil, m, false); err != nil || dropped != nil || !tell {
			t.Fatalf("with all places given: %v, dropped %v, tell %v", err, dropped, tell)
		}
		for n := 2; n <= 3; n++ {
			m := say.d.size.TakeOne()
			*payloadOf[int](m) = n
			if inside && n == 2 {
				m.ID = say.d.id
				f.permits.Lock()
				d, _ := f.appendPermitted(r.b, m)
				f.permits.Unlock()
				bounce(sys, r.b, d)
			} else if err := say.d.tryDeliver(sys, sys, r.b, m); err != nil {
				t.Fatal(err)
			}
			if waiting := msg.Distance(f.bounded.first, nil); waiting > 2 {
				t.Errorf("%d wait, behind %d", waiting, n)
			}
		}
		if n := <-dropped; n != 1 {
			t.Errorf("%d was dropped, and not the oldest", n)
		}
		sys.push(r.b, newOwn(sys, lookID, 0), asSignal) // what put said
		if err := sys.Run(); err != nil {
			t.Error(err)
		}
		if *got != 23 {
			t.Errorf("%d ran", *got)
		}
	}
}

// TestBound_PlaceGivenBack: "mutes its sender until half of the mailbox is free": also while a
// place belongs to one that gives it back, so that it becomes free without a message that is taken
// out.
func TestBound_PlaceGivenBack(t *testing.T) {
	typ := NewType[int]("one place", WithBound(1, OverflowMute))
	say := Declare[int](typ, "say")
	typ.Table(say.Handle(func(*int, *Context, int) {}))
	talkType := NewType[int]("talker")
	talk := Declare[Ref[int]](talkType, "talk")
	talkType.Table(talk.Handle(func(_ *int, c *Context, to Ref[int]) { say.Send(c, to, 2) }))
	sys := Start(WithWorkers(1))
	r := typ.Spawn(sys, 0) // it has no worker: this test takes its turns
	f := r.b.flowOf()
	m := say.d.size.TakeOne()
	m.ID = say.d.id
	if _, _, err := f.put(r.b, nil, m, false); err != nil {
		t.Fatal(err)
	}
	waits := f.permits.Acquire(r.b)
	f.take(r.b, 1) // the place goes to who waits
	talk.Send(sys, talkType.Spawn(sys, 0), r)
	for sys.Stats().Mutes == 0 {
		runtime.Gosched()
	}
	_, _, _, list := f.take(r.b, 1)
	release(sys, list)
	f.permits.Cancel(waits, r.b)
	if r.b.policy().behind(r.b) {
		t.Fatal("nothing is in the mailbox, and who sends has to wait")
	}
	f.take(r.b, 1)
	if err := sys.Run(); err != nil || sys.Stats().Unmutes != 1 {
		t.Errorf("%v, and %d were resumed", err, sys.Stats().Unmutes)
	}
}
