package group_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// parent restarts its child at once, and replaces it when it has ended for good, as a supervisor
// does.
type parent struct {
	spawn    func(c *actor.Context) actor.AnyRef
	child    actor.AnyRef
	failures []error
}

func (p *parent) begin(c *actor.Context, _ struct{}) { p.child = p.spawn(c) }

func (p *parent) hear(c *actor.Context, f actor.ChildDown) {
	p.failures = append(p.failures, f.Reason)
	if f.Final {
		p.child = p.spawn(c)
	} else {
		actor.Restart(c, f.Ref)
	}
}

var (
	parentType  = actor.NewType[parent]("parent")
	parentBegin = actor.Declare[struct{}](parentType, "begin")
	parentHear  = actor.Declare[actor.ChildDown](parentType, "hear")
	parentTell  = actor.DeclareAsk[struct{}, parent](parentType, "tell")
	_           = parentType.Table(parentBegin.Handle((*parent).begin),
		parentHear.Handle((*parent).hear),
		parentTell.Handle(func(p *parent, _ *actor.Context, _ struct{}) (parent, error) {
			return *p,
				nil
		}))
)

// under makes an actor of this type and init the child of a parent. child returns its ref by now.
func under[S any](t testing.TB, sys *actor.System, typ *actor.Type[S],
	init func(*S)) (child func() actor.Ref[S], failures func() int) {
	t.Helper()
	p := parentType.Spawn(sys, parent{spawn: func(c *actor.Context) actor.AnyRef {
		return actor.SpawnSupervised(c, typ, init, parentHear).Any()
	}})
	parentBegin.Send(sys, p, struct{}{})
	tell := func() parent {
		t.Helper()
		quiet(t, sys)
		state, err := parentTell.Ask(soon(t), p, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	child = func() actor.Ref[S] { r, _ := actor.As[S](tell().child); return r }
	return child, func() int { return len(tell().failures) }
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

// TestTopic_AsChild: "A topic that is restarted in place keeps its subscribers, except for a
// handler whose call panicked", and its ref, its mail and its options. "A topic that was ended by
// order … is replaced by a new one, which has no subscribers".
func TestTopic_AsChild(t *testing.T) {
	sys := start(t, actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	child, failures := under(t, sys, group.TopicType[int](),
		group.TopicInit[int](group.WithLag(group.LagUnsubscribe)))
	news := group.AsTopic(child())
	refs, handlers := sinks(sys, 2)
	bad := &fuse{over: 3}
	for _, h := range []actor.Handler[int]{handlers[0], bad, handlers[1]} {
		news.Subscribe(sys, h)
	}
	for i := range 6 {
		news.Publish(sys, i)
	}
	if n := failures(); n != 1 || group.AsTopic(child()) != news {
		t.Fatalf("%d failures", n)
	}
	wantGot(t, refs[0], 0, 1, 2, 3, 4, 5)
	// not 3: "the message over which it fell does not run again"
	wantGot(t, refs[1], 0, 1, 2, 4, 5)
	count(t, news.Len, 2)
	if !slices.Equal(bad.got, []int{0, 1, 2, 3}) {
		t.Errorf("the one over which it fell got %v", bad.got)
	}
	actor.Suspend(sys, child())
	if failures() != 2 {
		t.Error("the topic has not been restarted")
	}
	count(t, news.Len, 2)
	slow, release := stuck(t, sys)
	news.Subscribe(sys, slowPut.To(slow))
	news.Publish(sys, 6)
	count(t, news.Len, 2) // its policy is what it was
	release()
	actor.Kill(sys, news)
	if quiet(t, sys); news.Status() != actor.StatusEnded || group.AsTopic(child()) == news {
		t.Error("a topic that was killed is not replaced by a new one")
	}
	count(t, group.AsTopic(child()).Len, 0)
}

// TestPool_AsChild: "A pool that is restarted in place keeps the members that have joined it,
// except for a handler whose call panicked. Members that it has started itself are new then."
func TestPool_AsChild(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), // the members share what they log
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	refs, handlers := sinks(sys, 2)
	bad := &fuse{over: 2}
	child, failures := under(t, sys, group.PoolType[int](),
		group.PoolInit(group.RoundRobin[int](), handlers[0], handlers[1]))
	p := group.AsPool(child())
	p.Join(sys, bad)
	for i := range 6 {
		p.Send(sys, i)
	}
	if n := failures(); n != 1 || group.AsPool(child()) != p {
		t.Fatalf("%d failures", n)
	}
	count(t, p.Len, 2)
	wantGot(t, refs[0], 0, 3, 5)
	wantGot(t, refs[1], 1, 4)

	var log []jobLog
	owner, failures := under(t, sys, group.PoolType[int](),
		group.StartPoolInit(group.PolicyOf(func() func(int, group.Members) int {
			return func(m int, _ group.Members) int { return m % 10 }
		}), 3, handleJob, testCrew(&log)))
	p = group.AsPool(owner())
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

// TestRegistry_AsChild: "Members and watchers survive every restart of the actor, even if it is
// replaced by a new actor. While there is no actor, watchers are not notified, and members that end
// stay in; the next actor catches up." It "can be used at once".
func TestRegistry_AsChild(t *testing.T) {
	sys := start(t)
	r := group.RegistryForSupervisor[string, actor.Ref[sink]]()
	m := spawn(sys, 5)
	o := observerType.Spawn(sys, observer{})
	r.Watch(sys, "a", observe.To(o))
	r.Join(sys, "a", m[0])
	r.Join(sys, "a", m[1])
	if r.Stop(sys); !r.Any().IsZero() {
		t.Error("it has an actor already")
	}
	quiet(t, sys)
	actor.Stop(sys, m[1])
	quiet(t, sys)
	wantMembers(t, r, "a", m[0], m[1]) // the end is not known yet
	child, failures := under(t, sys, r.Type(), r.Init)
	wantHeardLast := func(want ...actor.Ref[sink]) {
		t.Helper()
		quiet(t, sys)
		var now []actor.Ref[sink]
		observerDo.Send(sys, o, func(o *observer, _ *actor.Context) { now = o.now["a"] })
		quiet(t, sys)
		if !slices.Equal(now, want) {
			t.Errorf("the watcher knows of %v, want %v", now, want)
		}
		wantMembers(t, r, "a", want...)
	}
	child()
	wantHeardLast(m[0])
	for i, end := range []func(){
		func() { actor.Suspend(sys, child()) },
		func() { actor.Kill(sys, child()) },
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

// TestAskPool_AsChild: "stays usable when the actor is replaced by a new one." "It has members as
// soon as its actor has started".
func TestAskPool_AsChild(t *testing.T) {
	sys, advance := atNoTime(t, 1)
	p := group.AskPoolForSupervisor(group.RoundRobin[int](), 2, question,
		group.MemberSpec[oracle]{Type: oracleType})
	if _, err := p.Ask(soon(t), 1); !errors.Is(err, group.ErrNoMember) {
		t.Errorf("before its actor has started: %v", err)
	}
	child, failures := under(t, sys, p.Type(), p.Init)
	child()
	for i, end := range []func(){
		func() { actor.Suspend(sys, child()) },
		func() { actor.Kill(sys, child()) },
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
	if s := fmt.Sprint(p.Any()); s != child().String() {
		t.Errorf("its actor is %s", s)
	}
}

// TestForSupervisor_Twice: "a second actor for the same registry fails to start", or for the same
// pool.
func TestForSupervisor_Twice(t *testing.T) {
	sys := start(t)
	r := group.RegistryForSupervisor[string, int]()
	p := group.AskPoolForSupervisor(group.RoundRobin[int](), 2, question,
		group.MemberSpec[oracle]{Type: oracleType})
	for range 2 {
		var a group.RegistryActor[string, int]
		r.Init(&a)
		var k group.MemberSupervisor
		p.Init(&k)
		first, second := r.Type().Spawn(sys, a), p.Type().Spawn(sys, k)
		quiet(t, sys)
		if r.Any() == first.Any() {
			if first.Status() == actor.StatusEnded || p.Any() != second.Any() {
				t.Error("the first actor has not started")
			}
			continue
		}
		for _, ref := range []actor.AnyRef{first.Any(), second.Any()} {
			down, err := actor.Join(soon(t), ref)
			if err != nil || down.Reason == nil || !slices.Contains([]string{
				"gallop: group: the Registry has an actor already: make one for each tree",
				"gallop: group: the AskPool has an actor already: make one for each tree"},
				down.Reason.Error()) {
				t.Errorf("the second actor: %v, %v", down.Reason, err)
			}
		}
	}
}
