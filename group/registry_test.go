package group_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

type (
	registry = group.Registry[string, actor.Ref[sink]]
	change   = group.Change[string, actor.Ref[sink]]
)

// observer keeps a group up to date by what it hears, and panics if a Change does not fit.
type observer struct {
	heard []change
	now   map[string][]actor.Ref[sink]
}

func (o *observer) hear(_ *actor.Context, ch change) {
	o.heard = append(o.heard, ch)
	if o.now == nil {
		o.now = map[string][]actor.Ref[sink]{}
	}
	now := slices.DeleteFunc(slices.Clone(o.now[ch.Key]),
		func(r actor.Ref[sink]) bool { return slices.Contains(ch.Left, r) })
	if now = append(now, ch.Joined...); !slices.Equal(now, ch.Members) {
		panic(fmt.Sprintf("%v and %+v", o.now[ch.Key], ch))
	}
	o.now[ch.Key] = now
}

func (o *observer) do(c *actor.Context, f func(*observer, *actor.Context)) { f(o, c) }

func (o *observer) tell(*actor.Context, struct{}) ([]change, error) {
	all := o.heard
	o.heard = nil
	return all, nil
}

var (
	observerType = actor.NewType[observer]("observer", actor.WithBound(2, actor.OverflowMute))
	observe      = actor.Declare[change](observerType, "observe")
	observerDo   = actor.Declare[func(*observer, *actor.Context)](observerType, "do")
	observed     = actor.DeclareAsk[struct{}, []change](observerType, "observed")
	_            = observerType.Table(observe.Handle((*observer).hear),
		observerDo.Handle((*observer).do),
		observed.Handle((*observer).tell))
)

// wantHeard fails the test if an observer has not heard this since it was asked last: for each
// Change the key, and how many have joined, left and are there.
func wantHeard(t testing.TB, sys *actor.System, o actor.Ref[observer], want ...string) {
	t.Helper()
	quiet(t, sys)
	all, err := observed.Ask(soon(t), o, struct{}{})
	got := []string{}
	for _, ch := range all {
		got = append(got, fmt.Sprintf("%s +%d -%d =%d", ch.Key, len(ch.Joined), len(ch.Left),
			len(ch.Members)))
	}
	if err != nil || !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Fatalf("it heard %q, %v; want %q", got, err, want)
	}
}

func spawn(sys *actor.System, n int) (all []actor.Ref[sink]) {
	for range n {
		all = append(all, sinkType.Spawn(sys, sink{}))
	}
	return all
}

func wantMembers(t testing.TB, r registry, key string, want ...actor.Ref[sink]) {
	t.Helper()
	if now := r.Members(key); !slices.Equal(now, want) {
		t.Fatalf("%q has %v, want %v", key, now, want)
	}
}

// TestRegistry: "Join, Leave and Members work on the table under a mutex and take effect before
// they return", so nothing has to run in between; "in the order in which they joined"; "A key
// without members is removed". What was returned before is not changed.
func TestRegistry(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1)) // nothing runs unless the test waits
	r, other := group.NewRegistry[string, actor.Ref[sink]]().Start(sys),
		group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	m := spawn(sys, 3)
	wantMembers(t, r, "a")
	for _, v := range m {
		r.Join(sys, "a", v)
		r.Join(sys, "a", v)
	}
	r.Join(sys, "b", m[1])
	before := r.Members("a")
	wantMembers(t, r, "a", m...)
	wantMembers(t, other, "a")
	r.Leave(sys, "a", m[0])
	r.Leave(sys, "a", m[0])
	r.Leave(sys, "nobody", m[0])
	r.Join(sys, "a", m[0])
	wantMembers(t, r, "a", m[1], m[2], m[0])
	if !slices.Equal(before, m) || cap(before) != len(before) {
		t.Errorf("what was returned is now %v, with room for %d", before, cap(before))
	}
	if keys := r.Keys(); !slices.Equal(keys, []string{"a", "b"}) {
		t.Errorf("keys %v", keys)
	}
	r.Leave(sys, "b", m[1])
	if keys := r.Keys(); !slices.Equal(keys, []string{"a"}) {
		t.Errorf("keys %v", keys)
	}
	quiet(t, sys)
	if n := group.GroupCount(r); n != 1 {
		t.Errorf("the registry keeps %d groups", n)
	}
	r.Stop(sys)
	quiet(t, sys)
	if r.Join(sys, "c", m[0]); r.Members("a") != nil || r.Members("c") != nil || r.Keys() != nil ||
		other.Any().IsZero() {
		t.Error("a registry that has ended goes on, or another has ended too")
	}
}

