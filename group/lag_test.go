package group_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// listener hears that its subscription has ended.
type listener struct{ heard []group.Lagged }

var (
	listenerType = actor.NewType[listener]("listener")
	hear         = actor.Declare[group.Lagged](listenerType, "hear")
	heard        = actor.DeclareAsk[struct{}, []group.Lagged](listenerType, "heard")
	_            = listenerType.Table(
		hear.Handle(func(l *listener, _ *actor.Context, m group.Lagged) {
			l.heard = append(l.heard, m)
		}),
		heard.Handle(func(l *listener, _ *actor.Context, _ struct{}) ([]group.Lagged,
			error) {
			return l.heard, nil
		}))
)

// letters collects dead letters.
type letters struct{ all []actor.DeadLetter }

func (l *letters) option() actor.Option {
	return actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
		l.all = append(l.all,
			d)
	}})
}

// TestTopic_LagDrop: "LagDrop makes the message a dead letter with ErrOverloaded. Other subscribers
// and the publishers are not affected, and the subscription goes on."
func TestTopic_LagDrop(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	for name, subscribe := range map[string]func(h, fast actor.Handler[int]) group.Topic[int]{
		"by the topic": func(h, fast actor.Handler[int]) group.Topic[int] {
			news := group.NewTopic[int](group.WithLag(group.LagDrop)).Start(sys)
			news.Subscribe(sys, h)
			news.Subscribe(sys, fast)
			return news
		},
		"by the subscription": func(h, fast actor.Handler[int]) group.Topic[int] {
			news := group.NewTopic[int]().Start(sys)
			news.Subscribe(sys, h, group.WithLag(group.LagUnsubscribe))
			// the later option applies
			news.Subscribe(sys, h, group.WithLag(group.LagDrop))
			news.Subscribe(sys, fast)
			return news
		},
	} {
		dead.all = nil
		slow, release := stuck(t, sys)
		fast := sinkType.Spawn(sys, sink{})
		news := subscribe(slowPut.To(slow), put.To(fast))
		for i := range 100 {
			news.Publish(sys, i)
		}
		count(t, news.Len, 2) // it is through with them, so it is not muted
		mail, err := got.Ask(soon(t), fast, struct{}{})
		if err != nil || len(mail) != 100 || !slices.IsSorted(mail) {
			t.Fatalf("%s: the fast one got %v, %v", name, mail, err)
		}
		if len(dead.all) != 100 {
			t.Fatalf("%s: %d dead letters of 100", name, len(dead.all))
		}
		for i, d := range dead.all {
			if d.Type != "slow" || d.Behaviour != "put" || d.ActorID != slow.ID() ||
				d.Message != i || !errors.Is(d.Reason, actor.ErrOverloaded) {
				t.Fatalf("%s: dead letter %d is %+v", name, i, d)
			}
		}
		release()
		quiet(t, sys)
		news.Publish(sys, 100)
		quiet(t, sys)
		mail, err = slowGot.Ask(soon(t), slow, struct{}{})
		if err != nil || !slices.Equal(mail, []int{100}) {
			t.Errorf("%s: when it keeps up again it gets %v, %v", name, mail, err)
		}
	}
}

// TestTopic_LagUnsubscribe: "LagUnsubscribe makes the message a dead letter with ErrOverloaded, and
// ends the subscription". The subscriber hears so once, "even if h is overloaded itself", and
// "after those it was sent before".
func TestTopic_LagUnsubscribe(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	news := group.NewTopic[int](group.WithLag(group.LagUnsubscribe)).Start(sys)
	slow, release := stuck(t, sys)
	notified := listenerType.Spawn(sys, listener{})
	news.Subscribe(sys, slowPut.To(slow), group.WithNotify(hear.To(notified)))
	fast := sinkType.Spawn(sys, sink{})
	news.Subscribe(sys, put.To(fast))
	for i := range 3 {
		news.Publish(sys, i)
	}
	count(t, news.Len, 1)
	if all, err := heard.Ask(soon(t), notified, struct{}{}); err != nil ||
		!slices.Equal(all, []group.Lagged{{Topic: news.Any()}}) {
		t.Errorf("it was notified %v, %v", all, err)
	}
	release()
	quiet(t, sys)
	wantGot(t, fast, 0, 1, 2)
	if len(dead.all) != 1 || dead.all[0].Message != 0 ||
		!errors.Is(dead.all[0].Reason, actor.ErrOverloaded) {
		t.Errorf("dead letters: %v", dead.all)
	}
}

