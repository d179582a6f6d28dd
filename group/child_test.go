package group_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// under starts a tree with one child, which is restarted at once. failures returns how often it has
// failed by now.
func under[S any](t testing.TB, sys *actor.System, w supervise.Worker[S]) (failures func() int) {
	t.Helper()
	var n atomic.Int64
	w.Backoff = supervise.NoBackoff
	supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{w},
		OnEvent: func(e supervise.Event) {
			if e.Kind == supervise.ChildFailed || e.Kind == supervise.StartFailed {
				n.Add(1)
			}
		}})
	quiet(t, sys)
	return func() int { quiet(t, sys); return int(n.Load()) }
}

// suspend takes a supervised actor down: not by its supervisor.
func suspend(sys *actor.System, r actor.AnyRef) {
	kernel.AnyRef(r).Suspend(kernel.EnvOf(sys))
}

// fuse is a handler that panics over one message.
type fuse struct {
	over int
	got  []int
}

func (f *fuse) Send(_ actor.Sender, m int) {
	if f.got = append(f.got, m); m == f.over {
		panic("fuse")
	}
}
func (f *fuse) TrySend(from actor.Sender, m int) error { f.Send(from, m); return nil }

// TestTopic_AsChild: a topic that is restarted in place, or replaced by a new actor, "keeps its
// subscribers, except for a handler whose call panicked", its mail and its options.
func TestTopic_AsChild(t *testing.T) {
	sys := start(t, actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	news := group.NewTopic[int](group.WithLag(group.LagUnsubscribe))
	refs, handlers := sinks(sys, 2)
	bad := &fuse{over: 3}
	news.Subscribe(sys, handlers[0]) // before it has started
	failures := under(t, sys, news.Child("news"))
	for _, h := range []actor.Handler[int]{bad, handlers[1]} {
		news.Subscribe(sys, h)
	}
	first := news.Any()
	for i := range 6 {
		news.Publish(sys, i)
	}
	if n := failures(); n != 1 || news.Any() != first {
		t.Fatalf("%d failures", n)
	}
	wantGot(t, refs[0], 0, 1, 2, 3, 4, 5)
	// not 3: "The message over which it fell does not run again."
	wantGot(t, refs[1], 0, 1, 2, 4, 5)
	count(t, news.Len, 2)
	if !slices.Equal(bad.got, []int{0, 1, 2, 3}) {
		t.Errorf("the one over which it fell got %v", bad.got)
	}
	suspend(sys, news.Any())
	if failures() != 2 {
		t.Error("the topic has not been restarted")
	}
	count(t, news.Len, 2)
	slow, release := stuck(t, sys)
	news.Subscribe(sys, slowPut.To(slow))
	news.Publish(sys, 6)
	count(t, news.Len, 2) // its policy is unchanged
	release()
	actor.Kill(sys, first)
	quiet(t, sys)
	if now := news.Any(); now == first || news.Status() == actor.StatusEnded {
		t.Error("a topic that was killed is not replaced by a new one")
	}
	news.Publish(sys, 7)
	quiet(t, sys)
	wantGot(t, refs[0], 0, 1, 2, 3, 4, 5, 6, 7)
	count(t, news.Len, 2)
}

// TestPool_AsChild: a pool that is restarted in place, or replaced by a new actor, "keeps the members
// that have joined it, except for a handler whose call panicked; members that it has started are new
// then".
func TestPool_AsChild(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), // the members share their log
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	refs, handlers := sinks(sys, 2)
	bad := &fuse{over: 2}
	p := group.NewPool(group.RoundRobin[int](), handlers[0])
	p.Join(sys, handlers[1]) // before it has started
	failures := under(t, sys, p.Child("pool"))
	p.Join(sys, bad)
	first := p.Any()
	for i := range 6 {
		p.Send(sys, i)
	}
	if n := failures(); n != 1 || p.Any() != first {
		t.Fatalf("%d failures", n)
	}
	count(t, p.Len, 2)
	wantGot(t, refs[0], 0, 3, 5)
	wantGot(t, refs[1], 1, 4)
	actor.Kill(sys, first)
	quiet(t, sys)
	if p.Any() == first {
		t.Error("a pool that was killed is not replaced by a new one")
	}
	count(t, p.Len, 2)

	var log []jobLog
	p = group.NewPoolOf(group.PolicyOf(func() func(int, group.Members) int {
		return func(m int, _ group.Members) int { return m % 10 }
	}), 3, handleJob, testCrew(&log))
	failures = under(t, sys, p.Child("pool"))
	p.Send(sys, 0)
	quiet(t, sys)
	p.Send(sys, 9) // there is no such member: the pool panics
	p.Send(sys, 10)
	if n := failures(); n != 1 || len(log) != 2 || log[0].id == log[1].id ||
		log[0].ref.Status() != actor.StatusEnded {
		t.Errorf("%d failures; %v", n, log)
	}
	count(t, p.Len, 3)
}

