package mpsc

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/internal/seam"
)

// needFence waits until biases can be used, and skips the test where they never can.
func needFence(t *testing.T) {
	t.Helper()
	if ask := seam.PrepareFence(); ask != nil {
		ask()
	}
	for end := time.Now().Add(time.Second); !seam.CanFence(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Skip("there are no biases here") // the kernel has no such fence
		}
	}
}

const noWorker = -1

// biasTwins are a mailbox with workers that hold biases, and its model. In the model an append is a
// push that only one worker may do.
type biasTwins struct {
	twins
	biases [3]Bias
	holder int // the worker that may append
	now    int // the worker of the last action
}

func newBiasTwins() *biasTwins {
	w := &biasTwins{holder: noWorker}
	for i := range w.biases {
		w.biases[i].Init(true)
	}
	return w
}

// worker draws a worker for the next action: mostly the last worker, or biases would be short.
func (w *biasTwins) worker(t *rapid.T) int {
	if i := rapid.IntRange(0, 20).Draw(t, "worker"); i < len(w.biases) {
		w.now = i
	}
	return w.now
}

// seldom skips an action nine times of ten.
func seldom(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
		t.Skip("not now") // rapid draws another action
	}
}

// send does the steps of a behaviour's send on one of the workers.
func (w *biasTwins) send(t *rapid.T) {
	i := w.worker(t)
	own := &w.biases[i]
	switch h := w.box.Head(); {
	case h == own.Mark():
		if w.holder != i {
			t.Fatalf("%d may append, and %d holds the bias", i, w.holder)
		}
		if !own.Append(&w.box, &w.in, w.made()) {
			t.Fatalf("%d may append, and does not", i)
		}
		w.dumb.push(w.next)
	case w.holder == i:
		t.Fatalf("%d may not append, and holds the bias", i)
	case h == nil:
		m := w.made()
		m.Next = nil
		w.box.head.Store(own.Mark())
		w.in.Wake(m, own.Mark())
		w.holder = i
		if w.dumb.push(w.next) != PushWoke {
			t.Fatal("the mailbox is idle, and its twin is not")
		}
		w.dumb.drain()
	default:
		if rapid.Bool().Draw(t, "tries") && own.Append(&w.box, &w.in, numbered(0)) {
			t.Fatalf("%d has appended, and holds no bias", i)
		}
		w.push(t, false)
	}
}

// push is a push by a worker that holds no bias.
func (w *biasTwins) push(t *rapid.T, busy bool) {
	w.twins.push(t, busy)
	if w.dumb.scheduled {
		w.holder = noWorker
	}
}

// own begins a turn of a worker.
func (w *biasTwins) own(t *rapid.T) {
	if !w.dumb.scheduled || w.dumb.closed {
		t.Skip("it was not woken") // so it has no turn
	}
	i := w.worker(t)
	own := &w.biases[i]
	if own.Revoke(&w.box, &w.in); w.holder != noWorker {
		w.holder = i
	}
	if tail := w.in.Tail(); tail != nil && isBiasMark(tail) && tail != own.Mark() &&
		tail != &NoBias.mark {
		t.Fatal("another worker runs it, and the mark of the last one is its tail")
	}
	if w.in.MustRevoke(own) {
		t.Fatal("a bias was revoked, and is to be revoked again")
	}
}

// leave is a turn that leaves the actor to any worker.
func (w *biasTwins) leave(t *rapid.T) {
	seldom(t)
	w.own(t)
	own := &w.biases[w.now]
	own.Leave(&w.box, &w.in)
	if w.holder == w.now {
		w.holder = noWorker
	}
	for i := range w.biases {
		if w.in.MustRevoke(&w.biases[i]) {
			t.Fatalf("%d has left, and %d would have to revoke", w.now, i)
		}
	}
	if w.holder == noWorker && own.Append(&w.box, &w.in, numbered(0)) {
		t.Fatalf("%d has appended, and has left", w.now)
	}
}

// drain, tryIdle and close are turns of their own.
func (w *biasTwins) drain(t *rapid.T) {
	w.own(t)
	if len(w.dumb.pending) == 1 {
		w.drainBehind(t)
		return
	}
	w.consume(t, w.box.Drain, w.dumb.drain)
}

