package actor

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/internal/seam"
)

// needFence waits until biases can be had, and skips the test where they never can.
func needFence(t *testing.T) {
	t.Helper()
	if ask := seam.PrepareFence(); ask != nil {
		ask()
	}
	for end := time.Now().Add(time.Second); !seam.CanFence(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Skip("there are no leases here") // since the kernel has no such fence
		}
	}
}

const nobody = -1

// biasTwins are the twins of a mailbox with workers that hold biases. The dumb one knows
// nothing of lists: an append is a push, and only one worker may do it.
type biasTwins struct {
	twins
	leases [3]bias
	holder int // who may append
	now    int // who was last
}

func newBiasTwins() *biasTwins {
	w := &biasTwins{holder: nobody}
	for i := range w.leases {
		w.leases[i].mark.ownerTag, w.leases[i].allowed = biasMarkTag, true
	}
	return w
}

// worker is who does what comes next: mostly the same as before, or biases would be short.
func (w *biasTwins) worker(t *rapid.T) int {
	if i := rapid.IntRange(0, 20).Draw(t, "worker"); i < len(w.leases) {
		w.now = i
	}
	return w.now
}

// seldom has an action left out most times.
func seldom(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
		t.Skip("not now") // rapid draws another action
	}
}

// send is Context.send by one of the workers.
func (w *biasTwins) send(t *rapid.T) {
	i := w.worker(t)
	mark := &w.leases[i].mark
	switch h := w.box.head.Load(); {
	case h == mark:
		if w.holder != i {
			t.Fatalf("%d may append, and %d holds the lease", i, w.holder)
		}
		w.in.add(w.fresh())
		w.dumb.push(w.next)
	case w.holder == i:
		t.Fatalf("%d may not append, and holds the lease", i)
	case h == nil:
		m := w.fresh()
		m.next = nil
		w.box.head.Store(mark)
		w.in.pending, w.in.tail, w.holder = m, mark, i
		if w.dumb.push(w.next) != pushWoke {
			t.Fatal("the mailbox is idle, and its twin is not")
		}
		w.dumb.grab()
	default:
		w.push(t, false)
	}
}

// push is a push by a worker that holds no bias.
func (w *biasTwins) push(t *rapid.T, busy bool) {
	w.twins.push(t, busy)
	if w.dumb.scheduled {
		w.holder = nobody
	}
}

// own has a worker begin a turn.
func (w *biasTwins) own(t *rapid.T) {
	if !w.dumb.scheduled || w.dumb.closed {
		t.Skip("nobody has woken it") // so it has no turn
	}
	i := w.worker(t)
	own := &w.leases[i]
	if w.revokeBias(own); w.holder != nobody {
		w.holder = i
	}
	if last := w.in.tail; last != nil && isBiasMark(last) && last != &own.mark {
		t.Fatal("it was taken over, and the mark of another is its last")
	}
}

// grab, rest and close are turns of their own.
func (w *biasTwins) grab(t *rapid.T) {
	w.own(t)
	if len(w.dumb.fifo) == 1 {
		w.join(t)
		return
	}
	w.consume(t, w.box.drain, w.dumb.grab)
}

func (w *biasTwins) join(t *rapid.T) {
	if got, want := w.mailWaits(), len(w.dumb.unread) > 0; got != want {
		t.Fatalf("mail waits: %v, want %v", got, want)
	}
	w.recycle(w.box.drainBehind(&w.in))
	w.dumb.fifo = slices.Concat(w.dumb.fifo, w.dumb.unread)
	w.dumb.unread = nil
}

func (w *biasTwins) rest(t *rapid.T) {
	w.own(t)
	if w.in.appended != nil {
		return // goIdle has looked
	}
	w.consume(t, w.box.tryIdle, w.dumb.rest)
	if !w.dumb.scheduled {
		w.holder = nobody
	}
}

func (w *biasTwins) close(t *rapid.T) {
	seldom(t)
	w.own(t)
	w.twins.close(t)
	w.holder = nobody
}

