package actor

import (
	"errors"
	"testing"
)

// TestBound_DropOldestBesidePlaces: "the message that has waited longest" makes room, also for one who comes while
// all places are those of senders on their way, and nothing waits. The bound holds when they come.
func TestBound_DropOldestBesidePlaces(t *testing.T) {
	for _, inside := range []bool{false, true} { // who has the place that is in use when they come
		dropped := make(chan int, 10)
		typ := NewType[int]("two places", TypeBound(2, OverflowDropOldest))
		say := Declare[int](typ, "say")
		typ.Table(say.Do(func(s *int, _ *Context, n int) { *s = *s*10 + n }))
		sys := Start(Workers(1), OnDeadLetter(func(l DeadLetter) {
			if !errors.Is(l.Reason, ErrDropped) {
				t.Errorf("%v became a dead letter: %v", l.Message, l.Reason)
			}
			dropped <- l.Message.(int)
		}))
		var got *int
		r := typ.SpawnFunc(sys, func(s *int) { got = s })
		f := r.b.flowOf()
		for range 2 {
			if !f.lobby.tryEnter(r.b) {
				t.Fatal("no place")
			}
		}
		m := say.d.pool.takeOne()
		*payloadOf[int](m) = 1
		m.id = say.d.id
		if dropped, tell, err := f.put(r.b, nil, m); err != nil || dropped != nil || !tell {
			t.Fatalf("with all places given: %v, dropped %v, tell %v", err, dropped, tell)
		}
		for n := 2; n <= 3; n++ {
			m := say.d.pool.takeOne()
			*payloadOf[int](m) = n
			if inside && n == 2 {
				m.id = say.d.id
				f.lobby.mu.Lock()
				d, _ := f.appendPlaced(m)
				f.lobby.mu.Unlock()
				replier{sys: sys}.bounce(r.b, d)
			} else if err := say.d.tryDeliver(nil, r.b, m); err != nil {
				t.Fatal(err)
			}
			if waiting := distance(f.bounded.first, nil); waiting > 2 {
				t.Errorf("%d wait, behind %d", waiting, n)
			}
		}
		if n := <-dropped; n != 1 {
			t.Errorf("%d was dropped, and not the oldest", n)
		}
		r.b.deliver(newOwn(nil, lookID, 0)) // what put said
		if err := sys.Run(); err != nil {
			t.Error(err)
		}
		if *got != 23 {
			t.Errorf("%d ran", *got)
		}
	}
}