func (w *biasTwins) drainBehind(t *rapid.T) {
	if got, want := w.box.Waits(&w.in), len(w.dumb.unread) > 0; got != want {
		t.Fatalf("mail waits: %v, want %v", got, want)
	}
	w.recycle(w.box.DrainBehind(&w.in))
	w.dumb.pending = slices.Concat(w.dumb.pending, w.dumb.unread)
	w.dumb.unread = nil
}

func (w *biasTwins) tryIdle(t *rapid.T) {
	w.own(t)
	if w.in.HasAppended() {
		return // the runner checks that before TryIdle
	}
	w.consume(t, w.box.TryIdle, w.dumb.tryIdle)
	if !w.dumb.scheduled {
		w.holder = noWorker
	}
}

func (w *biasTwins) close(t *rapid.T) {
	seldom(t)
	w.own(t)
	w.twins.close(t)
	w.holder = noWorker
}

// each visits some of the remaining messages, pending messages first.
func (w *biasTwins) each(t *rapid.T) {
	w.own(t)
	all := slices.Concat(w.dumb.pending, w.dumb.unread)
	n := rapid.IntRange(1, len(all)+2).Draw(t, "n")
	var got []uint64
	w.box.Each(&w.in, func(m *Message) bool {
		got = append(got, numberOf(m))
		return len(got) < n
	})
	if len(got) != min(n, len(all)) {
		t.Fatalf("%d of %d messages were visited, want %d at most", len(got), len(all), n)
	}
	if k := min(n, len(w.dumb.pending)); !slices.Equal(got[:k], all[:k]) {
		t.Fatalf("visited %v, and %v is pending", got, w.dumb.pending)
	}
	if slices.Sort(got); len(got) == len(all) && !slices.Equal(got, all) {
		t.Fatalf("visited %v of %v", got, all)
	}
}

// peek looks at the mail like a goroutine that reports why an actor waits.
func (w *biasTwins) peek(t *rapid.T) {
	const most = 1000
	n := 0
	w.box.Peek(&w.in, most, func(*Message) bool { n++; return n < most })
	if all := min(len(w.dumb.pending)+len(w.dumb.unread), most); n != all {
		t.Fatalf("%d messages of %d were seen", n, all)
	}
}

// TestBias_Twin: workers wake, append, push, revoke and consume, one after the other in a random
// order. A mailbox with biases answers like its model without biases, and nodes are used again as
// soon as they may be. A worker may append if it has woken the actor, or revoked another worker's
// bias, and no other worker has pushed since.
func TestBias_Twin(t *testing.T) {
	needFence(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newBiasTwins()
		steps := map[string]func(*rapid.T){
			"send":     w.send,
			"send2":    w.send, // twice as often
			"push":     func(t *rapid.T) { seldom(t); w.push(t, false) },
			"pushBusy": func(t *rapid.T) { seldom(t); w.push(t, true) },
			"own":      w.own,
			"leave":    w.leave,
			"drain":    w.drain,
			"run":      w.run,
			"run2":     w.run,
			"tryIdle":  w.tryIdle,
			"tryIdle2": w.tryIdle,
			"close":    w.close,
			"each":     w.each,
			"peek":     w.peek,
		}
		// Rapid's length is too short for a life with several biases.
		for range 5 {
			t.Repeat(steps)
		}
	})
}

// TestBias_NoBias: a worker that may hold no biases revokes a bias, and leaves the mark of NoBias:
// then no worker may append, and the next worker has nothing to revoke.
func TestBias_NoBias(t *testing.T) {
	needFence(t)
	w := newBiasTwins()
	theirs, own := &w.biases[0], &w.biases[1]
	own.Forbid()
	for _, pushed := range []bool{false, true} {
		want := []uint64{1, 2}
		w.box, w.in = Mailbox{}, Inbox{}
		w.box.head.Store(theirs.Mark())
		w.in.Wake(numbered(1), theirs.Mark())
		theirs.Append(&w.box, &w.in, numbered(2))
		if pushed {
			w.box.Push(numbered(3))
			want = append(want, 3)
		}
		own.Revoke(&w.box, &w.in)
		if w.in.Tail() != &NoBias.mark || !pushed && w.box.Head() != &NoBias.mark {
			t.Errorf("pushed %v: the mark that is left is another", pushed)
		}
		if theirs.Append(&w.box, &w.in, numbered(4)) || w.in.MustRevoke(theirs) {
			t.Errorf("pushed %v: a bias was revoked, and lasts", pushed)
		}
		first, _ := w.box.Close(&w.in)
		if got := numbers(first); !slices.Equal(got, want) {
			t.Errorf("left %v, want %v", got, want)
		}
	}
	if theirs.Kept() || !own.Kept() {
		t.Error("two biases of a worker were revoked, and it does not know")
	}
}

