package group_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// sleepyLog has the jobs of the actor of downActor.
var sleepyLog []jobLog

// downActor returns an actor that is in a back-off for an hour.
func downActor(t testing.TB, sys *actor.System) actor.Ref[testWorker] {
	t.Helper()
	sleepyLog = nil
	root := supervise.Start(sys, supervise.Spec{Name: "sleepy", Children: []supervise.Child{
		supervise.Worker[testWorker]{Name: "child", Type: testWorkerType,
			Init:    func(h *testWorker) { h.log = &sleepyLog },
			Backoff: supervise.Backoff{First: time.Hour}}}})
	quiet(t, sys)
	r, err := supervise.Find[testWorker](soon(t), root, "child")
	if err != nil {
		t.Fatal(err)
	}
	handleJob.Send(sys, r, -1)
	quiet(t, sys)
	return r
}

// TestTopic_BackOff: "a subscriber that … is in back-off … does not slow the topic down", with
// every policy: the others receive everything at once. Its kept messages arrive when it is up.
func TestTopic_BackOff(t *testing.T) {
	for _, lag := range []group.Lag{group.LagWait, group.LagDrop, group.LagUnsubscribe} {
		sys, advance := atNoTime(t, 1)
		news := group.NewTopic[int](group.WithLag(lag)).Start(sys)
		news.Subscribe(sys, handleJob.To(downActor(t, sys)))
		r := sinkType.Spawn(sys, sink{})
		news.Subscribe(sys, put.To(r))
		for i := range 20 {
			news.Publish(sys, i)
		}
		quiet(t, sys)
		if mail, err := got.Ask(soon(t), r, struct{}{}); err != nil || len(mail) != 20 ||
			len(sleepyLog) != 0 {
			t.Fatalf("%v: the other one got %v, %v", lag, mail, err)
		}
		count(t, news.Len, 2)
		if advance(2 * time.Hour); len(sleepyLog) != 20 {
			t.Errorf("%v: when it is up it gets %v", lag, sleepyLog)
		}
		sys.Stop()
	}
}

// TestPool_BackOff: a member that is in a back-off of its supervisor's is passed over by
// RoundRobin, LeastLoaded and Random. Hash queues its messages, and other keys are not delayed.
func TestPool_BackOff(t *testing.T) {
	for name, policy := range map[string]group.Policy[int]{
		"round robin": group.RoundRobin[int](), "least loaded": group.LeastLoaded[int](),
		"random": group.Random[int](),
		"hash":   group.Hash(func(n int) uint64 { return uint64(n) }),
	} {
		sys, advance := atNoTime(t, 1)
		r := sinkType.Spawn(sys, sink{})
		p := group.NewPool(policy, handleJob.To(downActor(t, sys)), put.To(r)).Start(sys)
		for i := range 40 {
			p.Send(sys, i)
		}
		quiet(t, sys)
		mail, err := got.Ask(soon(t), r, struct{}{})
		if err != nil || name != "hash" && len(mail) != 40 || len(mail) == 0 ||
			len(sleepyLog) != 0 {
			t.Fatalf("%s: the other one got %d, %v", name, len(mail), err)
		}
		if advance(2 * time.Hour); len(sleepyLog)+len(mail) != 40 {
			t.Errorf("%s: %d and %d of 40", name, len(mail), len(sleepyLog))
		}
		sys.Stop()
	}
}

// TestTopic_MutedSubscriber: a subscriber that stands still only because it is muted for a third
// actor does not slow the topic down until its own mailbox is full.
func TestTopic_MutedSubscriber(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	slow, release := stuck(t, sys)
	muted, bob := sinkType.Spawn(sys, sink{}), sinkType.Spawn(sys, sink{})
	do.Send(sys, muted, func(_ *sink, c *actor.Context) { slowPut.Send(c, slow, 1) })
	for muted.Status() != actor.StatusBusy && muted.Status() != actor.StatusOverloaded {
		runtime.Gosched()
	}
	news := group.NewTopic[int]().Start(sys)
	news.Subscribe(sys, put.To(muted))
	news.Subscribe(sys, put.To(bob))
	for i := range 50 {
		news.Publish(sys, i)
	}
	count(t, news.Len, 2) // the topic is through with them
	if mail, err := got.Ask(soon(t), bob, struct{}{}); err != nil || len(mail) != 50 {
		t.Errorf("bob got %d of 50, %v", len(mail), err)
	}
	release()
	quiet(t, sys)
	if mail, err := got.Ask(soon(t), muted, struct{}{}); err != nil || len(mail) != 50 {
		t.Errorf("the muted one got %d of 50, %v", len(mail), err)
	}
}