// lagging is an actor that gets its Lagged in its own mailbox, after its other mail.
type lagging struct{ saw []string }

var (
	laggingType = actor.NewType[lagging]("lagging", actor.WithBound(2, actor.OverflowMute))
	laggingPut  = actor.Declare[int](laggingType, "put")
	laggingHear = actor.Declare[group.Lagged](laggingType, "hear")
	laggingStay = actor.Declare[func()](laggingType, "stay")
	laggingSaw  = actor.DeclareAsk[struct{}, []string](laggingType, "saw")
	_           = laggingType.Table(
		laggingPut.Handle(func(l *lagging, _ *actor.Context, n int) {
			l.saw = append(l.saw, fmt.Sprint(n))
		}),
		laggingHear.Handle(func(l *lagging, _ *actor.Context, _ group.Lagged) {
			l.saw = append(l.saw, "lagged")
		}),
		laggingStay.Handle(func(_ *lagging, _ *actor.Context, f func()) { f() }),
		laggingSaw.Handle(func(l *lagging, _ *actor.Context, _ struct{}) ([]string,
			error) {
			return l.saw, nil
		}))
)

// TestTopic_TellsTheOverloaded: the news comes "even if h is overloaded itself. If h is the
// subscriber's own actor, the message comes after those it was sent before", and the topic does not
// wait for that.
func TestTopic_TellsTheOverloaded(t *testing.T) {
	sys := start(t, actor.WithWorkers(2),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
	news := group.NewTopic[int](group.WithLag(group.LagUnsubscribe)).Start(sys)
	slow := laggingType.Spawn(sys, lagging{})
	at, stay := make(chan struct{}), make(chan struct{})
	laggingStay.Send(sys, slow, func() { close(at); <-stay })
	<-at
	news.Subscribe(sys, laggingPut.To(slow), group.WithNotify(laggingHear.To(slow)))
	for i := range 5 {
		news.Publish(sys, i)
	}
	count(t, news.Len, 0) // so the topic is not muted
	close(stay)
	quiet(t, sys)
	if saw, err := laggingSaw.Ask(soon(t), slow, struct{}{}); err != nil ||
		!slices.Equal(saw, []string{"0", "1", "lagged"}) {
		t.Errorf("it saw %v, %v", saw, err)
	}
}

// fill gives a topic whose subscriber stands still as much as it takes from behaviours.
func fill(t testing.TB, sys *actor.System, news group.Topic[int]) {
	t.Helper()
	news.Publish(sys, 0)
	for news.Status() == actor.StatusIdle || news.Status() == actor.StatusBusy { // until it is muted
		runtime.Gosched()
	}
	full, feeder := make(chan struct{}), sinkType.Spawn(sys, sink{})
	do.Send(sys, feeder, func(_ *sink, c *actor.Context) {
		for news.TrySend(c, 0) == nil {
			continue
		}
		close(full)
	})
	<-full
}

// TestTopic_LagOfForeign: a handler that leads to no actor is given a dead letter of the topic's
// own; one that is a topic, of that topic's. An error of its own is its own matter.
func TestTopic_LagOfForeign(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	news, other := group.NewTopic[int](group.WithLag(group.LagDrop)).Start(sys), group.NewTopic[int]().Start(sys)
	slow, release := stuck(t, sys)
	other.Subscribe(sys, slowPut.To(slow))
	fill(t, sys, other)
	full, broken := &foreign{why: fmt.Errorf("full: %w", actor.ErrOverloaded)},
		&foreign{why: errors.New("no connection")}
	for _, h := range []actor.Handler[int]{full, broken, other, &other} {
		news.Subscribe(sys, h)
	}
	news.Publish(sys, 7)
	count(t, news.Len, 4)
	if len(full.sent) != 0 || !slices.Equal(broken.sent, []int{7}) {
		t.Errorf("sent %v to one that is full, and %v to one that has an error of its own",
			full.sent, broken.sent)
	}
	release()
	quiet(t, sys)
	ids := []uint64{}
	for _, d := range dead.all {
		if d.Type != "topic" || d.Behaviour != "publish" || d.Message != 7 {
			t.Errorf("dead letter %+v", d)
		}
		ids = append(ids, d.ActorID)
	}
	if !slices.Equal(ids, []uint64{news.Any().ID(), other.Any().ID(), other.Any().ID()}) {
		t.Errorf("dead letters of %v", ids)
	}
}

// TestTopic_DropConserves: with every policy a message that was published runs at every subscriber
// exactly once or becomes a dead letter, in every order, while subscribers come, go and lag.
func TestTopic_DropConserves(t *testing.T) {
	for _, lag := range []group.Lag{group.LagWait, group.LagDrop, group.LagUnsubscribe} {
		for seed := range uint64(30) {
			dead, ran := 0, 0
			sys := actor.Start(actor.WithDeterministic(seed),
				actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { dead++ }}))
			news := group.NewTopic[int](group.WithLag(lag)).Start(sys)
			var all []actor.Ref[sink]
			for range 4 {
				r := slowType.Spawn(sys, sink{})
				all = append(all, r)
				news.Subscribe(sys, slowPut.To(r))
			}
			feeder := sinkType.Spawn(sys, sink{})
			do.Send(sys, feeder, func(_ *sink, c *actor.Context) {
				for i := range 50 {
					news.Publish(c, i)
				}
			})
			quiet(t, sys)
			for _, r := range all {
				mail, err := slowGot.Ask(soon(t), r, struct{}{})
				if err != nil || !slices.IsSorted(mail) {
					t.Fatalf("%v, seed %d: %v, %v", lag, seed, mail, err)
				}
				ran += len(mail)
			}
			left, err := news.Len(soon(t))
			sys.Stop()
			switch {
			case err != nil:
				t.Fatal(err)
			case lag == group.LagWait && (ran != 200 || dead != 0), lag == group.LagDrop &&
				ran+dead != 200:
				t.Fatalf("%v, seed %d: %d ran, %d dead letters, of 200", lag, seed, ran, dead)
			case lag == group.LagUnsubscribe && dead != 4-left:
				t.Fatalf("%v, seed %d: %d dead letters, and %d of 4 subscriptions are left", lag,
					seed, dead, left)
			}
		}
	}
}

