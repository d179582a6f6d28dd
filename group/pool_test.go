package group_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// sinks are n members and their handlers.
func sinks(sys *actor.System, n int) (refs []actor.Ref[sink], handlers []actor.Handler[int]) {
	for range n {
		r := sinkType.Spawn(sys, sink{})
		refs, handlers = append(refs, r), append(handlers, put.To(r))
	}
	return refs, handlers
}

// TestPool_RoundRobin: "gives the members one message each in turn", also when some
// come and go.
func TestPool_RoundRobin(t *testing.T) {
	sys := start(t)
	refs, handlers := sinks(sys, 3)
	p := group.NewPool(group.RoundRobin[int](), handlers...).Start(sys)
	for i := range 6 {
		p.Send(sys, i)
	}
	quiet(t, sys)
	actor.Stop(sys, refs[1])
	quiet(t, sys)
	p.Send(sys, 6)
	if err := p.TrySend(sys, 7); err != nil { // for the ended member: another gets it
		t.Fatal(err)
	}
	p.Send(sys, 8)
	p.Leave(sys, handlers[0])
	p.Leave(sys, handlers[0])
	p.Send(sys, 9)
	p.Join(sys, handlers[0])
	p.Join(sys, handlers[0])
	p.Send(sys, 10)
	quiet(t, sys)
	count(t, p.Len, 2)
	wantGot(t, refs[2], 2, 5, 7, 9)
	wantGot(t, refs[0], 0, 3, 6, 8, 10)
	p.Stop(sys)
	quiet(t, sys)
	if p.Status() != actor.StatusEnded {
		t.Error("the pool goes on")
	}
}

// TestPool_WithoutMembers: "If there is no member, the message becomes a dead letter, of type
// "pool"."
func TestPool_WithoutMembers(t *testing.T) {
	var dead []actor.DeadLetter
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) { dead = append(dead, d) }}))
	refs, handlers := sinks(sys, 1)
	p := group.NewPool(group.LeastLoaded[int](), handlers...).Start(sys)
	actor.Stop(sys, refs[0])
	quiet(t, sys)
	p.Send(sys, 1)
	p.Send(sys, 2)
	quiet(t, sys)
	if len(dead) != 2 || dead[0].Type != "pool" || dead[0].Message != 1 || dead[1].Message != 2 {
		t.Errorf("dead letters %v", dead)
	}
	p.Join(sys, put.To(sinkType.Spawn(sys, sink{})))
	count(t, p.Len, 1)
}

// TestPool_PassesOverTheOverloaded: round-robin "passes over members that are overloaded, unless
// all are"; least-loaded gives "An overloaded member is chosen only if all are overloaded".
func TestPool_PassesOverTheOverloaded(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"RoundRobin": group.RoundRobin[int](), "LeastLoaded": group.LeastLoaded[int](),
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(3))
			slow, release := stuck(t, sys)
			refs, handlers := sinks(sys, 1)
			p := group.NewPool(policy, slowPut.To(slow), handlers[0]).Start(sys)
			for range 10 {
				p.Send(sys, 1)
			}
			if _, err := p.Len(soon(t)); err != nil { // the pool is through with them
				t.Fatal(err)
			}
			n, err := got.Ask(soon(t), refs[0], struct{}{})
			if err != nil || len(n) != 10 {
				t.Errorf("the other one got %v, %v", n, err)
			}
			p.Leave(sys, handlers[0])
			p.Send(sys, 2)
			for p.Status() != actor.StatusOverloaded { // until the pool is muted
				runtime.Gosched()
			}
			release()
			quiet(t, sys)
			n, err = slowGot.Ask(soon(t), slow, struct{}{})
			if err != nil || !slices.Equal(n, []int{2}) {
				t.Errorf("the slow one got %v, %v", n, err)
			}
		})
	}
}

// TestPool_BoundedMembers: an actor with a bound is a member like any other.
func TestPool_BoundedMembers(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"RoundRobin": group.RoundRobin[int](), "LeastLoaded": group.LeastLoaded[int](),
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			refs, handlers := sinks(sys, 1)
			r := boundedType.Spawn(sys, sink{})
			p := group.NewPool(policy, handlers[0], boundedPut.To(r)).Start(sys)
			for range 10 {
				p.Send(sys, 1)
				quiet(t, sys)
			}
			wantGot(t, refs[0], 1, 1, 1, 1, 1)
			if n, err := boundedGot.Ask(soon(t), r, struct{}{}); err != nil || len(n) != 5 {
				t.Errorf("the bounded one got %v, %v", n, err)
			}
		})
	}
}

// TestPool_LeastLoaded: "chooses an idle member. If there is none, it chooses the member that was
// sent the fewest messages since".
func TestPool_LeastLoaded(t *testing.T) {
	sys := start(t, actor.WithWorkers(4))
	refs, handlers := sinks(sys, 3)
	p := group.NewPool(group.LeastLoaded[int](), handlers...).Start(sys)
	stay := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(stay) })
	t.Cleanup(goOn)
	at := make(chan struct{}, 3)
	for _, r := range refs[:2] {
		do.Send(sys, r, func(*sink, *actor.Context) { at <- struct{}{}; <-stay })
		<-at
	}
	for i := range 5 { // to the idle one only
		p.Send(sys, i)
		count(t, p.Len, 3) // the pool is through with it
		if n, err := got.Ask(soon(t), refs[2], struct{}{}); err != nil || len(n) != i+1 {
			t.Fatalf("the idle one got %v, %v", n, err)
		}
		for refs[2].Status() != actor.StatusIdle {
			runtime.Gosched()
		}
	}
	do.Send(sys, refs[2], func(*sink, *actor.Context) { at <- struct{}{}; <-stay })
	<-at
	for i := range 300 {
		p.Send(sys, 100+i)
	}
	count(t, p.Len, 3)
	goOn()
	quiet(t, sys)
	total := 0
	for _, r := range refs {
		n, _ := got.Ask(soon(t), r, struct{}{})
		if total += len(n); len(n) < 95 || len(n) > 110 {
			t.Errorf("one of three busy members got %d of 305", len(n))
		}
	}
	if total != 305 {
		t.Errorf("%d messages arrived", total)
	}
}

