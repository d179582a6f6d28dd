package sched

import (
	"slices"
	"sync"
	"testing"
)

// beside returns so many workers that count as awake, with nothing to do.
func beside(t *testing.T, workers int) []*Worker {
	t.Helper()
	s, _ := bench(t, workers)
	s.idle.v.Store(0) // no worker sleeps, and so none will be woken
	s.monitor.stop()  // or it would take their slots
	for _, w := range s.workers {
		w.queue.begin()
	}
	return s.workers
}

// fill queues n tasks, whose numbers it returns.
func fill(q *ring, n, from int) (numbers []int) {
	for i := range n {
		task := numberedTasks(1)[0]
		task.no = from + i
		q.owner().push(entered(&task.Task))
		numbers = append(numbers, task.no)
	}
	return numbers
}

// TestRebalance: a worker takes half of the difference from another worker that has at least twice
// as many tasks, and four more. It takes at most 32, the oldest first, and no new tasks. They wait
// after its own.
func TestRebalance(t *testing.T) {
	for _, c := range []struct{ here, hereNew, there, thereNew, want int }{
		{0, 0, 0, 0, 0},
		{0, 0, 3, 0, 0},
		{0, 0, 4, 0, 2},
		{1, 0, 5, 0, 0},
		{1, 0, 6, 0, 2},
		{7, 0, 17, 0, 0},
		{7, 0, 18, 0, 5},
		{3, 4, 17, 0, 0},
		{3, 4, 18, 0, 5},
		{0, 0, 3, 30, 0},
		{0, 0, 66, 9, 32},
		{0, 0, 200, 0, 32},
		{100, 0, 256, 0, 32},
	} {
		all := beside(t, 2)
		w, v := all[0], all[1]
		own := fill(&w.queue.resumed, c.here, 0)
		fill(&w.queue.newTasks, c.hereNew, 1000)
		theirs := fill(&v.queue.resumed, c.there, 2000)
		fill(&v.queue.newTasks, c.thereNew, 3000)
		w.rebalance()
		if got := w.Counters().Steals; got != uint64(c.want) {
			t.Errorf("%+v: %d steals", c, got)
		}
		if v.queue.newTasks.owner().len() != c.thereNew ||
			w.queue.newTasks.owner().len() != c.hereNew {
			t.Errorf("%+v: new ones were moved", c)
		}
		want := append(own, theirs[:c.want]...)
		if got := nextAll(w.queue.resumed.owner().pop); !slices.Equal(got, want) {
			t.Errorf("%+v: here are %v, want %v", c, got, want)
		}
		if got := nextAll(v.queue.resumed.owner().pop); !slices.Equal(got, theirs[c.want:]) {
			t.Errorf("%+v: there are %v, want %v", c, got, theirs[c.want:])
		}
		nextAll(w.queue.next)
		nextAll(v.queue.next)
	}
}

// TestRebalance_HasRoom: tasks without room go to the inject queue. No task is lost.
func TestRebalance_HasRoom(t *testing.T) {
	all := beside(t, 2)
	w, v := all[0], all[1]
	w.queue.resumed.init(idleRingSize, 0)
	fill(&w.queue.resumed, idleRingSize-5, 0)
	fill(&v.queue.resumed, 100, 100)
	w.rebalance()
	if w.queue.len() != idleRingSize || v.queue.len() != 68 || w.Overflows() != 27 ||
		w.sched.inject.len() != 27 {
		t.Errorf("%d here, %d there, %d spilled", w.queue.len(), v.queue.len(), w.Overflows())
	}
	nextAll(w.queue.next)
	nextAll(v.queue.next)
}

// TestRebalance_InTurn: each time the worker looks at the holder of the next slot, but never at
// itself, and at no worker if the slot is vacant.
func TestRebalance_InTurn(t *testing.T) {
	all := beside(t, 4)
	w := all[1]
	w.victim = 3
	all[2].sched.slots[2].holder.Store(nil)
	for _, i := range []int{0, 2, 3} {
		fill(&all[i].queue.resumed, 100, 100*i)
	}
	var victims []int
	for range 5 {
		w.rebalance()
		victim := -1
		if got := nextAll(w.queue.next); len(got) > 0 {
			victim = got[0] / 100
		}
		victims = append(victims, victim)
	}
	if want := []int{0, -1, -1, 3, 0}; !slices.Equal(victims, want) {
		t.Errorf("victims %v, want %v", victims, want)
	}
	for _, v := range all {
		nextAll(v.queue.next)
	}
	alone := beside(t, 1)[0]
	fill(&alone.queue.resumed, 10, 0)
	if alone.rebalance(); alone.queue.len() != 10 || alone.Counters().Steals != 0 {
		t.Error("it stole from itself")
	}
	nextAll(alone.queue.next)
}

// TestRebalance_WhenAsked: a worker rebalances when it was asked to answer and still has its slot,
// and not between any two turns.
func TestRebalance_WhenAsked(t *testing.T) {
	all := beside(t, 2)
	w, v := all[0], all[1]
	fill(&v.queue.resumed, 100, 0)
	w.state.resume()
	if w.state.becomeIdle(); !w.answer() || w.queue.len() != 0 {
		t.Errorf("%d fetched, though nobody had asked", w.queue.len())
	}
	if w.state.ask(); !w.answer() || w.queue.len() != maxRebalance {
		t.Errorf("%d fetched", w.queue.len())
	}
	nextAll(w.queue.next)
	w.state.ask()
	w.state.markOverdue()
	w.state.detach()
	if w.answer() || w.queue.len() != 0 {
		t.Errorf("%d fetched without a slot", w.queue.len())
	}
	nextAll(v.queue.next)
}

// TestRebalance_Conserves: workers that rebalance while others run and requeue their tasks lose no
// task and run none twice.
func TestRebalance_Conserves(t *testing.T) {
	const tasks = 90
	all := beside(t, 3)
	fill(&all[0].queue.resumed, tasks, 0)
	var g sync.WaitGroup
	for _, w := range all {
		g.Go(func() {
			for i := range 3000 {
				if i%(w.id+2) == 0 {
					w.rebalance()
				}
				task := w.queue.resumed.owner().pop()
				if task != nil {
					w.enqueue(task)
				}
			}
		})
	}
	g.Wait()
	var got []int
	for _, w := range all {
		got = append(got, nextAll(w.queue.next)...)
	}
	// Where a thief slept on the slot that was next.
	got = append(got, nextAll(all[0].sched.inject.pop)...)
	slices.Sort(got)
	if len(got) != tasks || len(slices.Compact(got)) != tasks {
		t.Errorf("%d tasks of %d: %v", len(got), tasks, got)
	}
}
