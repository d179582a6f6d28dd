package actor_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// TestWait_NeverEarly: "That includes the behaviours for messages whose Send returned before Wait
// was called". Two senders race for one idle actor. One of them has to wake it, and the other
// returns first. Each then waits, and looks whether its message has run.
func TestWait_NeverEarly(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		const senders = 4
		ctx := soon(t)
		for range scaled(3000) {
			r := puppetType.Spawn(sys, puppet{})
			var ran [senders]atomic.Bool
			var wg sync.WaitGroup
			for i := range senders {
				wg.Go(func() {
					do.Send(sys, r, func(*puppet, *actor.Context) { ran[i].Store(true) })
					if err := sys.Wait(ctx); err != nil || !ran[i].Load() {
						t.Errorf("Wait returned %v before the message ran: %v", err, !ran[i].Load())
					}
				})
			}
			wg.Wait()
			if t.Failed() {
				return
			}
		}
	})
}

// TestWait_NeverEarlyDeep: Wait also waits for the effects of messages: trees of spawns and sends,
// pipes and asks on all workers.
func TestWait_NeverEarlyDeep(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		for range scaled(300) {
			var leaves atomic.Int64
			var grow func(depth int) deed
			grow = func(depth int) deed {
				return func(p *puppet, c *actor.Context) {
					switch {
					case depth == 0:
						leaves.Add(1)
					case depth == 2:
						p.note = func(c *actor.Context, _ actor.Result[any]) {
							grow(0)(p, c)
							grow(0)(p, c)
							grow(0)(p, c)
							grow(0)(p, c)
						}
						actor.Pipe(c, note, func(context.Context) (any, error) { runtime.Gosched(); return nil, nil })
					default:
						for range 2 {
							do.Send(c, puppetType.Spawn(c, puppet{}), grow(depth-1))
						}
					}
				}
			}
			do.Send(sys, puppetType.Spawn(sys, puppet{}), grow(6))
			quiet(t, sys)
			equal(t, "leaves when the system is quiet", leaves.Load(), 64)
		}
	})
}

// TestWait_Stats: figures "are exact after" Wait, those of pinned actors too.
func TestWait_Stats(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	p, r := pinnedType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	for i := range scaled(2000) {
		pinnedDo.Send(sys, p, func(*puppet, *actor.Context) {})
		count.Send(sys, r, 1)
		quiet(t, sys)
		if got := sys.Stats().Messages; got != uint64(2*i+2) {
			t.Fatalf("%d messages after %d were sent and waited for", got, 2*i+2)
		}
	}
}

// TestWait_Context: Wait returns ctx's error if ctx ends first. The system goes on.
func TestWait_Context(t *testing.T) {
	sys := start(t)
	release, err := sys.Hold()
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 1)
	go func() { errs <- sys.Wait(ctx) }()
	cancel()
	wants(t, receive(t, "Wait to return", errs), context.Canceled)
	release()
	quiet(t, sys)
	quiet(t, sys) // "may be waited for again"
}

// TestHold: "keeps the system from being quiescent until release is called";
// "Calling release again does nothing".
func TestHold(t *testing.T) {
	sys := start(t)
	one, err := sys.Hold()
	must(t, err)
	two, err := sys.Hold()
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- sys.Run() }()
	one()
	one()
	r := puppetType.Spawn(sys, puppet{})
	for i := range 100 { // the system is up as long as it is held
		count.Send(sys, r, 1)
		n, err := value.Ask(soon(t), r, struct{}{})
		must(t, err)
		equal(t, "state", n, i+1)
	}
	equal(t, "runs that have ended", len(ended), 0)
	two()
	must(t, receive(t, "Run to return", ended))
	_, err = sys.Hold()
	wants(t, err, actor.ErrSystemStopped)
}

// TestRun: "blocks until the system is quiescent, … and then stops it. Messages sent afterwards
// from outside become dead letters". No message is lost in between.
func TestRun(t *testing.T) {
	for round := range scaled(500) {
		var dead letters
		sys := start(t, actor.WithWorkers(1+round%4), dead.option())
		r := puppetType.Spawn(sys, puppet{})
		var sent, ran atomic.Int64
		count1 := func(*puppet, *actor.Context) { ran.Add(1) }
		do.Send(sys, r, count1)
		sent.Add(1)
		done := make(chan struct{})
		go func() {
			for dead.n.Load() == 0 { // until the end has been reached
				do.Send(sys, r, count1)
				sent.Add(1)
				runtime.Gosched()
			}
			close(done)
		}()
		err := sys.Run()
		must(t, err)
		receive(t, "the first dead letter", done)
		equal(t, "ran or dead", ran.Load()+dead.n.Load(), sent.Load())
	}
}

// TestRun_Twice: several calls of Run and Shutdown at once all return. A later call gets an error.
func TestRun_Twice(t *testing.T) {
	sys := start(t)
	release, err := sys.Hold()
	must(t, err)
	errs := make(chan error, 3)
	go func() { errs <- sys.Run() }()
	go func() { errs <- sys.Run() }()
	go func() { errs <- sys.Wait(context.Background()) }()
	runtime.Gosched()
	release()
	for range 3 {
		if err := receive(t, "all to return", errs); err != nil &&
			!errors.Is(err, actor.ErrSystemStopped) {
			t.Error(err)
		}
	}
	wants(t, sys.Run(), actor.ErrSystemStopped)
}