// pausesAfter returns the pause after each of several reviews with these costs. A theft with two
// workers costs two.
func pausesAfter(b *Bias, costs ...int) (pauses []int) {
	for _, c := range costs {
		b.pauseAfter(c, false)
		pauses = append(pauses, b.pause)
	}
	return pauses
}

// TestBias_Pauses: "A worker that has spent more than its budget holds no biases for a while. The
// pause lasts at least until the debt, with that of later revocations, is paid, and is twice as
// long each time. The next pause is halved whenever the worker's budget is full." And "There is no
// pause if there were no thefts and no other worker is awake".
func TestBias_Pauses(t *testing.T) {
	const burst = 16
	var b Bias
	for i := range 1000 {
		if p := pausesAfter(&b, 2, 0, 0); slices.Max(p) > firstPause || i > firstPause &&
			slices.Max(p) != 0 {
			t.Fatalf("a theft every 150 µs, and pauses of %v", p)
		}
	}
	b = Bias{}
	want := burst - 1 // nothing earned yet
	for range 8 {
		if p := pausesAfter(&b, burst)[0]; p != want {
			t.Fatalf("a pause of %d, want %d", p, want)
		}
		if p := pausesAfter(&b, make([]int, want)...); p[want-1] != 0 || p[want-2] != 1 {
			t.Fatalf("a pause of %d goes down like this: %v", want, p)
		}
		want = min(2*want, maxPause)
	}
	b.pauseAfter(burst, false)
	b.pauseAfter(128, false) // thefts of earlier biases: to be paid as well
	if b.pause != maxPause+127 || b.budget != newBudget {
		t.Errorf("a pause of %d, %d earned", b.pause, b.budget)
	}
	if b.pauseAfter(2, true); b.pause != maxPause+128 {
		t.Errorf("a pause of %d, with no other worker awake any more but a thief before", b.pause)
	}
	if b.pauseAfter(2*longestPause, false); b.pause != longestPause-1 {
		t.Errorf("a pause of %d, want the longest", b.pause)
	}
	if b.pauseAfter(0, true); b.pause != 0 {
		t.Errorf("a pause of %d, with no other worker awake", b.pause)
	}
	if p := pausesAfter(&b, make([]int, maxBudget-newBudget)...); slices.Max(p) != 0 ||
		b.next != maxPause/2 {
		t.Errorf("after a calm, pauses of %v and of %d at next", p, b.next)
	}
	pausesAfter(&b, make([]int, 10*maxBudget)...)
	if p := pausesAfter(&b, maxBudget/2); p[0] != 0 {
		t.Errorf("a pause of %d, and everything was paid", p)
	}
	b.budget = 0
	if p := pausesAfter(&b, 2); p[0] != firstPause {
		t.Errorf("a pause of %d after a long calm", p)
	}
	b = Bias{}
	if p := pausesAfter(&b, 100); p[0] != 99 {
		t.Errorf("a pause of %d after 50 thefts", p)
	}
}

// TestBias_Review: a review charges the thefts since the last review, once for each worker. The
// result of Allow holds until the next review.
func TestBias_Review(t *testing.T) {
	needFence(t)
	var b Bias
	b.Init(false)
	if b.Allowed() || !b.Kept() || !b.Fits(0) {
		t.Error("a new bias is allowed, or was revoked")
	}
	b.Allow(b.Review(2, false), 7)
	if !b.Allowed() || !b.Kept() || !b.Fits(7) || b.Fits(8) {
		t.Error("a review without thefts forbids biases")
	}
	b.revoked.Add(4)
	if b.Kept() {
		t.Error("biases were revoked, and the worker does not know")
	}
	if b.Allow(b.Review(3, false), 7); b.Allowed() || !b.Kept() || b.pause != 10 {
		t.Errorf("a pause of %d after four thefts with three workers", b.pause)
	}
	if b.Allow(b.Review(3, true), 7); !b.Allowed() {
		t.Error("no biases, with no other worker awake")
	}
}