// TestRegistry_Ends: "A member that is an actor.Target … leaves all its groups when it ends; a
// restart in place is no end." "Any other member stays until it leaves."
func TestRegistry_Ends(t *testing.T) {
	sys := start(t)
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	m := spawn(sys, 3)
	actor.Stop(sys, m[2])
	quiet(t, sys)
	for _, key := range []string{"a", "b", "c"} {
		for _, v := range m {
			r.Join(sys, key, v)
		}
	}
	quiet(t, sys)
	r.Leave(sys, "c", m[1])
	actor.Stop(sys, m[0])
	quiet(t, sys)
	wantMembers(t, r, "a", m[1])
	wantMembers(t, r, "b", m[1])
	if keys := r.Keys(); !slices.Equal(keys, []string{"a", "b"}) {
		t.Errorf("keys %v", keys)
	}
	h := group.NewRegistry[int, actor.Handler[int]]().Start(sys)
	h.Join(sys, 1, put.To(m[1]))
	h.Join(sys, 1, &double{})
	actor.Stop(sys, m[1])
	quiet(t, sys)
	if all := h.Members(1); len(all) != 1 || all[0] != actor.Handler[int](all[0].(*double)) {
		t.Errorf("handlers %v", all)
	}
}

// TestRegistry_Subscribe: "h hear a Change now, with the members that the group of that key has, and
// one whenever a member comes or goes, until Unsubscribe or the end of h. Subscribing twice changes
// nothing."
func TestRegistry_Subscribe(t *testing.T) {
	sys := start(t)
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	m := spawn(sys, 3)
	one, all := observerType.Spawn(sys, observer{}), observerType.Spawn(sys, observer{})
	r.Join(sys, "a", m[0])
	r.Join(sys, "b", m[0])
	r.Subscribe(sys, "a", observe.To(one))
	r.Subscribe(sys, "a", observe.To(one))
	r.Subscribe(sys, "none", observe.To(one))
	wantHeard(t, sys, one, "a +1 -0 =1", "none +0 -0 =0")
	r.SubscribeAll(sys, observe.To(all))
	r.Subscribe(sys, "a", observe.To(all))
	wantHeard(t, sys, all, "a +1 -0 =1", "b +1 -0 =1")
	r.Join(sys, "a", m[1])
	quiet(t, sys)
	r.Join(sys, "c", m[2])
	wantHeard(t, sys, one, "a +1 -0 =2")
	wantHeard(t, sys, all, "a +1 -0 =2", "c +1 -0 =1")
	actor.Stop(sys, m[0])
	wantHeard(t, sys, one, "a +0 -1 =1")
	wantHeard(t, sys, all, "a +0 -1 =1", "b +0 -1 =0")
	r.Unsubscribe(sys, "a", observe.To(one))
	r.UnsubscribeAll(sys, observe.To(all))
	r.Unsubscribe(sys, "a", observe.To(all))
	quiet(t, sys)
	r.Leave(sys, "a", m[1])
	wantHeard(t, sys, one)
	wantHeard(t, sys, all)
	r.Join(sys, "none", m[1])
	wantHeard(t, sys, one, "none +1 -0 =1")
	actor.Stop(sys, one)
	quiet(t, sys)
	if n := group.SubscriberCount(r); n != 0 {
		t.Errorf("%d subscribers are left", n)
	}
}

// TestRegistry_ChangesComeAsOne: "Changes in quick succession are combined into one; a member that
// has left again by then is not mentioned."
func TestRegistry_ChangesComeAsOne(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	m := spawn(sys, 3)
	o := observerType.Spawn(sys, observer{})
	r.Join(sys, "a", m[0])
	r.Subscribe(sys, "a", observe.To(o))
	wantHeard(t, sys, o, "a +1 -0 =1")
	feeder := sinkType.Spawn(sys, sink{})
	do.Send(sys, feeder, func(_ *sink, c *actor.Context) {
		r.Join(sys, "a", m[1])
		r.Join(c, "a", m[2])
		r.Leave(c, "a", m[1])
		r.Leave(c, "a", m[0])
		r.Join(c, "a", m[0])
	})
	quiet(t, sys)
	all, err := observed.Ask(soon(t), o, struct{}{})
	if err != nil || len(all) == 0 || len(all) > 5 ||
		!slices.Equal(all[len(all)-1].Members, []actor.Ref[sink]{m[2], m[0]}) {
		t.Errorf("it heard %+v, %v", all, err)
	}
}