// TestRegistry_AsChild: "Members and subscribers survive every restart of the actor, also if it is
// replaced by a new one. While there is no actor, subscribers are not notified, and members that end
// stay in; the next actor catches up." It "can be used at once".
func TestRegistry_AsChild(t *testing.T) {
	sys := start(t)
	r := group.NewRegistry[string, actor.Ref[sink]]()
	m := spawn(sys, 5)
	o := observerType.Spawn(sys, observer{})
	r.Subscribe(sys, "a", observe.To(o))
	r.Join(sys, "a", m[0])
	r.Join(sys, "a", m[1])
	if r.Stop(sys); !r.Any().IsZero() {
		t.Error("it has an actor already")
	}
	quiet(t, sys)
	actor.Stop(sys, m[1])
	quiet(t, sys)
	wantMembers(t, r, "a", m[0], m[1]) // the end is not known yet
	failures := under(t, sys, r.Child("people"))
	wantHeardLast := func(want ...actor.Ref[sink]) {
		t.Helper()
		quiet(t, sys)
		var now []actor.Ref[sink]
		observerDo.Send(sys, o, func(o *observer, _ *actor.Context) { now = o.now["a"] })
		quiet(t, sys)
		if !slices.Equal(now, want) {
			t.Errorf("the subscriber knows of %v, want %v", now, want)
		}
		wantMembers(t, r, "a", want...)
	}
	wantHeardLast(m[0])
	for i, end := range []func(){
		func() { suspend(sys, r.Any()) },
		func() { actor.Kill(sys, r.Any()) },
		func() { r.Stop(sys) },
	} {
		end()
		actor.Stop(sys, m[i])
		if failures() != i+1 {
			t.Fatalf("%d failures", failures())
		}
		gone := m[i]
		m[i] = spawn(sys, 1)[0]
		r.Join(sys, "a", m[i])
		now := r.Members("a")
		if wantHeardLast(now...); now[len(now)-1] != m[i] || slices.Contains(now, gone) {
			t.Errorf("restart %d: members %v", i, now)
		}
	}
}

// TestAskPool_AsChild: a pool stays usable when its actor is replaced by a new one, and has members
// as soon as the actor has started.
func TestAskPool_AsChild(t *testing.T) {
	sys, advance := atNoTime(t, 1)
	p := group.NewAskPoolOf(group.RoundRobin[int](), 2, question,
		group.MemberSpec[oracle]{Type: oracleType})
	if _, err := p.Ask(soon(t), 1); !errors.Is(err, group.ErrNoMember) {
		t.Errorf("before its actor has started: %v", err)
	}
	failures := under(t, sys, p.Child("oracles"))
	for i, end := range []func(){
		func() { suspend(sys, p.Any()) },
		func() { actor.Kill(sys, p.Any()) },
		func() { p.Stop(sys) },
	} {
		end()
		if failures() != i+1 {
			t.Fatalf("%d failures", failures())
		}
		all := map[uint64]bool{}
		for range 6 {
			id, err := p.Ask(soon(t), 1)
			if err != nil {
				t.Fatal(i, err)
			}
			all[id] = true
		}
		if len(all) != 2 || p.Len() != 2 {
			t.Errorf("%d: %v answer", i, all)
		}
	}
	advance(time.Minute)
}

