package group_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// oracle answers with its own number, and panics at a negative question.
type oracle struct{ asked int }

func (o *oracle) answer(c *actor.Context, q int) (uint64, error) {
	if o.asked++; q < 0 {
		panic(fmt.Sprint("no answer to ", q))
	}
	return c.ActorID(), nil
}

func (o *oracle) do(c *actor.Context, f func(*actor.Context)) { f(c) }

var (
	oracleType = actor.NewType[oracle]("oracle")
	question   = actor.DeclareAsk[int, uint64](oracleType, "question")
	oracleDo   = actor.Declare[func(*actor.Context)](oracleType, "do")
	_          = oracleType.Table(question.Handle((*oracle).answer), oracleDo.Handle((*oracle).do))
)

// seeker asks a pool and keeps the outcomes.
type seeker struct{ heard []actor.Result[uint64] }

var (
	seekerType = actor.NewType[seeker]("seeker")
	seekerHear = actor.Declare[actor.Result[uint64]](seekerType, "hear")
	seekerDo   = actor.Declare[func(*actor.Context)](seekerType, "do")
	seekerAll  = actor.DeclareAsk[struct{}, []actor.Result[uint64]](seekerType, "all")
	_          = seekerType.Table(
		seekerHear.Handle(func(s *seeker, _ *actor.Context, r actor.Result[uint64]) {
			s.heard = append(s.heard, r)
		}),
		seekerDo.Handle(func(_ *seeker, c *actor.Context, f func(*actor.Context)) { f(c) }),
		seekerAll.Handle(func(s *seeker, _ *actor.Context, _ struct{}) ([]actor.Result[uint64],
			error) {
			return s.heard, nil
		}))
)

// double of an [actor.Asker].
type fakeOracle struct{ id uint64 }

func (f *fakeOracle) Ask(context.Context, int) (uint64, error) { return f.id, nil }
func (f *fakeOracle) AskTo(c *actor.Context, _ int, reply actor.Handler[actor.Result[uint64]]) {
	reply.Send(c, actor.Result[uint64]{Value: f.id})
}

// oddOracle cannot be compared.
type oddOracle struct {
	fakeOracle
	f func()
}

func (o oddOracle) Ask(context.Context, int) (uint64, error)                       { return 0, nil }
func (o oddOracle) AskTo(*actor.Context, int, actor.Handler[actor.Result[uint64]]) {}

// TestAskPool: "sends each request to one of its members"; it "is an Asker itself", and so may be a
// member of another one; doubles and actors are members alike. Members that have ended are passed
// over and forgotten.
func TestAskPool(t *testing.T) {
	sys := start(t)
	a, b := oracleType.Spawn(sys, oracle{}), oracleType.Spawn(sys, oracle{})
	inner := group.NewAskPool(group.RoundRobin[int](), question.To(a))
	p := group.NewAskPool[int, uint64](group.RoundRobin[int](), inner, question.To(b))
	p.Join(&fakeOracle{7})
	p.Join(question.To(b))
	p.Join(&fakeOracle{8})
	var got []uint64
	ask := func(n int) {
		t.Helper()
		got = nil
		for i := range n {
			id, err := p.Ask(soon(t), i)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
		}
	}
	if ask(6); !slices.Equal(got, []uint64{a.ID(), b.ID(), 7, 8, a.ID(), b.ID()}) || p.Len() != 4 {
		t.Errorf("%d members, answers %v", p.Len(), got)
	}
	actor.Stop(sys, b)
	quiet(t, sys)
	if ask(4); !slices.Equal(got, []uint64{7, 8, a.ID(), 7}) || p.Len() != 3 {
		t.Errorf("%d members, answers %v", p.Len(), got)
	}
	p.Leave(inner)
	p.Leave(question.To(b))
	if ask(2); slices.Contains(got, a.ID()) || p.Len() != 2 {
		t.Errorf("%d members, answers %v", p.Len(), got)
	}
	none := group.NewAskPool[int, uint64](group.LeastLoaded[int]())
	if _, err := none.Ask(soon(t), 1); !errors.Is(err, group.ErrNoMember) || !none.Any().IsZero() {
		t.Errorf("a pool without members: %v", err)
	}
	s := seekerType.Spawn(sys, seeker{})
	seekerDo.Send(sys, s, func(c *actor.Context) {
		none.AskTo(c, 1, seekerHear.To(s))
		inner.AskTo(c, 1, seekerHear.To(s))
	})
	quiet(t, sys)
	all, err := seekerAll.Ask(soon(t), s, struct{}{})
	if err != nil || len(all) != 2 || !errors.Is(all[0].Err, group.ErrNoMember) ||
		all[1] != (actor.Result[uint64]{Value: a.ID()}) {
		t.Errorf("it heard %v, %v", all, err)
	}
	for range 100 {
		r := oracleType.Spawn(sys, oracle{})
		p.Join(question.To(r))
		actor.Stop(sys, r)
		quiet(t, sys)
	}
	if n := group.AskMemberCount(p); n > 40 {
		t.Errorf("the pool keeps %d", n)
	}
}