// count is leftAtLeast.
func (w *biasTwins) count(t *rapid.T) {
	w.own(t)
	if len(w.dumb.fifo) == 0 {
		t.Skip("with mail in in.fifo") // it is asked of no others
	}
	all := len(w.dumb.fifo) + len(w.dumb.unread)
	n := rapid.IntRange(1, all+2).Draw(t, "n")
	if got, want := w.leftAtLeast(n), all >= n; got != want {
		t.Fatalf("%d or more of %d: %v", n, all, got)
	}
}

// survey is skim, as it is used to find out why an actor waits.
func (w *biasTwins) survey(t *rapid.T) {
	n := 0
	w.peekMail(func(uint64, uint16) bool { n++; return n < maxMail })
	if all := min(len(w.dumb.fifo)+len(w.dumb.unread), maxMail); n != all {
		t.Fatalf("%d messages of %d were seen", n, all)
	}
}

// TestBias_Twin: workers wake, append, push, take over and consume, in whatever order, one after
// the other. A mailbox with biases answers as its dumb twin without, with nodes used again as soon
// as they may be. A worker may append if it has woken the actor, or taken it over, and nobody has
// pushed since.
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
			"grab":     w.grab,
			"run":      w.run,
			"run2":     w.run,
			"rest":     w.rest,
			"rest2":    w.rest,
			"close":    w.close,
			"count":    w.count,
			"survey":   w.survey,
		}
		for range 5 { // rapid's length is too short for a life with several biases
			t.Repeat(steps)
		}
	})
}

// tenant is an actor that does what it is told.
type tenant struct{}

func newTenantType(name string, opts ...TypeOption) (*Type[tenant], Behaviour[tenant, func(*Context)]) {
	typ := NewType[tenant](name, opts...)
	act := Declare[func(*Context)](typ, "act")
	typ.Table(act.Do(func(_ *tenant, c *Context, f func(*Context)) { f(c) }))
	return typ, act
}

var (
	tenantType, tenantAct = newTenantType("tenant")
	tenantPinned, _       = newTenantType("pinned tenant", PinnedThread())
	tenantBounded, _      = newTenantType("bounded tenant", TypeBound(4, OverflowMute))
	tenantCounted, _      = newTenantType("counted tenant", TypeWatermarks(20, 5))
)

// TestBias_NotForAll: those that only one worker runs, and those whose mail is counted or
// bounded when it is pushed, are nobody's to append to.
func TestBias_NotForAll(t *testing.T) {
	sys := Start(Workers(1))
	defer sys.Stop()
	for typ, want := range map[*Type[tenant]]bool{tenantType: true, tenantPinned: false, tenantBounded: false, tenantCounted: false} {
		if got := typ.Spawn(sys, tenant{}).b.shared().biased; got != want {
			t.Errorf("%s: leased: %v, want %v", typ.info.name, got, want)
		}
	}
}

// TestBias_Given: a worker that wakes an actor leaves its mark, and what it goes on to send costs
// the mailbox nothing. The mark is in no cache of messages, whoever finds it spent.
func TestBias_Given(t *testing.T) {
	needFence(t)
	sys := Start(Workers(1))
	defer sys.Stop()
	a, b := tenantType.Spawn(sys, tenant{}), tenantType.Spawn(sys, tenant{})
	why := "it has panicked"
	ran := make(chan struct{})
	tenantAct.Send(sys, a, func(c *Context) {
		defer close(ran)
		mark := &c.bias.mark
		c.bias.grant(c, true)
		for range 3 {
			tenantAct.Send(c, b, func(*Context) {})
		}
		left, some := b.b.box.head.Load() != mark, b.b.in.appended != nil && distance(b.b.in.pending, nil) == 1
		c.recycle(mark)
		switch {
		case left:
			why = "there is no mark"
		case !some:
			why = "nothing was appended"
		case mark.next != nil:
			why = "the mark is in a stock"
		default:
			why = ""
		}
	})
	if <-ran; why != "" {
		t.Error(why)
	}
}

// grant is a review with a given outcome.
func (l *bias) grant(c *Context, may bool) {
	l.allowed, l.seen, l.spills = may, l.revoked.Load(), c.w.Overflows()
}