// TestRegistry_SlowSubscribers: "do not slow the registry or other subscribers down. What they miss comes
// as one Change for each key when they have recovered."
func TestRegistry_SlowSubscribers(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	slow, quick := observerType.Spawn(sys, observer{}), observerType.Spawn(sys, observer{})
	r.SubscribeAll(sys, observe.To(slow))
	r.Subscribe(sys, "a", observe.To(quick))
	wantHeard(t, sys, quick, "a +0 -0 =0")
	at, stay := make(chan struct{}), make(chan struct{})
	observerDo.Send(sys, slow, func(*observer, *actor.Context) { close(at); <-stay })
	<-at
	m := spawn(sys, 30)
	for i, v := range m {
		r.Join(sys, fmt.Sprint("abc"[i%3:i%3+1]), v)
		seen := observed
		for have := 0; i%3 == 0 && have == 0; { // the quick one hears each change at once
			all, err := seen.Ask(soon(t), quick, struct{}{})
			if err != nil {
				t.Fatal(err)
			}
			have = len(all)
		}
	}
	for _, v := range m[:15] {
		r.Leave(sys, "a", v)
	}
	close(stay)
	quiet(t, sys)
	all, err := observed.Ask(soon(t), slow, struct{}{})
	if err != nil || len(all) > 10 {
		t.Errorf("it heard %d changes, %v", len(all), err)
	}
	last := map[string][]actor.Ref[sink]{}
	for _, ch := range all {
		last[ch.Key] = ch.Members
	}
	for _, key := range []string{"a", "b", "c"} {
		if wantMembers(t, r, key, last[key]...); len(last[key]) == 0 {
			t.Errorf("%s: it heard nothing", key)
		}
	}
}

// TestRegistry_Churn: whatever order the members come, go and end in, each subscriber can tell from
// what it hears who is there: observer checks that. In the end it is what Members returns.
func TestRegistry_Churn(t *testing.T) {
	for seed := range uint64(200) {
		sys := start(t, actor.WithDeterministic(seed))
		r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
		var subscribed []actor.Ref[observer]
		for i := range 3 {
			o := observerType.Spawn(sys, observer{})
			subscribed = append(subscribed, o)
			if i == 0 {
				r.SubscribeAll(sys, observe.To(o))
			} else {
				r.Subscribe(sys, "a", observe.To(o))
			}
		}
		m, feeder := spawn(sys, 8), sinkType.Spawn(sys, sink{})
		ended := map[actor.Ref[sink]]bool{}
		for range 60 {
			do.Send(sys, feeder, func(_ *sink, c *actor.Context) {
				v, key := m[c.Rand().IntN(len(m))], []string{"a", "b"}[c.Rand().IntN(2)]
				switch c.Rand().IntN(8) {
				case 0:
					actor.Stop(c, v)
					ended[v] = true
				case 1, 2, 3:
					r.Leave(c, key, v)
				case 4:
					r.Unsubscribe(c, "a", observe.To(subscribed[2]))
				case 5:
					r.Subscribe(c, "a", observe.To(subscribed[2]))
				default:
					r.Join(c, key, v)
				}
			})
		}
		r.Subscribe(sys, "a", observe.To(subscribed[2]))
		quiet(t, sys)
		for i, o := range subscribed[:2] {
			var now map[string][]actor.Ref[sink]
			observerDo.Send(sys, o, func(o *observer, _ *actor.Context) { now = o.now })
			quiet(t, sys)
			if o.Status() == actor.StatusEnded {
				t.Fatalf("seed %d: subscriber %d could not follow", seed, i)
			}
			wantMembers(t, r, "a", now["a"]...)
			if i == 0 {
				wantMembers(t, r, "b", now["b"]...)
			}
		}
		for _, key := range []string{"a", "b"} {
			for _, v := range r.Members(key) {
				if ended[v] {
					t.Fatalf("seed %d: %v has ended and is in %q", seed, v, key)
				}
			}
		}
		sys.Stop()
	}
}

// TestRegistry_Races: "Any goroutine." A Join is seen by its own goroutine at once, whatever the
// others do.
func TestRegistry_Races(t *testing.T) {
	sys := start(t)
	r := group.NewRegistry[int, actor.Ref[sink]]().Start(sys)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 300 {
				v := sinkType.Spawn(sys, sink{})
				key := (g + i) % 3
				if r.Join(sys, key, v); !slices.Contains(r.Members(key), v) {
					t.Error("it has joined and is no member")
				}
				if i%2 == 0 {
					actor.Stop(sys, v)
				} else if r.Leave(sys, key, v); slices.Contains(r.Members(key), v) {
					t.Error("it has left and is a member")
				}
			}
		})
	}
	all.Wait()
	quiet(t, sys)
	if keys := r.Keys(); len(keys) != 0 {
		t.Errorf("%v are left", keys)
	}
}