// TestStartAskPool: "Requests that arrive before the members have started wait for them", from
// outside and in behaviours, in every order; members that are killed are replaced, and no request
// is lost to the gap: each is answered, or fails with the end of the member that had it.
func TestStartAskPool(t *testing.T) {
	total := 0
	for seed := range uint64(60) {
		sys, _ := atNoTime(t, seed)
		p := group.NewAskPoolOf(group.RoundRobin[int](), 1+int(seed%3), question,
			group.MemberSpec[oracle]{Type: oracleType}).Start(sys)
		s := seekerType.Spawn(sys, seeker{})
		var members []actor.AnyRef
		for i := range 30 {
			seekerDo.Send(sys, s, func(c *actor.Context) {
				p.AskTo(c, i, seekerHear.To(s))
				if members = group.AskMemberRefs(p); i%5 == 4 && len(members) > 0 {
					actor.Kill(c, members[c.Rand().IntN(len(members))])
				}
			})
		}
		if id, err := p.Ask(soon(t), 1); err != nil && !errors.Is(err, actor.ErrStopped) ||
			err == nil && id == 0 {
			t.Fatalf("seed %d: %d, %v", seed, id, err)
		}
		quiet(t, sys)
		all, err := seekerAll.Ask(soon(t), s, struct{}{})
		if err != nil || len(all) != 30 {
			t.Fatalf("seed %d: %d outcomes of 30, %v", seed, len(all), err)
		}
		answered := 0
		for _, r := range all {
			if r.Err == nil {
				answered++
			} else if !errors.Is(r.Err, actor.ErrKilled) {
				t.Fatalf("seed %d: %v", seed, r.Err)
			}
		}
		if total += answered; p.Len() != 1+int(seed%3) {
			t.Fatalf("seed %d: %d answers, %d members", seed, answered, p.Len())
		}
		p.Stop(sys)
		quiet(t, sys)
		for _, r := range group.AskMemberRefs(p) {
			if _, err := actor.Join(soon(t), r); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Ask(soon(t), 1); !errors.Is(err, actor.ErrStopped) {
			t.Fatalf("seed %d: of a pool that has ended: %v", seed, err)
		}
		sys.Stop()
	}
	if total < 60*30/2 {
		t.Errorf("%d answers of %d requests", total, 60*30)
	}
}

// TestStartAskPool_EndsAtOnce: requests that wait for members of a pool which ends are told so.
func TestStartAskPool_EndsAtOnce(t *testing.T) {
	failed := 0
	for seed := range uint64(40) {
		sys, _ := atNoTime(t, seed)
		s := seekerType.Spawn(sys, seeker{})
		seekerDo.Send(sys, s, func(c *actor.Context) {
			p := group.NewAskPoolOf(group.RoundRobin[int](), 1, question,
				group.MemberSpec[oracle]{Type: oracleType}).Start(c)
			p.AskTo(c, 1, seekerHear.To(s))
			p.Stop(c)
		})
		quiet(t, sys)
		all, err := seekerAll.Ask(soon(t), s, struct{}{})
		if err != nil || len(all) != 1 || all[0].Err != nil &&
			!errors.Is(all[0].Err, actor.ErrStopped) {
			t.Fatalf("seed %d: it heard %v, %v", seed, all, err)
		}
		if all[0].Err != nil {
			failed++
		}
		sys.Stop()
	}
	if failed == 0 {
		t.Error("the pool has never ended before it had a member")
	}
}

// TestStartAskPool_Restarts: a member that panics in a request fails it with ErrPanicked, is passed
// over until its restart, and comes back; the pool can be resized.
func TestStartAskPool_Restarts(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"round robin": group.RoundRobin[int](), "least loaded": group.LeastLoaded[int](),
		"random": group.Random[int](),
	} {
		sys, advance := atNoTime(t, 1)
		p := group.NewAskPoolOf(policy, 3, question, group.MemberSpec[oracle]{
			Type: oracleType, Backoff: supervise.Backoff{First: 100 * time.Millisecond}}).Start(sys)
		if _, err := p.Ask(soon(t), -1); !errors.Is(err, actor.ErrPanicked) {
			t.Fatalf("%s: %v", name, err)
		}
		quiet(t, sys)
		who := func(n int) map[uint64]bool {
			t.Helper()
			all := map[uint64]bool{}
			for range n {
				id, err := p.Ask(soon(t), 1)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				all[id] = true
			}
			return all
		}
		if all := who(20); len(all) != 2 {
			t.Errorf("%s: while one is down, %v answer", name, all)
		}
		advance(100 * time.Millisecond)
		if all := who(30); len(all) != 3 {
			t.Errorf("%s: after the restart %v answer", name, all)
		}
		p.Resize(sys, 5)
		quiet(t, sys)
		if all := who(60); len(all) != 5 || p.Len() != 5 {
			t.Errorf("%s: of 5, %v answer", name, all)
		}
		p.Resize(sys, 1)
		quiet(t, sys)
		if all := who(10); len(all) != 1 || p.Len() != 1 {
			t.Errorf("%s: of 1, %v answer", name, all)
		}
	}
}