// TestPool_Hash: "messages of the same key to the same member, as long as there is that
// member … When one comes or goes, only the keys change their member that it takes over
// or leaves behind"; and no member is given much more than its share.
func TestPool_Hash(t *testing.T) {
	sys := start(t)
	const members, keys = 10, 10_000
	refs, handlers := sinks(sys, members)
	p := group.NewPool(group.Hash(func(n int) uint64 { return uint64(n) }), handlers...).Start(sys)
	owner := func() map[int]int {
		for i := range keys {
			p.Send(sys, i)
		}
		quiet(t, sys)
		of := map[int]int{}
		for i, r := range refs {
			n, err := got.Ask(soon(t), r, struct{}{})
			if errors.Is(err, actor.ErrStopped) {
				continue
			}
			for _, key := range n {
				of[key] = i
			}
			do.Send(sys, r, func(s *sink, _ *actor.Context) { s.got = nil })
		}
		return of
	}
	before := owner()
	shares := make([]int, members)
	for _, i := range before {
		shares[i]++
	}
	if low, high := slices.Min(shares), slices.Max(shares); low < keys/members/2 ||
		high > keys/members*2 {
		t.Errorf("shares of %v", shares)
	}
	again := owner()
	actor.Stop(sys, refs[3])
	quiet(t, sys)
	after := owner()
	refs = append(refs, sinkType.Spawn(sys, sink{}))
	p.Join(sys, put.To(refs[members]))
	joined := owner()
	for key, i := range before {
		switch {
		case again[key] != i:
			t.Fatalf("key %d went from %d to %d for no reason", key, i, again[key])
		case i != 3 && after[key] != i:
			t.Fatalf("key %d went from %d to %d, which is not that of the one that ended", key, i,
				after[key])
		case joined[key] != after[key] && joined[key] != members:
			t.Fatalf("key %d went from %d to %d, which is not the new one", key, after[key],
				joined[key])
		}
	}
}

// TestPool_BackPressure: all members overloaded: the pool waits, nothing is dropped; a
// hash pool gives an overloaded member its messages all the same.
func TestPool_BackPressure(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	slow, release := stuck(t, sys)
	p := group.NewPool(group.Hash(func(int) uint64 { return 1 }), slowPut.To(slow)).Start(sys)
	for i := range 100 {
		p.Send(sys, i)
	}
	release()
	quiet(t, sys)
	if n, err := slowGot.Ask(soon(t), slow, struct{}{}); err != nil || len(n) != 100 ||
		!slices.IsSorted(n) {
		t.Errorf("the member got %v, %v", n, err)
	}
}

// TestMisuse_OfPools: the panics that the comments promise.
func TestMisuse_OfPools(t *testing.T) {
	sys := start(t)
	_, h := sinks(sys, 1)
	p := group.NewPool(group.RoundRobin[int](), &double{}).Start(sys)
	var zero group.Pool[int]
	for words, f := range map[string]func(){
		"a zero Policy":            func() { group.NewPool(group.Policy[int]{}).Start(sys) },
		"NewPool of a nil Handler": func() { group.NewPool(group.RoundRobin[int](), nil).Start(sys) },
		"a member that is there twice": func() {
			group.NewPool(group.RoundRobin[int](), h[0], h[0]).Start(sys)
		},
		"Join of a nil Handler":    func() { p.Join(sys, nil) },
		"Join of a Pool to itself": func() { p.Join(sys, p) },
		"of a Pool to itself":      func() { p.Join(sys, &p) },
		"Leave of a Handler that":  func() { p.Leave(sys, odd{}) },
		"Hash with a nil function": func() { group.Hash[int](nil) },
		"a zero Pool":              func() { zero.Send(sys, 1) },
	} {
		panics(t, words, f)
	}
	panics(t, "a zero Pool", func() { _ = zero.SendWait(soon(t), 1) })
}

// TestPool_ManyComeAndGo: a pool without messages forgets ended members when its members have
// doubled, and goes on with the others.
func TestPool_ManyComeAndGo(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"round robin": group.RoundRobin[int](), "least loaded": group.LeastLoaded[int](),
		"hash": group.Hash(func(n int) uint64 { return uint64(n) }),
	} {
		sys := start(t)
		n := group.KeptMembers(policy, passing(t, sys, 500))
		if n > 40 {
			t.Errorf("%s: the pool keeps %d that have ended", name, n)
		}
		pool := group.NewPool(policy).Start(sys)
		var all []actor.Ref[sink]
		for i := range 40 {
			all = append(all, sinkType.Spawn(sys, sink{}))
			pool.Join(sys, put.To(all[i]))
			if i%2 == 0 {
				quiet(t, sys)
				actor.Stop(sys, all[i])
				quiet(t, sys)
			}
		}
		for i := range 200 {
			pool.Send(sys, i)
		}
		quiet(t, sys)
		sum := 0
		for i, r := range all {
			if i%2 == 1 {
				mail, err := got.Ask(soon(t), r, struct{}{})
				if sum += len(mail); err != nil || name == "round robin" && len(mail) != 10 {
					t.Errorf("%s: member %d got %d, %v", name, i, len(mail), err)
				}
			}
		}
		if sum != 200 {
			t.Errorf("%s: %d of 200 messages", name, sum)
		}
	}
}
