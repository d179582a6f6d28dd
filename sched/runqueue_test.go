package sched

import (
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// atWork returns the only worker of a scheduler, which counts as awake, and so many tasks, of which
// tasks with odd numbers are new and stay so.
func atWork(t *testing.T, n int) (*Worker, []*numbered) {
	t.Helper()
	s, _ := bench(t, 1)
	s.idle.v.Store(0) // no worker sleeps, and so none will be woken
	tasks := numberedTasks(n)
	for _, task := range tasks {
		task.Class().DepthFirst(func(*Task) bool { return task.no%2 == 1 })
	}
	s.workers[0].queue.begin()
	return s.workers[0], tasks
}

// nextAll empties the queue, and returns the numbers of its tasks, in the order of take.
func nextAll(take func() *Task) (order []int) {
	for t := take(); t != nil; t = take() {
		order = append(order, number(t).no)
	}
	return order
}

// TestRunQueue_Order: new tasks first, the newest of them, and the others in turn; thieves take the
// oldest of the new tasks, and then the others.
func TestRunQueue_Order(t *testing.T) {
	for name, c := range map[string]struct {
		take func(q *runQueue) *Task
		want []int
	}{
		"owner": {(*runQueue).next, []int{7, 5, 3, 1, 0, 2, 4, 6}},
		"thief": {(*runQueue).steal, []int{1, 3, 5, 7, 0, 2, 4, 6}},
	} {
		w, tasks := atWork(t, 8)
		for i, task := range tasks {
			w.enqueueNew(entered(&task.Task))
			if w.queue.len() != i+1 || w.queue.empty() {
				t.Fatalf("%d in it, empty %v, behind %d", w.queue.len(), w.queue.empty(), i+1)
			}
		}
		if got := nextAll(func() *Task { return c.take(&w.queue) }); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if !w.queue.empty() || w.queue.len() != 0 || w.sched.workLeft() {
			t.Errorf("%s: something is left", name)
		}
	}
}

// TestRunQueue_IsSeen: one task of either kind is enough to be seen by a worker that is about to
// sleep.
func TestRunQueue_IsSeen(t *testing.T) {
	for ring := range 2 {
		w, tasks := atWork(t, 2)
		w.enqueueNew(entered(&tasks[ring].Task))
		if w.queue.empty() || w.queue.len() != 1 || !w.sched.workLeft() {
			t.Errorf("task %d is not seen", ring)
		}
		nextAll(w.queue.next)
	}
}

// TestRunQueue_LetsResumedRun: while new tasks keep making new tasks, another task has a turn after
// 256 of them: a resumed task, and every 256th time the oldest new task.
func TestRunQueue_LetsResumedRun(t *testing.T) {
	const bottom, other, breeder = 1, 0, 3
	w, tasks := atWork(t, 4)
	for _, i := range []int{bottom, other, breeder} {
		w.enqueueNew(entered(&tasks[i].Task))
	}
	for turn := 1; turn <= oldestNewEvery; turn++ {
		for range maxNewInRow {
			next := w.queue.next()
			if got := number(next).no; got != breeder {
				t.Fatalf("task %d went too early to be number %d of those that were due", got, turn)
			}
			w.queue.newTasks.owner().push(next) // as if it had made another
		}
		want := other
		if turn == oldestNewEvery {
			want = bottom
		}
		next := w.queue.next()
		if got := number(next).no; got != want {
			t.Fatalf("task %d was due as number %d, want %d", got, turn, want)
		}
		if want == other {
			w.queue.resumed.owner().push(next)
		}
	}
	nextAll(w.queue.next)
}

// TestRunQueue_Aging: a resumed task that has waited from one reading of the clock to the next
// goes first. A resumed task that has just come does not.
func TestRunQueue_Aging(t *testing.T) {
	w, tasks := atWork(t, 16)
	says := func(when string, want int) {
		t.Helper()
		if got := number(w.queue.next()).no; got != want {
			t.Errorf("%s: task %d, want %d", when, got, want)
		}
	}
	enqueue := func(all ...int) {
		for _, i := range all {
			w.enqueueNew(entered(&tasks[i].Task))
		}
	}
	enqueue(1, 3, 5, 7, 9, 11)
	w.queue.applyAging(0)
	enqueue(0, 2)
	says("behind two that have just come", 11)
	w.queue.applyAging(0)
	says("at the first reading", 9)
	w.queue.applyAging(0)
	says("at the second", 0)
	says("once", 7)
	enqueue(4)
	w.queue.applyAging(0)
	says("another has waited as well", 2)
	w.queue.applyAging(0)
	says("so has one that came before the last reading, but it is the turn of a new one", 5)
	w.queue.applyAging(0)
	says("behind that", 4)
	enqueue(6)
	w.queue.applyAging(0)
	says("behind one that has just come", 3)
	w.queue.applyAging(0)
	says("for a reading", 6)
	nextAll(w.queue.next)
}

// TestRunQueue_LongTurns: where the clock is read after every turn, new ones and others go in
// turns.
func TestRunQueue_LongTurns(t *testing.T) {
	w, tasks := atWork(t, 8)
	for _, task := range tasks {
		w.enqueueNew(entered(&task.Task))
	}
	w.queue.applyAging(0)
	order := nextAll(func() *Task { w.queue.applyAging(0); return w.queue.next() })
	if want := []int{7, 0, 5, 2, 3, 4, 1, 6}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// TestRunQueue_LongTurnsAtTheBottom: where turns are so long that the oldest of the new tasks is
// overdue as well, it and the others take turns, with one of the newest between them.
func TestRunQueue_LongTurnsAtTheBottom(t *testing.T) {
	w, tasks := atWork(t, 12)
	for _, task := range tasks {
		w.enqueueNew(entered(&task.Task))
	}
	now := int64(0)
	order := nextAll(func() *Task {
		w.queue.applyAging(now)
		now += 12 * newWait
		return w.queue.next()
	})
	if want := []int{11, 1, 9, 0, 7, 3, 5, 2, 4, 6, 8, 10}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// TestRunQueue_TheBottomWaits: the oldest of the new tasks goes next when it has been that for a
// while, the longer the more wait there; not before, and not for the time in which there was none.
func TestRunQueue_TheBottomWaits(t *testing.T) {
	w, tasks := atWork(t, 20)
	now := int64(-5)
	says := func(when string, after int64, want int) {
		t.Helper()
		now += after
		w.queue.applyAging(now)
		if got := number(w.queue.next()).no; got != want {
			t.Errorf("%s: task %d, want %d", when, got, want)
		}
	}
	enqueue := func(all ...int) {
		for _, i := range all {
			w.enqueueNew(entered(&tasks[i].Task))
		}
	}
	w.queue.applyAging(now)
	enqueue(1, 3, 5, 7, 9)
	says("just come", 100*newWait, 9)
	says("not long enough for four", 4*newWait-1, 7)
	enqueue(11, 13)
	says("more wait", 1, 13)
	says("long enough for four, as that was", 1, 1)
	says("one was due", 100*newWait, 11)
	says("another is the oldest, and was not seen before", 2*newWait-1, 5)
	says("the last", 0, 3)
	w.queue.applyAging(now)
	enqueue(15, 17)
	says("nobody was there", 100*newWait, 17)
	says("one alone", newWait, 15)
}

// TestRefill_AgingOfTheNew: time in which turns take no longer than short ones does not count, all
// other does.
func TestRefill_AgingOfTheNew(t *testing.T) {
	w, tasks := atWork(t, 10)
	clock := seam.NewVirtualClock(time.Time{}, 0)
	w.sched.cfg.Clock = clock
	for i := 1; i < len(tasks); i += 2 {
		w.enqueueNew(entered(&tasks[i].Task))
	}
	for _, c := range []struct {
		elapsed int64
		turns   uint64
		want    int
	}{{0, 0, 9}, {100 * shortTurn * newWait, 100 * newWait, 7}, {newWait * 5, 0, 1}} {
		clock.MoveTo(clock.Nanos() + c.elapsed)
		w.count.turns += c.turns
		w.budget = 0
		w.refillBudget()
		if got := number(w.queue.next()).no; got != c.want {
			t.Errorf("%d turns in %d ns: task %d, want %d", c.turns, c.elapsed, got, c.want)
		}
	}
	nextAll(w.queue.next)
}

// TestRunQueue_Overflows: new tasks without room wait with the resumed tasks. Tasks without room
// there are injected.
func TestRunQueue_Overflows(t *testing.T) {
	w, tasks := atWork(t, 2*(newRingSize+ringSize+1))
	for i, task := range tasks {
		if i%2 == 1 {
			w.enqueueNew(entered(&task.Task))
		}
	}
	newTasks, resumed := w.queue.newTasks.owner().len(), w.queue.resumed.owner().len()
	if newTasks != newRingSize || resumed != ringSize || w.Overflows() != 1 ||
		w.sched.inject.len() != 1 {
		t.Errorf("%d new, %d others, %d spilled, %d injected", newTasks, resumed, w.Overflows(),
			w.sched.inject.len())
	}
	nextAll(w.queue.next)
}

// TestRunQueue_Unloads: a worker gives away all its tasks.
func TestRunQueue_Unloads(t *testing.T) {
	w, tasks := atWork(t, 8)
	for _, task := range tasks {
		w.enqueueNew(entered(&task.Task))
	}
	if !w.moveToInject() || !w.queue.empty() {
		t.Error("it has kept something")
	}
	got := nextAll(w.sched.inject.pop)
	if slices.Sort(got); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v were injected", got)
	}
}
