package explore_test

import (
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestSpinTerminates proves "a loop around seam.Spin ends if it can", also when
// two spinners could keep each other going for ever.
func TestSpinTerminates(t *testing.T) {
	scenario := func(p *explore.Program) {
		ready := 0
		for range 2 {
			p.Go(func() {
				for p.Point(); ready < 3; {
					p.Spin()
				}
			})
		}
		p.Go(func() {
			for range 3 {
				p.Point()
				ready++
			}
		})
	}
	for _, s := range append(strategies(), explore.Bounded(-1, 0), explore.PCT(12, 3, 500)) {
		if res := explore.Explore(explore.Config{Strategy: s, MaxSteps: 100},
			scenario); res.Failure != nil {
			t.Errorf("%v: %v", s, res.Failure)
		}
	}
}

// TestSpinSeesEveryState: a spinner can look between any two steps of another.
func TestSpinSeesEveryState(t *testing.T) {
	seen := map[int]bool{}
	explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		n := 0
		p.Go(func() {
			for p.Point(); n < 4; p.Spin() {
				seen[n] = true
			}
		})
		p.Go(func() {
			for range 4 {
				p.Point()
				n++
			}
		})
	})
	if len(seen) != 4 {
		t.Errorf("seen %v", seen)
	}
}

// TestBoundedSpin: a thread that spins a fixed number of times and is alone goes
// on; spinning is no deadlock.
func TestBoundedSpin(t *testing.T) {
	res := explore.Explore(config(explore.Bounded(2, 0)), func(p *explore.Program) {
		p.Go(func() {
			for range 5 {
				p.Spin()
			}
		})
	})
	if res.Failure != nil || res.Schedules != 1 {
		t.Error(res, res.Failure)
	}
}

// TestSpinWaits proves "a thread that spun waits for a step of another one".
func TestSpinWaits(t *testing.T) {
	for _, s := range append(strategies(), explore.Bounded(-1, 0)) {
		res := explore.Explore(config(s), func(p *explore.Program) {
			other, looked := 0, -1
			p.Go(func() {
				for p.Point(); other < 4; p.Spin() {
					if looked == other {
						p.Errorf("two looks at %d", other)
					}
					looked = other
				}
			})
			p.Go(func() {
				for range 4 {
					p.Point()
					other++
				}
			})
		})
		if res.Failure != nil {
			t.Errorf("%v: %v", s, res.Failure)
		}
	}
}

// TestSpinWithLock: a spinner that disables another thread whenever it spins
// gives way to it in between, without a preemption.
func TestSpinWithLock(t *testing.T) {
	locked, done := false, false
	lock := func(p *explore.Program) {
		p.Await(func() bool { return !locked })
		locked = true
	}
	res := explore.Explore(explore.Config{Strategy: explore.Bounded(0, 0), MaxSteps: 100},
		func(p *explore.Program) {
			locked, done = false, false
			p.Go(func() {
				for !done {
					lock(p)
					p.Spin()
					locked = false
				}
			})
			p.Go(func() { lock(p); done, locked = true, false })
		})
	if res.Failure != nil || !res.Exhausted {
		t.Error(res, res.Failure)
	}
}

// TestFairnessHidesNothing: a spinner gives way only to threads that were enabled
// all through its window: a may look again before c runs, which b had disabled.
func TestFairnessHidesNothing(t *testing.T) {
	orders := map[string]bool{}
	explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		open := true
		var order strings.Builder
		p.Go(func() {
			for range 4 {
				p.Spin()
				order.WriteByte('a')
			}
		})
		p.Go(func() {
			for range 2 {
				p.Point()
				open = !open
				order.WriteByte('b')
			}
		})
		p.Go(func() {
			p.Await(func() bool { return open })
			order.WriteByte('c')
		})
		p.After(func() error { orders[order.String()] = true; return nil })
	})
	if !orders["ababaca"] {
		t.Errorf("missing among %d: %v", len(orders), orders)
	}
}