// TestChild_Twice: "a second actor fails to start", of each of the four.
func TestChild_Twice(t *testing.T) {
	sys := start(t)
	spec := group.MemberSpec[oracle]{Type: oracleType}
	topic, pool := group.NewTopic[int](), group.NewPool(group.RoundRobin[int]())
	registry := group.NewRegistry[string, int]()
	asks := group.NewAskPoolOf(group.RoundRobin[int](), 2, question, spec)
	for kind, tt := range map[string]struct {
		child supervise.Child
		any   func() actor.AnyRef
	}{
		"Topic": {topic.Child("x"), topic.Any}, "Pool": {pool.Child("x"), pool.Any},
		"Registry": {registry.Child("x"), registry.Any}, "AskPool": {asks.Child("x"), asks.Any},
	} {
		tree := supervise.Spec{Name: "app", Children: []supervise.Child{tt.child}}
		if _, err := supervise.StartWait(soon(t), sys, tree); err != nil {
			t.Fatal(err)
		}
		first := tt.any()
		_, err := supervise.StartWait(soon(t), sys, tree)
		if want := `gallop: supervise: "app/x" did not start: group: the ` + kind +
			" has an actor already: make one for each tree"; err == nil || err.Error() != want {
			t.Errorf("the second actor: %v, want %s", err, want)
		}
		if tt.any() != first || actor.StatusOf(first) == actor.StatusEnded {
			t.Error("the first actor is gone")
		}
	}
}

// TestStart_Misuse: a value is started once, in one way.
func TestStart_Misuse(t *testing.T) {
	sys := start(t)
	spec := group.MemberSpec[oracle]{Type: oracleType}
	for kind, tt := range map[string]struct{ start, child func() }{
		"Topic": func() struct{ start, child func() } {
			x := group.NewTopic[int]()
			return struct{ start, child func() }{func() { x.Start(sys) }, func() { x.Child("x") }}
		}(),
		"Pool": func() struct{ start, child func() } {
			x := group.NewPool(group.RoundRobin[int]())
			return struct{ start, child func() }{func() { x.Start(sys) }, func() { x.Child("x") }}
		}(),
		"Registry": func() struct{ start, child func() } {
			x := group.NewRegistry[string, int]()
			return struct{ start, child func() }{func() { x.Start(sys) }, func() { x.Child("x") }}
		}(),
		"AskPool": func() struct{ start, child func() } {
			x := group.NewAskPoolOf(group.RoundRobin[int](), 1, question, spec)
			return struct{ start, child func() }{func() { x.Start(sys) }, func() { x.Child("x") }}
		}(),
	} {
		tt.start()
		panics(t, "Start of a "+kind+" that was started", tt.start)
		panics(t, "Child of a "+kind+" that was started", tt.child)
	}
	declared := group.NewTopic[int]()
	declared.Child("x")
	declared.Child("y")
	panics(t, "or is a supervisor's child", func() { declared.Start(sys) })
	panics(t, "Start of an AskPool without an actor", func() {
		group.NewAskPool[int, uint64](group.RoundRobin[int]()).Start(sys)
	})
}

