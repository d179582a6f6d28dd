package group_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/heap"
)

// TestTopic: subscribers receive messages published after they have subscribed, in order, once,
// until they unsubscribe; any handler may subscribe, a topic too.
func TestTopic(t *testing.T) {
	sys := start(t)
	news, copied := group.NewTopic[int]().Start(sys), group.NewTopic[int]().Start(sys)
	a, b := sinkType.Spawn(sys, sink{}), sinkType.Spawn(sys, sink{})
	var d double
	news.Publish(sys, 1)
	news.Subscribe(sys, put.To(a))
	news.Subscribe(sys, put.To(a))
	news.Subscribe(sys, copied)
	copied.Subscribe(sys, put.To(b))
	copied.Subscribe(sys, &d)
	quiet(t, sys)
	news.Send(sys, 2)
	if err := news.TrySend(sys, 3); err != nil {
		t.Fatal(err)
	}
	quiet(t, sys)
	count(t, news.Len, 2)
	news.Unsubscribe(sys, put.To(a))
	news.Unsubscribe(sys, put.To(a))
	news.Publish(sys, 4)
	quiet(t, sys)
	wantGot(t, a, 2, 3)
	wantGot(t, b, 2, 3, 4)
	if d.n.Load() != 9 {
		t.Errorf("the test double got %d", d.n.Load())
	}
	news.Stop(sys)
	quiet(t, sys)
	if news.Status() != actor.StatusEnded || !errors.Is(news.TrySend(sys, 5), actor.ErrStopped) {
		t.Error("a topic that was stopped goes on")
	}
}

// porter takes parcels.
type porter struct{}

var (
	porterType = actor.NewType[porter]("porter")
	porterTake = actor.Declare[heap.Parcel](porterType, "take")
	_          = porterType.Table(porterTake.Handle(func(_ *porter, _ *actor.Context, m heap.Parcel) {
		m.Discard()
	}))
)

// TestTopic_DiscardsWithoutSubscribers: "If there is no subscriber, a … Region or … Parcel that m
// owns is discarded": without a subscription, or after all subscribers have ended.
func TestTopic_DiscardsWithoutSubscribers(t *testing.T) {
	sys := start(t)
	before := heap.Blobs().Live
	post := group.NewTopic[heap.Parcel]().Start(sys)
	parcel := func() heap.Parcel { return heap.NewParcel(strings.Repeat("p", 2*heap.SharedAbove)) }
	left := func(when string) {
		t.Helper()
		post.Publish(sys, parcel())
		quiet(t, sys)
		if n := heap.Blobs().Live - before; n != 0 {
			t.Errorf("%s: %d blobs are left", when, n)
		}
	}
	left("without subscribers")
	p := porterType.Spawn(sys, porter{})
	post.Subscribe(sys, porterTake.To(p))
	left("one takes it")
	actor.Stop(sys, p)
	quiet(t, sys)
	left("it has ended")
}

// TestTopic_ForgetsTheEnded: "A receiver that has ended is forgotten when the next message is for
// it"; it is no dead letter.
func TestTopic_ForgetsTheEnded(t *testing.T) {
	var dead int
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { dead++ }}))
	news := group.NewTopic[int]().Start(sys)
	a, b := sinkType.Spawn(sys, sink{}), sinkType.Spawn(sys, sink{})
	news.Subscribe(sys, put.To(a))
	news.Subscribe(sys, put.To(b))
	actor.Stop(sys, a)
	quiet(t, sys)
	news.Publish(sys, 1)
	quiet(t, sys)
	wantGot(t, b, 1)
	count(t, news.Len, 1)
	if dead != 0 {
		t.Errorf("%d dead letters", dead)
	}
}

// TestTopic_ManyComeAndGo: "A topic without publications forgets ended subscribers when its list
// has doubled."
func TestTopic_ManyComeAndGo(t *testing.T) {
	sys := start(t)
	n := group.KeptSubscribers(passing(t, sys, 1000))
	if n > 40 {
		t.Errorf("the topic keeps %d that have ended", n)
	}
}

// TestTopic_Twin: "oldest subscription first", in any order of subscribing and unsubscribing. The
// others move only once in so many departures, or a thousand departures would cost a million steps.
func TestTopic_Twin(t *testing.T) {
	var all [1000]double
	news := group.NewSubscribers[int]()
	var twin []actor.Handler[int]
	chance := rand.New(rand.NewPCG(1, 2))
	moves := 0
	for step := range 20_000 {
		h := actor.Handler[int](&all[chance.IntN(len(all))])
		if i := slices.Index(twin, h); chance.IntN(2) == 0 {
			if news.Subscribe(h); i < 0 {
				twin = append(twin, h)
			}
		} else {
			if !news.Unsubscribe(h) {
				moves++
			}
			if i >= 0 {
				twin = slices.Delete(twin, i, i+1)
			}
		}
		if step%100 == 0 && !slices.Equal(news.InOrder(), twin) {
			t.Fatalf("step %d: others have subscribed than in the twin, or in another order", step)
		}
	}
	if moves > 100 {
		t.Errorf("the others moved %d times", moves)
	}
}