// TestRegistry_ForeignSubscribers: a subscriber's handler of the user's own that panics ends no other
// actor.
func TestRegistry_ForeignSubscribers(t *testing.T) {
	sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	w := &brittle{}
	r.SubscribeAll(sys, w)
	m := spawn(sys, 4)
	for _, v := range m {
		r.Join(sys, "a", v)
		quiet(t, sys)
	}
	if len(w.heard) != 4 || w.heard[3] != 4 {
		t.Errorf("it heard of %v", w.heard)
	}
	if _, err := actor.Join(atOnce(), r.Any()); err == nil {
		t.Error("the registry has ended")
	}
}

// brittle is a handler that panics over every second Change.
type brittle struct{ heard []int }

func (b *brittle) Send(_ actor.Sender, ch change) {
	if b.heard = append(b.heard, len(ch.Members)); len(b.heard)%2 == 0 {
		panic("brittle")
	}
}
func (b *brittle) TrySend(from actor.Sender, ch change) error { b.Send(from, ch); return nil }

// TestMisuse_OfRegistries: the panics that the comments promise.
func TestMisuse_OfRegistries(t *testing.T) {
	sys := start(t)
	r := group.NewRegistry[any, any]().Start(sys)
	var zero group.Registry[any, any]
	for words, f := range map[string]func(){
		"Join with a nil key":              func() { r.Join(sys, nil, 1) },
		"Join with a nil member":           func() { r.Join(sys, 1, nil) },
		"Leave with a nil key":             func() { r.Leave(sys, nil, 1) },
		"key that cannot be compared":      func() { r.Join(sys, []int{}, 1) },
		"member that cannot be compared":   func() { r.Join(sys, 1, func() {}) },
		"key that is not equal to itself":  func() { r.Join(sys, math.NaN(), 1) },
		"Join of a zero Ref":               func() { r.Join(sys, 1, actor.Ref[sink]{}) },
		"Subscribe of a nil Handler":       func() { r.Subscribe(sys, 1, nil) },
		"Subscribe with a nil key":         func() { r.Subscribe(sys, nil, nil) },
		"Unsubscribe of a nil Handler":     func() { r.Unsubscribe(sys, 1, nil) },
		"SubscribeAll of a nil Handler":    func() { r.SubscribeAll(sys, nil) },
		"a zero Registry":                  func() { zero.Join(sys, 1, 1) },
		"a zero Registry: use NewRegistry": func() { zero.Members(1) },
	} {
		panics(t, words, f)
	}
	panics(t, "a zero Registry", func() { zero.Stop(sys) })
}

// TestMisuse_LeavesTheRegistry: a call that is wrong panics before anything has changed, so that the
// registry, its subscribers and the end of its system go on.
func TestMisuse_LeavesTheRegistry(t *testing.T) {
	sys := start(t)
	anyKey := group.NewRegistry[any, int]().Start(sys)
	number := group.NewRegistry[float64, int]().Start(sys)
	nested := group.NewRegistry[[1]struct{ k any }, int]().Start(sys)
	for _, c := range []struct {
		words string
		f     func()
	}{
		{"Members with a key that cannot be compared", func() { anyKey.Members([]int{1}) }},
		{"Members with a nil key", func() { anyKey.Members(nil) }},
		{"Members with a key that is not equal to itself", func() { number.Members(math.NaN()) }},
		{"Members with a key that cannot be compared", func() {
			nested.Members([1]struct{ k any }{{[]int{}}})
		}},
	} {
		if panics(t, c.words, c.f); t.Failed() {
			t.FailNow() // such a key would hang the registry
		}
	}
	func() {
		defer func() {
			if v, _ := recover().(string); !strings.HasPrefix(v, "gallop: a nil sender") {
				t.Errorf("Join by nobody panics with %q", v)
			}
		}()
		anyKey.Join(nil, "b", 1)
	}()
	anyKey.Join(sys, "a", 1)
	number.Join(sys, 1, 1)
	nested.Join(sys, [1]struct{ k any }{}, 1)
	quiet(t, sys)
	if len(anyKey.Members("a")) != 1 || len(anyKey.Members("b")) != 0 || len(number.Members(1)) != 1 ||
		len(nested.Members([1]struct{ k any }{})) != 1 {
		t.Errorf("members %v, %v, %v", anyKey.Members("a"), anyKey.Members("b"), number.Members(1))
	}
}

// BenchmarkRegistry is what it costs to list a group that does not change, and one that does.
func BenchmarkRegistry(b *testing.B) {
	sys := start(b)
	r := group.NewRegistry[string, actor.Ref[sink]]().Start(sys)
	m := spawn(sys, 1000)
	for _, v := range m {
		r.Join(sys, "a", v)
	}
	quiet(b, sys)
	b.Run("members", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(r.Members("a")) != 1000 {
				b.Fatal()
			}
		}
	})
	b.Run("join+leave", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Leave(sys, "a", m[0])
			r.Join(sys, "a", m[0])
		}
		quiet(b, sys)
	})
}