// TestPolicyOf: a policy of one's own sees how the members stand; "State that it keeps can live in
// variables of start". A number that no member has is a panic where the member is chosen.
func TestPolicyOf(t *testing.T) {
	sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	lastFirst := group.PolicyOf(func() func(int, group.Members) int {
		calls := 0
		return func(m int, among group.Members) int {
			calls++
			for i := among.Len() - 1; i >= 0; i-- {
				if among.Status(i) < actor.StatusOverloaded && calls%2 == 1 {
					return i
				}
			}
			return m % 10
		}
	})
	refs, handlers := sinks(sys, 3)
	p, other := group.NewPool(lastFirst, handlers...).Start(sys),
		group.NewPool(lastFirst, handlers...).Start(sys)
	for i := range 4 {
		p.Send(sys, i)
		quiet(t, sys)
	}
	other.Send(sys, 4)
	quiet(t, sys)
	wantGot(t, refs[2], 0, 2, 4)
	wantGot(t, refs[1], 1)
	p.Send(sys, 9)
	p.Send(sys, 9)
	quiet(t, sys)
	if p.Status() != actor.StatusEnded {
		t.Error("the pool goes on, though its policy chose no member")
	}
	asks := group.NewAskPool(group.PolicyOf(func() func(int, group.Members) int {
		return func(m int, among group.Members) int { return m }
	}), actor.Asker[int, uint64](&fakeOracle{1}), &fakeOracle{2})
	panics(t, "a policy chose member 2 of 2", func() { _, _ = asks.Ask(soon(t), 2) })
	if id, err := asks.Ask(soon(t), 1); id != 2 || err != nil { // the lock was let go
		t.Errorf("member 1 says %d, %v", id, err)
	}
}

// TestRandom: every member is given messages, not in turn, and none is while it is overloaded.
func TestRandom(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	slow, _ := stuck(t, sys)
	refs, handlers := sinks(sys, 3)
	p := group.NewPool(group.Random[int](), append(handlers, slowPut.To(slow))...).Start(sys)
	for i := range 300 {
		p.Send(sys, i)
	}
	if _, err := p.Len(soon(t)); err != nil {
		t.Fatal(err)
	}
	sum, turns := 0, 0
	for _, r := range refs {
		mail, err := got.Ask(soon(t), r, struct{}{})
		if err != nil || len(mail) < 50 {
			t.Errorf("one got %d, %v", len(mail), err)
		}
		sum += len(mail)
		for i := 1; i < len(mail); i++ {
			if mail[i]-mail[i-1] != 3 {
				turns++
			}
		}
	}
	if sum != 300 || turns < 100 {
		t.Errorf("%d of 300, %d out of turn", sum, turns)
	}
}