// TestTopic_BackPressure: an overloaded subscriber mutes the topic, and the topic then mutes the
// publishers; nothing is dropped.
func TestTopic_BackPressure(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	news := group.NewTopic[int]().Start(sys)
	slow, release := stuck(t, sys)
	news.Subscribe(sys, slowPut.To(slow))
	sent, err := 0, error(nil)
	for err == nil {
		if err = news.TrySend(sys, sent); err == nil {
			sent++
		}
	}
	if !errors.Is(err, actor.ErrOverloaded) {
		t.Errorf("publishing to a topic that is muted: %v", err)
	}
	news.Publish(sys, sent)
	release()
	quiet(t, sys)
	mail, err := slowGot.Ask(soon(t), slow, struct{}{})
	if err != nil || len(mail) != sent+1 || !slices.IsSorted(mail) {
		t.Errorf("the slow one got %d of %d, %v", len(mail), sent+1, err)
	}
}

// TestMisuse_OfTopics: the panics that the comments promise.
func TestMisuse_OfTopics(t *testing.T) {
	sys := start(t)
	news := group.NewTopic[int]().Start(sys)
	var zero group.Topic[int]
	for words, f := range map[string]func(){
		"Subscribe of a nil Handler":                     func() { news.Subscribe(sys, nil) },
		"Unsubscribe of a nil Handler":                   func() { news.Unsubscribe(sys, nil) },
		"Subscribe of a Handler that cannot be compared": func() { news.Subscribe(sys, odd{}) },
		"that cannot be compared: use a pointer": func() {
			news.Subscribe(sys, holder{[]int{1}})
		},
		"that is not equal to itself: use a pointer": func() {
			news.Subscribe(sys, holder{math.NaN()})
		},
		"Subscribe of a Topic to itself": func() { news.Subscribe(sys, news) },
		"a Topic to itself":              func() { news.Subscribe(sys, &news) },
		"a zero Topic":                   func() { zero.Publish(sys, 1) },
	} {
		panics(t, words, f)
	}
	panics(t, "a zero Topic", func() { zero.Stop(sys) })
	panics(t, "a zero Topic", func() { news.Subscribe(sys, zero) })
	panics(t, "a zero Pool", func() { news.Subscribe(sys, group.Pool[int]{}) })
	panics(t, "a zero Topic", func() {
		group.NewPool(group.RoundRobin[int](), actor.Handler[int](zero)).Start(sys)
	})
	panics(t, "Subscribe of a nil pointer", func() { news.Subscribe(sys, (*group.Topic[int])(nil)) })
	panics(t, "Subscribe of a nil pointer", func() { news.Subscribe(sys, (*group.Pool[int])(nil)) })
	panics(t, "a zero Topic", func() { zero.Status() })
	panics(t, "a zero Topic", func() { _ = zero.SendWait(soon(t), 1) })
	news.Subscribe(sys, holder{1}) // its content decides
	count(t, news.Len, 1)
}

// BenchmarkTopic is a thousand values for ten subscribers: mail that waits is allocated, and
// nothing by the topic.
func BenchmarkTopic(b *testing.B) {
	sys := start(b, actor.WithWorkers(1))
	tp := group.NewTopic[int]().Start(sys)
	for range 10 {
		tp.Subscribe(sys, put.To(sinkType.Spawn(sys, sink{})))
	}
	quiet(b, sys)
	b.ReportAllocs()
	for b.Loop() {
		for i := range 1000 {
			tp.Publish(sys, i)
		}
		quiet(b, sys)
	}
}

// TestTopic_HookPublishesInVain: a function of Hooks.DeadLetter that publishes to a topic which has
// ended causes a dead letter a time, and is not told of it.
func TestTopic_HookPublishesInVain(t *testing.T) {
	var letters group.Topic[actor.DeadLetter]
	var told atomic.Int64
	var sys *actor.System
	sys = start(t, actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) {
		told.Add(1)
		letters.Send(sys, l)
	}}))
	letters = group.NewTopic[actor.DeadLetter]().Start(sys)
	gone := testWorkerType.Spawn(sys, testWorker{})
	letters.Stop(sys)
	actor.Stop(sys, gone)
	quiet(t, sys)
	for range 2 {
		handleJob.Send(sys, gone, 1)
	}
	if n := told.Load(); n != 2 {
		t.Errorf("told of %d dead letters, want 2", n)
	}
	if n := sys.Stats().DeadLetters; n != 4 {
		t.Errorf("%d dead letters, want 4", n)
	}
}