// TestMisuse_OfLags: the panics that the comments promise.
func TestMisuse_OfLags(t *testing.T) {
	sys := start(t)
	news := group.NewTopic[int]().Start(sys)
	for words, f := range map[string]func(){
		"WithLag(0)":                 func() { group.WithLag(0) },
		"WithLag(4)":                 func() { group.WithLag(4) },
		"WithNotify with a nil":      func() { group.WithNotify(nil) },
		"NewTopic with a nil option": func() { group.NewTopic[int](nil) },
		"Subscribe with a nil opt":   func() { news.Subscribe(sys, &foreign{}, nil) },
	} {
		panics(t, words, f)
	}
	for l, name := range map[group.Lag]string{0: "unknown", group.LagWait: "wait",
		group.LagDrop: "drop", group.LagUnsubscribe: "unsubscribe", 9: "unknown"} {
		if l.String() != name {
			t.Errorf("%d is %q", l, l.String())
		}
	}
}

// BenchmarkTopic_Many is a hundred values for a thousand subscribers. Before the topic charged its
// turns for subscribers, one turn ran all hundred.
func BenchmarkTopic_Many(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			sys := start(b, actor.WithWorkers(workers))
			tp := group.NewTopic[int]().Start(sys)
			for range 1000 {
				tp.Subscribe(sys, tally.To(tallyType.Spawn(sys, 0)))
			}
			quiet(b, sys)
			b.ReportAllocs()
			for b.Loop() {
				for i := range 100 {
					tp.Publish(sys, i)
				}
				quiet(b, sys)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/delivery")
		})
	}
}

var (
	tallyType = actor.NewType[int]("tally")
	tally     = actor.Declare[int](tallyType, "add")
	_         = tallyType.Table(tally.Handle(func(sum *int, _ *actor.Context, n int) { *sum += n }))
)