// TestMisuse_OfAskPools: the panics that the comments promise.
func TestMisuse_OfAskPools(t *testing.T) {
	sys := start(t)
	crew, a := group.MemberSpec[oracle]{Type: oracleType}, actor.Asker[int, uint64](&fakeOracle{})
	p := group.NewAskPool(group.RoundRobin[int](), a)
	made := group.NewAskPoolOf(group.RoundRobin[int](), 1, question, crew)
	var zero group.AskPool[int, uint64]
	for words, f := range map[string]func(){
		"NewAskPool with a zero Policy": func() {
			group.NewAskPool[int, uint64](group.Policy[int]{})
		},
		"a member that is there twice": func() {
			group.NewAskPool(group.RoundRobin[int](), a, a)
		},
		"NewAskPool with a nil member": func() {
			group.NewAskPool[int, uint64](group.RoundRobin[int](), nil)
		},
		"Join with a nil member":          func() { p.Join(nil) },
		"Join with a member that cannot":  func() { p.Join(oddOracle{}) },
		"Leave with a nil member":         func() { p.Leave(nil) },
		"Join of an AskPool to itself":    func() { p.Join(p) },
		"of an AskPool to itself":         func() { p.Join(&p) },
		"Join with a nil pointer":         func() { p.Join((*group.AskPool[int, uint64])(nil)) },
		"zero AskPool: use NewAskPool":    func() { p.Join(&zero) },
		"Join of an AskPool that starts":  func() { made.Join(a) },
		"Leave of an AskPool that starts": func() { made.Leave(a) },
		"a zero AskPool":                  func() { _, _ = zero.Ask(soon(t), 1) },
		"a zero AskPool: use NewAskPool":  func() { p.Join(zero) },
		"AskTo with a nil reply":          func() { p.AskTo(nil, 1, nil) },
		"Resize: 0 members":               func() { p.Resize(sys, 0) },
		"Resize of an AskPool without":    func() { p.Resize(sys, 1) },
		"Stop of an AskPool without":      func() { p.Stop(sys) },
		"NewAskPoolOf: 0 members": func() {
			group.NewAskPoolOf(group.RoundRobin[int](), 0, question, crew).Start(sys)
		},
		"NewAskPoolOf with a zero Policy": func() {
			group.NewAskPoolOf(group.Policy[int]{}, 1, question, crew).Start(sys)
		},
		"NewAskPoolOf with a MemberSpec without": func() {
			group.NewAskPoolOf(group.RoundRobin[int](), 1, question, group.MemberSpec[oracle]{})
		},
		"NewAskPoolOf with a Behaviour that was not": func() {
			group.NewAskPoolOf(group.RoundRobin[int](), 1,
				actor.AskBehaviour[oracle, int, uint64]{}, crew).Start(sys)
		},
	} {
		panics(t, words, f)
	}
}

// BenchmarkAskPool is a request through a pool of four, beside one to an actor.
func BenchmarkAskPool(b *testing.B) {
	sys := start(b, actor.WithWorkers(2))
	ctx := context.Background()
	p := group.NewAskPoolOf(group.RoundRobin[int](), 4, question,
		group.MemberSpec[oracle]{Type: oracleType}).Start(sys)
	one := question.To(oracleType.Spawn(sys, oracle{}))
	for name, a := range map[string]actor.Asker[int, uint64]{"pool": p, "one": one} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Ask(ctx, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestStartAskPool_ResizeKeepsRequests: a bad request in a member that leaves costs no good one
// behind it.
func TestStartAskPool_ResizeKeepsRequests(t *testing.T) {
	for seed := range uint64(20) {
		sys, advance := atNoTime(t, seed)
		p := group.NewAskPoolOf(group.RoundRobin[int](), 2, question,
			group.MemberSpec[oracle]{Type: oracleType, Backoff: supervise.NoBackoff}).Start(sys)
		s := seekerType.Spawn(sys, seeker{})
		quiet(t, sys) // the members have started
		const good = 30
		seekerDo.Send(sys, s, func(c *actor.Context) {
			for i := range good {
				if i == 2 || i == 3 || i == 10 || i == 13 {
					p.AskTo(c, -1, seekerHear.To(s))
				}
				p.AskTo(c, i, seekerHear.To(s))
			}
			p.Resize(c, 1)
		})
		quiet(t, sys)
		advance(time.Minute)
		all, err := seekerAll.Ask(soon(t), s, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for _, r := range all {
			if r.Err == nil {
				answered++
			}
		}
		if answered != good || len(all) != good+4 || p.Len() != 1 {
			t.Errorf("seed %d: %d answers, %d outcomes, %d members", seed, answered, len(all), p.Len())
		}
	}
}
