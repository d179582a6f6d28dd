package main

import "testing"

// TestOneWorker: one worker takes as long as all that there is to do.
func TestOneWorker(t *testing.T) {
	for _, p := range programs {
		if r := p.run(measured, 1); r.time != r.work || r.search != 0 || r.waited != 0 {
			t.Errorf("%s: %+v", p.name, r)
		}
	}
}

// TestLimits: no program is more than n times as fast with n workers; a ring is as fast with any
// number; and where nothing is shared and nothing costs, two are twice as fast.
func TestLimits(t *testing.T) {
	for _, p := range programs {
		one := p.run(measured, 1).time
		for _, n := range []int{2, 4, 56, 192} {
			r := p.run(measured, n)
			if gain := one / r.time; gain > float64(n)*1.0001 {
				t.Errorf("%s, %d workers: %.2f times as fast", p.name, n, gain)
			}
			if all := r.work + r.search + r.waited + r.asleep; all < 0.95*r.time*float64(n) ||
				all > 1.05*r.time*float64(n) {
				t.Errorf("%s, %d workers: %.0f of %.0f ns accounted for", p.name, n, all,
					r.time*float64(n))
			}
		}
	}
	if one, many := ring(measured, 1), ring(measured, 192); one.time != many.time {
		t.Errorf("a ring takes %v, and with more workers %v", one.time, many.time)
	}
	free := costs{message: 45}
	if one, two := tree(free, 1, 2, 10, 1000), tree(free, 2, 2, 10, 1000); two.time > 0.51*one.time {
		t.Errorf("two workers take %v of %v", two.time, one.time)
	}
}
