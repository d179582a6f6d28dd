package sched

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sleeper is the state of a worker, apart from the idle word.
type sleeper struct{ asleep, searching bool }

// widths are numbers of workers at which the idle word could go wrong.
var widths = []int{1, 2, 3, 4, 7, oneWordWorkers, oneWordWorkers + 1, 64, 65, 100, 192, MaxWorkers}

// TestIdleWordCounts: in random steps of workers and of goroutines that wake them, the word has the
// sleeping workers and the number of searchers, never more than half of the workers. Each bit is
// cleared by one party.
func TestIdleWordCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(widths).Draw(t, "workers")
		var w idleWord
		w.init(n)
		if n <= oneWordWorkers && rapid.Bool().Draw(t, "leaves") {
			w.initLeaves(n, uint8(rapid.IntRange(0, leafShift).Draw(t, "shift")))
		}
		ws := make([]sleeper, n)
		for i := range ws {
			ws[i].asleep = true
		}
		some := func(t *rapid.T, ok func(sleeper) bool) int {
			var which []int
			for i, s := range ws {
				if ok(s) {
					which = append(which, i)
				}
			}
			if len(which) == 0 {
				t.Skip("nobody")
			}
			return rapid.SampledFrom(which).Draw(t, "worker")
		}
		count := func(ok func(sleeper) bool) (k int) {
			for _, s := range ws {
				if ok(s) {
					k++
				}
			}
			return k
		}
		asleep := func(s sleeper) bool { return s.asleep }
		searchers := func(s sleeper) bool { return s.searching }
		awake := func(s sleeper) bool { return !s.asleep && !s.searching }
		t.Repeat(map[string]func(*rapid.T){
			"wake": func(t *rapid.T) {
				as := rapid.Bool().Draw(t, "as searcher")
				i, r := w.wake(as)
				switch {
				case count(searchers) > 0 || count(asleep) == 0:
					if r != wokeNone {
						t.Fatalf("woke %d beside a searcher, or nobody slept", i)
					}
				case r != wokeOne || !ws[i].asleep:
					t.Fatalf("%v, worker %d", r, i)
				default:
					ws[i] = sleeper{searching: as}
				}
			},
			"announce": func(t *rapid.T) {
				i := some(t, func(s sleeper) bool { return !s.asleep })
				all := w.announce(i, ws[i].searching)
				ws[i] = sleeper{asleep: true}
				if all != (count(asleep) == n) {
					t.Fatalf("all asleep: %v", all)
				}
			},
			"retract": func(t *rapid.T) {
				i := rapid.IntRange(0, n-1).Draw(t, "worker")
				if got, ok := w.retract(i); ok != ws[i].asleep || ok && got != i {
					t.Fatalf("retract of worker %d, asleep: %v", i, ws[i].asleep)
				}
				ws[i].asleep = false
			},
			"startSearch": func(t *rapid.T) {
				i := some(t, awake)
				k := count(searchers)
				may := k == 0 || 2*(k+1) <= n && k < maxSearchers
				if w.startSearch() != may {
					t.Fatalf("search beside %d others of %d: %v", k, n, !may)
				}
				ws[i].searching = may
			},
			"stopSearch": func(t *rapid.T) {
				i := some(t, searchers)
				ws[i].searching = false
				if w.stopSearch() != (count(searchers) == 0) {
					t.Fatal("who was the last to search?")
				}
			},
			"freeze": func(t *rapid.T) {
				if w.freeze() != (count(asleep) == n) {
					t.Fatal("frozen while somebody is awake, or not while all sleep")
				} else if count(asleep) == n {
					w.thaw()
				}
			},
			"": func(t *rapid.T) {
				v := w.v.Load()
				if searching(v) != count(searchers) || w.sleepers() != count(asleep) ||
					w.quiet() != (count(asleep) == n) {
					t.Fatalf("word %x, workers %+v", v, ws)
				}
				if k := searching(v); k > max(1, n/2) {
					t.Fatalf("%d of %d search", k, n)
				}
				for i, s := range ws {
					if w.peekBit(i) != s.asleep {
						t.Fatalf("bit %d of %x, asleep: %v", i, v, s.asleep)
					}
				}
			},
		})
	})
}