// TestStart_Before: before it has started, a topic or pool keeps orders, which then come before
// everything else, and refuses messages.
func TestStart_Before(t *testing.T) {
	var dead letters
	sys, _ := atNoTime(t, 1, dead.option())
	refs, handlers := sinks(sys, 2)
	topic, pool := group.NewTopic[int](), group.NewPool[int](group.RoundRobin[int]())
	topic.Subscribe(sys, handlers[0])
	topic.Subscribe(sys, handlers[1])
	topic.Unsubscribe(sys, handlers[0])
	pool.Join(sys, handlers[0])
	for _, h := range []interface {
		actor.Handler[int]
		Status() actor.Status
		Any() actor.AnyRef
	}{topic, pool} {
		h.Send(sys, 1)
		if err := h.TrySend(sys, 2); !errors.Is(err, actor.ErrSuspended) {
			t.Errorf("TrySend: %v", err)
		}
		if h.Status() != actor.StatusOverloaded || !h.Any().IsZero() {
			t.Errorf("status %v, actor %v", h.Status(), h.Any())
		}
	}
	quiet(t, sys)
	if len(dead.all) != 2 || !errors.Is(dead.all[0].Reason, actor.ErrSuspended) ||
		dead.all[0].Type != "topic" || dead.all[1].Type != "pool" {
		t.Errorf("dead letters %+v", dead.all)
	}
	if _, err := topic.Len(soon(t)); !errors.Is(err, actor.ErrSuspended) {
		t.Errorf("Len: %v", err)
	}
	topic.Start(sys)
	pool.Start(sys)
	topic.Publish(sys, 3)
	pool.Send(sys, 4)
	quiet(t, sys)
	wantGot(t, refs[0], 4)
	wantGot(t, refs[1], 3)
}

// TestChild_BetweenActors: "until the supervisor starts another one", orders "are kept for the next
// actor", and "a topic or pool that sends to this topic keeps it".
func TestChild_BetweenActors(t *testing.T) {
	var dead letters
	var log []jobLog
	sys, advance := atNoTime(t, 1, dead.option())
	refs, handlers := sinks(sys, 2)
	topic, pool := group.NewTopic[int](), group.NewPool[int](group.RoundRobin[int]())
	hands := group.NewPoolOf(group.RoundRobin[int](), 1, handleJob, testCrew(&log))
	registry := group.NewRegistry[string, actor.Ref[sink]]()
	a, b, c, d := topic.Child("a"), pool.Child("b"), hands.Child("c"), registry.Child("d")
	late := supervise.Backoff{First: time.Hour}
	a.Backoff, b.Backoff, c.Backoff, d.Backoff = late, late, late, late
	supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{a, b, c, d}})
	outer := group.NewTopic[int]().Start(sys)
	outer.Subscribe(sys, topic)
	outer.Subscribe(sys, pool)
	quiet(t, sys)
	for _, r := range []actor.AnyRef{topic.Any(), pool.Any(), hands.Any(), registry.Any()} {
		actor.Kill(sys, r)
	}
	quiet(t, sys)
	outer.Publish(sys, 1)
	for _, h := range []interface {
		actor.Handler[int]
		Status() actor.Status
		SendWait(context.Context, int) error
		Len(context.Context) (int, error)
	}{topic, pool, hands} {
		_, err := h.Len(soon(t))
		for _, err := range []error{h.TrySend(sys, 2), h.SendWait(soon(t), 2), err} {
			if !errors.Is(err, actor.ErrSuspended) || errors.Is(err, actor.ErrStopped) {
				t.Errorf("%T: %v", h, err)
			}
		}
		if s := h.Status(); s != actor.StatusOverloaded {
			t.Errorf("%T: status %v", h, s)
		}
	}
	count(t, outer.Len, 2)
	before := len(dead.all)
	o := observerType.Spawn(sys, observer{})
	topic.Subscribe(sys, handlers[0])
	pool.Join(sys, handlers[1])
	hands.Resize(sys, 3)
	registry.Subscribe(sys, "k", observe.To(o))
	registry.Join(sys, "k", refs[0])
	quiet(t, sys)
	if n := len(dead.all) - before; n != 0 {
		t.Errorf("%d orders are dead letters", n)
	}
	advance(time.Hour)
	outer.Publish(sys, 3)
	quiet(t, sys)
	wantGot(t, refs[0], 3)
	wantGot(t, refs[1], 3)
	count(t, hands.Len, 3)
	var known []actor.Ref[sink]
	observerDo.Send(sys, o, func(o *observer, _ *actor.Context) { known = o.now["k"] })
	quiet(t, sys)
	if !slices.Equal(known, refs[:1]) {
		t.Errorf("the subscriber of the registry knows of %v", known)
	}
	sys.Stop()
	if err := topic.TrySend(sys, 4); !errors.Is(err, actor.ErrSystemStopped) {
		t.Errorf("in a system that has stopped: %v", err)
	}
}