// TestShutdown: "it refuses messages from outside, runs the queued messages until the system is
// quiescent, and stops it".
func TestShutdown(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	r := puppetType.Spawn(sys, puppet{})
	begin := make(chan struct{})
	var ran atomic.Int64
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		<-begin
		for range 10 {
			do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) { ran.Add(1) })
		}
	})
	do.Send(sys, r, func(*puppet, *actor.Context) { ran.Add(1) })
	ended := make(chan error, 1)
	go func() { ended <- sys.Shutdown(context.Background()) }()
	eventually(t, "the system refuses", func() bool {
		return errors.Is(count.TrySend(sys, r, 0), actor.ErrSystemStopped)
	})
	count.Send(sys, r, 1)
	wants(t, dead.last.Load().Reason, actor.ErrSystemStopped)
	close(begin)
	must(t, receive(t, "Shutdown to return", ended))
	equal(t, "messages run", ran.Load(), 11)
	equal(t, "dead letters", dead.n.Load(), 1)
}

// TestShutdown_Deadline: "If ctx ends before, Shutdown stops the system at once, … without waiting
// for behaviours that still run. It then returns a *ShutdownError, which wraps ctx's error".
func TestShutdown_Deadline(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	r := puppetType.Spawn(sys, puppet{})
	stuck, release := make(chan struct{}), make(chan struct{})
	do.Send(sys, r, func(*puppet, *actor.Context) { close(stuck); <-release })
	receive(t, "the behaviour to get stuck", stuck)
	count.Send(sys, r, 1) // for the next turn, which will not come
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	wants(t, sys.Shutdown(ctx), context.DeadlineExceeded)
	close(release)
	sys.Stop()
	equal(t, "dead letters", dead.n.Load(), 1)
	must(t, sys.Shutdown(context.Background()))
}

// TestStop_Now: "behaviours that run finish, and all other mail becomes dead
// letters".
func TestStop_Now(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	var refs []actor.Ref[puppet]
	release, stuck := make(chan struct{}), make(chan struct{}, 2)
	var finished atomic.Int64
	for range 2 {
		r := puppetType.Spawn(sys, puppet{})
		do.Send(sys, r, func(*puppet, *actor.Context) { stuck <- struct{}{}; <-release; finished.Add(1) })
		refs = append(refs, r)
	}
	receive(t, "a behaviour", stuck)
	receive(t, "a behaviour", stuck)
	for range 10 {
		for _, r := range refs {
			count.Send(sys, r, 1)
		}
		count.Send(sys, puppetType.Spawn(sys, puppet{}), 1)
	}
	stopped := make(chan struct{})
	go func() { sys.Stop(); close(stopped) }()
	eventually(t, "the system refuses", func() bool { _, err := sys.Hold(); return err != nil })
	equal(t, "Stop waits for behaviours", finished.Load(), 0)
	close(release)
	receive(t, "Stop to return", stopped)
	equal(t, "finished", finished.Load(), 2)
	st := sys.Stats()
	// A worker may finish its turn before it sees the end. It begins no other turn.
	equal(t, "run or dead", int64(st.Messages)+dead.n.Load(), 32)
	if dead.n.Load() < 10 {
		t.Errorf("%d dead letters, want at least those of the ten that never ran", dead.n.Load())
	}
}

// TestCycles_StartQuiesceStop (TestBug_K2, K7, K40): start, one message, quiesce and stop, over and
// over. A hang is a lost wake-up. The nightly form does it a million times.
func TestCycles_StartQuiesceStop(t *testing.T) {
	cycles := nightly(20_000, 1_000_000)
	if invariant.On { // ten times slower
		cycles /= 10
	}
	for i := range cycles {
		sys := actor.Start(actor.WithWorkers(1 + i%4))
		var ran atomic.Int64
		r := puppetType.Spawn(sys, puppet{})
		do.Send(sys, r, func(_ *puppet, c *actor.Context) {
			do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) { ran.Add(1) })
			ran.Add(1)
		})
		if err := sys.Run(); err != nil || ran.Load() != 2 {
			t.Fatalf("cycle %d: %v, %d of 2 messages ran", i, err, ran.Load())
		}
	}
}

// TestCycles_Wait: message and Wait on one system, which goes to sleep in between.
func TestCycles_Wait(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		r := puppetType.Spawn(sys, puppet{})
		// Written in behaviours, read after Wait: "synchronizes before Wait returns".
		n := 0
		ctx := soon(t)
		for i := range scaled(10_000) {
			do.Send(sys, r, func(*puppet, *actor.Context) { n++ })
			must(t, sys.Wait(ctx))
			if n != i+1 {
				t.Fatalf("Wait returned after %d of %d messages", n, i+1)
			}
		}
	})
}