// TestIdleWordWidth: however many workers there are, all can be woken for the end, each once, and
// the counts leave the other bits alone.
func TestIdleWordWidth(t *testing.T) {
	for _, n := range widths {
		var w idleWord
		w.init(n)
		for i := range n {
			got, ok := w.wakeForStop(i)
			if _, again := w.wakeForStop(i); !ok || got != i || again {
				t.Errorf("%d workers: worker %d is woken: %v, again: %v", n, i, ok, again)
			}
		}
		for w.startSearch() {
		}
		if v := w.v.Load(); searching(v) != max(1, min(n/2, maxSearchers)) ||
			v&(frozenBit|closedBit) != 0 || w.sleepers() != 0 {
			t.Errorf("%d workers: word %x", n, v)
		}
		w = idleWord{}
		w.init(n)
		w.close()
		_, r := w.wake(true)
		_, back := w.retract(n - 1)
		if got, ok := w.wakeForStop(n - 1); r != wokeClosed || back || !ok || got != n-1 || !w.closed() {
			t.Errorf("%d workers, closed: only a Stop may wake one", n)
		}
	}
}

// bench is a scheduler whose workers are not started, for looking at one of them.
func bench(t *testing.T, workers int) (*Scheduler, []*numbered) {
	t.Helper()
	s, err := New(Config{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	// So its timer is not started, and no surplus worker runs.
	s.monitor.armed.Store(true)
	t.Cleanup(s.monitor.stop)
	return s, numberedTasks(40)
}

// TestStealOneRoundRobin: a worker steals one task at a time, beginning after its
// last victim, and never from itself.
func TestStealOneRoundRobin(t *testing.T) {
	s, tasks := bench(t, 4)
	for i, task := range tasks { // task i is in the ring of worker i mod 4
		s.workers[i%4].queue.resumed.owner().push(entered(&task.Task))
	}
	thief := s.workers[1]
	thief.victim = 2 // where the last search ended
	var victims []int
	for range 6 {
		before := thief.queue.resumed.owner().len()
		task := thief.steal()
		if task == nil || thief.queue.resumed.owner().len() != before {
			t.Fatal("one task, and none for the thief's own ring")
		}
		victims = append(victims, number(task).no%4)
	}
	if want := []int{3, 0, 2, 3, 0, 2}; !slices.Equal(victims, want) {
		t.Errorf("victims %v, want %v", victims, want)
	}
	for _, w := range []int{0, 2, 3} {
		if n := s.workers[w].queue.resumed.owner().len(); n != 8 {
			t.Errorf("worker %d has %d tasks left of 10", w, n)
		}
	}
	if thief.Counters().Steals != 6 || thief.Counters().StealMisses != 0 {
		t.Errorf("%+v", thief.Counters())
	}
}

// TestStealPassesOverTheEmpty: a search goes past victims without tasks,
// once around.
func TestStealPassesOverTheEmpty(t *testing.T) {
	s, tasks := bench(t, 4)
	thief := s.workers[0]
	thief.victim = 0
	if thief.steal() != nil || thief.Counters().StealMisses != 3 {
		t.Errorf("stole from nobody: %+v", thief.Counters())
	}
	s.workers[2].queue.resumed.owner().push(entered(&tasks[0].Task))
	if thief.steal() != &tasks[0].Task || thief.victim != 2 {
		t.Errorf("victim %d", thief.victim)
	}
}

// TestPollTakesAFairShare: a look at the inject queue takes one task to run and its
// part of the others, and of many at most 32.
func TestPollTakesAFairShare(t *testing.T) {
	for queued, want := range map[int]int{1: 0, 2: 0, 3: 1, 9: 4, 40: 19} {
		s, tasks := bench(t, 2)
		s.idle.v.Store(0) // none sleeps: none is woken
		for _, task := range tasks[:queued] {
			s.inject.push(entered(&task.Task))
		}
		w := s.workers[0]
		w.injectShare = maxInjectShare
		if task := w.poll(); task != &tasks[0].Task {
			t.Errorf("of %d: not the oldest", queued)
		}
		if got := w.queue.resumed.owner().len(); got != want {
			t.Errorf("of %d: %d for the ring, want %d", queued, got, want)
		}
	}
}

// TestPollTakesWhatHasRoom: fetched tasks are not put back, after all others. While tasks are left
// in the inject queue, half of the ring is for them.
func TestPollTakesWhatHasRoom(t *testing.T) {
	w, tasks := atWork(t, 2*ringSize)
	own, inject := w.queue.resumed.owner(), &w.sched.inject
	w.injectShare = maxInjectShare
	says := func(what string, waiting, left int) {
		t.Helper()
		if own.len() != waiting || inject.len() != left {
			t.Errorf("%s: %d in the ring and %d in the inject queue, want %d and %d", what, own.len(),
				inject.len(), waiting, left)
		}
	}
	for _, task := range tasks[:ringSize-2] {
		w.enqueue(entered(&task.Task))
	}
	for _, task := range tasks[ringSize : ringSize+9] {
		inject.push(entered(&task.Task))
	}
	w.poll()
	says("with room for two", ringSize, 6)
	w.poll()
	says("with no room", ringSize, 5)
	for own.len() > ringSize/2 {
		own.pop()
	}
	w.enqueue(entered(&tasks[ringSize+9].Task))
	says("one that wants to go on", ringSize/2, 6)
	w.poll()
	says("with room", ringSize/2+5, 0)
	w.enqueue(entered(&tasks[ringSize+10].Task))
	says("when nothing is left", ringSize/2+6, 0)
	nextAll(w.queue.next)
}

// TestPollLeavesItToOtherWorkers: a worker that has new tasks takes only the task that it runs at
// once, since resumed tasks wait for the new tasks.
func TestPollLeavesItToOtherWorkers(t *testing.T) {
	s, tasks := bench(t, 1)
	s.idle.v.Store(0)
	for _, task := range tasks[:9] {
		s.inject.push(entered(&task.Task))
	}
	w := s.workers[0]
	w.injectShare = maxInjectShare
	w.queue.begin()
	w.queue.newTasks.owner().push(entered(&tasks[9].Task))
	if w.poll(); w.queue.resumed.owner().len() != 0 {
		t.Errorf("%d wait behind one that is new", w.queue.resumed.owner().len())
	}
}

// TestPollBeginsWithOne: a worker that has just got its slot, perhaps from a worker whose turn has
// blocked, takes only one task from the inject queue, and runs it. Later it takes more and more. If
// the first task blocks as well, further tasks would have to go back, after all others.
func TestPollBeginsWithOne(t *testing.T) {
	s, tasks := bench(t, 1)
	s.idle.v.Store(0)
	for i := range tasks[:30] {
		s.inject.push(entered(&tasks[i].Task))
	}
	w := s.workers[0]
	for i, want := range []int{0, 1, 3, 7} {
		before := w.queue.resumed.owner().len()
		w.poll()
		if got := w.queue.resumed.owner().len() - before; got != want {
			t.Errorf("look %d: %d for the ring, want %d", i, got, want)
		}
	}
	w.occupy(0)
	before := w.queue.resumed.owner().len()
	if w.poll(); w.queue.resumed.owner().len() != before {
		t.Error("more than one after it sat down again")
	}
}

// TestPollWithoutASlot: a worker that should retire, and finds between two tasks that it has lost
// its slot, does not wait as an idle worker there: it may be dismissed afterwards, and must then
// leave.
func TestPollWithoutASlot(t *testing.T) {
	s, tasks := bench(t, 2)
	w := s.workers[0]
	s.idle.v.Store(0) // both are awake,
	s.idle.limit.Store(1)
	w.state.word.StoreRelease(stateDetached) // and the slot was taken since the worker has looked
	w.next.put(entered(&tasks[0].Task))
	if got := w.pollInTurn(); got != nil || w.count.parks.Load() != 0 {
		t.Errorf("%v, parked %d times", got, w.count.parks.Load())
	}
	if w.nextTask() != nil || w.next.task == nil {
		t.Error("it has taken a task")
	}
}

// TestNextSlotRevokedOnce: after a revocation there is no other before the owner has seen it
// and filled the slot again.
func TestNextSlotRevokedOnce(t *testing.T) {
	s, tasks := bench(t, 1)
	slot := &s.workers[0].next
	for range 2 {
		slot.put(&tasks[0].Task)
		if stamp := slot.stamp(); !slot.revocable(stamp) || slot.revoke(stamp) != &tasks[0].Task ||
			slot.revocable(stamp) {
			t.Fatalf("robbable with stamp %d: %v", stamp, slot.revocable(stamp))
		}
		if slot.take() != nil {
			t.Fatal("the owner has it as well")
		}
	}
}

// TestNextSlotInARow: queued tasks wait for at most maxInRow turns of a next-slot that is filled
// again and again.
func TestNextSlotInARow(t *testing.T) {
	s, tasks := bench(t, 1)
	w := s.workers[0]
	s.idle.v.Store(0)
	w.pollTurn = 1000
	w.queue.resumed.owner().push(&tasks[0].Task)
	for i := range maxInRow {
		w.next.put(&tasks[1].Task)
		if w.nextTask() != &tasks[1].Task {
			t.Fatalf("turn %d is not the next-slot's", i)
		}
	}
	w.next.put(&tasks[1].Task)
	if w.nextTask() != &tasks[0].Task || w.nextTask() != &tasks[1].Task {
		t.Error("the ring's turn, and then the next-slot's task behind it")
	}
	if w.count.nextSlot != maxInRow {
		t.Errorf("%d turns from the next-slot", w.count.nextSlot)
	}
}
