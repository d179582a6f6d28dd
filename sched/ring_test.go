package sched

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// ringTwin is the dumb twin of a ring: a slice under a mutex.
type ringTwin struct {
	mu   sync.Mutex
	size int
	list []*Task
}

func (q *ringTwin) push(t *Task) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == q.size {
		return false
	}
	q.list = append(q.list, t)
	return true
}

func (q *ringTwin) pop() *Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	t := q.list[0]
	q.list = q.list[1:]
	return t
}

func (q *ringTwin) popNewest() *Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.list) - 1
	if last < 0 {
		return nil
	}
	t := q.list[last]
	q.list = q.list[:last]
	return t
}

func (q *ringTwin) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// ringStarts are first indices that matter: the usual one, and some from which
// the 64-bit counters wrap around soon.
var ringStarts = []uint64{0, 1, 5, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 2,
	math.MaxUint64 - 6}

// TestRingTwin: a ring that one goroutine uses behaves exactly like a slice, for several sizes and
// starts of its counters.
func TestRingTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		twin := ringTwin{size: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "size")}
		r.init(twin.size, rapid.SampledFrom(ringStarts).Draw(t, "start"))
		same := func(what string, got, want any) {
			if got != want {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				task := new(Task)
				same("push", r.owner().push(task), twin.push(task))
			},
			"pop":    func(*rapid.T) { same("pop", r.owner().pop(), twin.pop()) },
			"newest": func(*rapid.T) { same("newest", r.owner().popNewest(), twin.popNewest()) },
			"steal":  func(*rapid.T) { same("steal", r.thief().steal(), twin.pop()) },
			"": func(*rapid.T) {
				same("len", r.owner().len(), twin.len())
				same("empty", r.thief().empty(), twin.len() == 0)
			},
		})
	})
}

// TestBug_K31_RingIndexWraps: the receipts of a ring that was never stolen from
// used to claim that task 2⁶⁴-1 was stolen, and its entry was filled again.
func TestBug_K31_RingIndexWraps(t *testing.T) {
	const size = 4
	var r ring
	r.init(size, math.MaxUint64-2)
	d := newDeck(size + 3)
	pushed, popped := 0, 0
	for ; pushed < size+2; pushed++ {
		if pushed >= size {
			mustPop(t, &r, d, popped)
			popped++
		}
		if !r.owner().push(d.card(pushed)) {
			t.Fatalf("no room for task %d", pushed)
		}
	}
	if r.owner().push(d.card(pushed)) {
		t.Fatal("a push into a full ring")
	}
	for ; popped < pushed; popped++ {
		mustPop(t, &r, d, popped)
	}
}

func mustPop(t *testing.T, r *ring, d *deck, want int) {
	t.Helper()
	if got := d.index(r.owner().pop()); got != want {
		t.Fatalf("task %d popped, want %d", got, want)
	}
}

// TestRingKeepsNothing: a ring keeps no task alive that was taken.
func TestRingKeepsNothing(t *testing.T) {
	var r ring
	r.init(4, 0)
	for range 3 {
		r.owner().push(new(Task))
		r.owner().push(new(Task))
		r.owner().push(new(Task))
		r.owner().popNewest()
		r.owner().pop()
		r.thief().steal()
	}
	r.owner().push(new(Task))
	r.owner().popNewest() // the only one
	for i := range r.entries {
		if r.entries[i].task != nil {
			t.Errorf("entry %d still holds a task", i)
		}
	}
}

// taker checks the numbers that one taker of a FIFO gets: each once, rising.
type taker struct {
	last  int
	count int
	err   error
}

func (k *taker) take(i int) {
	if i <= k.last && k.err == nil {
		k.err = fmt.Errorf("task %d after task %d", i, k.last)
	}
	k.last = i
	k.count++
}

// numbered is a task that knows its number.
type numbered struct {
	Task
	no    int
	taken atomic.Int32
}

func numberedTasks(n int) []*numbered {
	all := make([]*numbered, n)
	for i := range all {
		all[i] = &numbered{no: i}
		all[i].Init(all[i], nil)
	}
	return all
}

// RunTask and TaskTerminated make it a Runner; only its number matters.
func (n *numbered) RunTask(*Worker) bool          { return false }
func (n *numbered) TaskTerminated(*Worker, error) {}

// number returns the number of a task.
func number(t *Task) *numbered { return t.class.runner.(*single).runner.(*numbered) }

// scaled is n, or a tenth of it under -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestRingStress: an owner and two thieves in parallel; every task is taken once,
// and each of the three sees them in order. An owner that takes the newest does not.
func TestRingStress(t *testing.T) {
	for _, start := range []uint64{0, math.MaxUint64 - 100} {
		t.Run(fmt.Sprint(start), func(t *testing.T) { ringStress(t, start, false) })
		t.Run(fmt.Sprint(start, " newest"), func(t *testing.T) { ringStress(t, start, true) })
	}
}

func ringStress(t *testing.T, start uint64, newest bool) {
	const thieves = 2
	var (
		r      ring
		all    = numberedTasks(scaled(40_000))
		takers [thieves + 1]taker // the last one is the owner
		done   atomic.Bool
		wg     sync.WaitGroup
	)
	r.init(4, start)
	take := func(k *taker, t *Task) bool {
		if t == nil {
			return false
		}
		n := number(t)
		n.taken.Add(1)
		k.take(n.no)
		return true
	}
	for i := range takers {
		takers[i].last = -1
	}
	for i := range thieves {
		wg.Go(func() {
			for !done.Load() || !r.thief().empty() {
				if !take(&takers[i], r.thief().steal()) {
					runtime.Gosched()
				}
			}
		})
	}
	own, pop := &takers[thieves], (*ownerEnd).pop
	if newest {
		pop = (*ownerEnd).popNewest
	}
	for i := range all {
		for !r.owner().push(&all[i].Task) {
			take(own, pop(r.owner()))
		}
		if i%3 == 0 {
			take(own, pop(r.owner()))
		}
	}
	done.Store(true)
	wg.Wait()
	ordered := takers[:]
	if newest {
		ordered = takers[:thieves]
	}
	checkTaken(t, all, ordered)
}

func checkTaken(t *testing.T, all []*numbered, takers []taker) {
	t.Helper()
	i := slices.IndexFunc(all, func(n *numbered) bool { return n.taken.Load() != 1 })
	if i >= 0 {
		t.Errorf("task %d was taken %d times", i, all[i].taken.Load())
	}
	var errs []error
	for _, k := range takers {
		errs = append(errs, k.err)
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