// TestBias_FansOut: a behaviour that wakes thousands has biases of those alone that fit into
// its worker's queue, or else each of them would cost a fence when others run it.
func TestBias_FansOut(t *testing.T) {
	needFence(t)
	const queue = 1024 + 256
	sys := Start(Workers(2))
	defer sys.Stop()
	hub := tenantType.Spawn(sys, tenant{})
	var many [4 * queue]Ref[tenant]
	for i := range many {
		many[i] = tenantType.Spawn(sys, tenant{})
	}
	leased := 0
	tenantAct.Send(sys, hub, func(c *Context) {
		c.bias.grant(c, true)
		for _, r := range many {
			if tenantAct.Send(c, r, func(*Context) {}); r.b.box.head.Load() == &c.bias.mark {
				leased++
			}
		}
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if leased == 0 || leased > 2*queue {
		t.Errorf("%d of %d are leased", leased, len(many))
	}
}

// pausesAfter returns how long the pause is after each review with these costs, two at a time for a
// theft with two workers.
func pausesAfter(l *bias, costs ...int) (pauses []int) {
	for _, c := range costs {
		l.pauseAfter(c, false)
		pauses = append(pauses, l.pause)
	}
	return pauses
}

// TestBias_Pauses: "Who has spent more than he has takes no biases for a while, at least until it
// is paid, and twice as long each time; half as long again whenever he has come to the most that he
// may have." And there is none "if there were none and nobody else is awake".
func TestBias_Pauses(t *testing.T) {
	const burst = 16
	var l bias
	for i := range 1000 {
		if p := pausesAfter(&l, 2, 0, 0); slices.Max(p) > firstPause || i > firstPause && slices.Max(p) != 0 {
			t.Fatalf("a theft every 150 µs, and pauses of %v", p)
		}
	}
	l = bias{}
	want := burst - 1 // nothing earned yet
	for range 8 {
		if p := pausesAfter(&l, burst)[0]; p != want {
			t.Fatalf("a pause of %d, want %d", p, want)
		}
		if p := pausesAfter(&l, make([]int, want)...); p[want-1] != 0 || p[want-2] != 1 {
			t.Fatalf("a pause of %d goes down like this: %v", want, p)
		}
		want = min(2*want, maxPause)
	}
	l.pauseAfter(burst, false)
	l.pauseAfter(128, false) // thefts of what was biased before: no further pause
	if l.pause != maxPause-1 || l.budget != newBudget {
		t.Errorf("a pause of %d, %d earned", l.pause, l.budget)
	}
	if l.pauseAfter(2, true); l.pause != maxPause-2 {
		t.Errorf("a pause of %d, with nobody else awake any more but a thief before", l.pause)
	}
	if l.pauseAfter(0, true); l.pause != 0 {
		t.Errorf("a pause of %d, with nobody else awake", l.pause)
	}
	if p := pausesAfter(&l, make([]int, maxBudget-newBudget)...); slices.Max(p) != 0 || l.next != maxPause/2 {
		t.Errorf("after a calm, pauses of %v and of %d at next", p, l.next)
	}
	pausesAfter(&l, make([]int, 10*maxBudget)...)
	if p := pausesAfter(&l, maxBudget/2); p[0] != 0 {
		t.Errorf("a pause of %d, and everything was paid", p)
	}
	l.budget = 0
	if p := pausesAfter(&l, 2); p[0] != firstPause {
		t.Errorf("a pause of %d after a long calm", p)
	}
	l = bias{}
	if p := pausesAfter(&l, 100); p[0] != 99 {
		t.Errorf("a pause of %d after 50 thefts", p)
	}
}

// TestBias_SpareWaits: a spare may be an extra at first, and what that makes runnable goes
// elsewhere; so it takes no biases before it has looked.
func TestBias_SpareWaits(t *testing.T) {
	needFence(t)
	typ := NewType[struct{}]("leaser")
	do := Declare[func(*Context)](typ, "do")
	typ.Table(do.Do(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	sys := Start(Workers(1))
	defer sys.Stop()
	may := make(map[bool]bool)
	do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
		may[c.w.ID() > 0] = sys.newContext(c.w).bias.allowed
		c.Blocking(func() {
			done := make(chan struct{})
			do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
				may[c.w.ID() > 0] = sys.newContext(c.w).bias.allowed
				close(done)
			})
			<-done
		})
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if free, ok := may[true]; !ok || free || !may[false] {
		t.Errorf("who may take leases, by whether it is a spare: %v", may)
	}
}
