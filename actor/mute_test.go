package actor_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// overloaded is an actor that is overloaded and stuck in a behaviour. It runs no other message
// until release is called.
type overloaded struct {
	ref  actor.Ref[puppet]
	stay chan struct{}
	once sync.Once
}

// overload makes an overloaded actor. It keeps a worker busy until release. end, if given, runs at
// the end of the behaviour.
func overload(t testing.TB, sys *actor.System, end ...func(c *actor.Context)) *overloaded {
	t.Helper()
	return overloadThis(t, sys, slowType.Spawn(sys, puppet{}), end...)
}

func overloadThis(t testing.TB, sys *actor.System, r actor.Ref[puppet],
	end ...func(c *actor.Context)) *overloaded {
	t.Helper()
	o := &overloaded{ref: r, stay: make(chan struct{})}
	first, second := make(chan struct{}), make(chan struct{})
	slowDo.Send(sys, o.ref, func(*puppet, *actor.Context) { <-first })
	slowDo.Send(sys, o.ref, func(_ *puppet, c *actor.Context) {
		close(second)
		<-o.stay
		for _, f := range end {
			f(c)
		}
	})
	slowDo.Send(sys, o.ref, func(*puppet, *actor.Context) {})
	close(first)
	receive(t, "the overloaded actor to get stuck", second)
	wants(t, slowDo.TrySend(sys, o.ref, nil), actor.ErrOverloaded)
	t.Cleanup(o.release)
	return o
}

func (o *overloaded) release() { o.once.Do(func() { close(o.stay) }) }

// mute makes an actor that has sent to o and is muted for it.
func (o *overloaded) mute(t testing.TB, sys *actor.System) actor.Ref[puppet] {
	t.Helper()
	return muteOn(t, sys, func(c *actor.Context) {
		slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
	})
}

// muteOn makes an actor that runs f, which mutes it, and waits until it is muted. Its own gate is
// shut then.
func muteOn(t testing.TB, sys *actor.System, f func(c *actor.Context)) actor.Ref[puppet] {
	t.Helper()
	r := puppetType.Spawn(sys, puppet{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { f(c) })
	awaitMuted(t, r)
	return r
}

func awaitMuted(t testing.TB, r actor.Ref[puppet]) {
	t.Helper()
	eventually(t, "the sender is muted", func() bool { return actor.Muted(r) })
}

// allUnmuted checks that no actor is left muted and that all mutes were undone.
func allUnmuted(t testing.TB, sys *actor.System) {
	t.Helper()
	quiet(t, sys)
	st := sys.Stats()
	if st.Mutes == 0 || st.Mutes != st.Unmutes {
		t.Errorf("%d mutes, %d unmutes", st.Mutes, st.Unmutes)
	}
}

// TestMute_UntilRecovered: "An actor that cannot keep up mutes the actors that send to it, until it
// has recovered". None of the sender's messages runs meanwhile, and all run afterwards. Any end of
// the receiver releases them too.
func TestMute_UntilRecovered(t *testing.T) {
	for name, end := range map[string]func(c *actor.Context){
		"Recovers": func(*actor.Context) {},
		"Stops":    func(c *actor.Context) { c.Stop() },
		"Panics":   func(*actor.Context) { panic("end") },
		"Goexits":  func(*actor.Context) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			o := overload(t, sys, end)
			var released atomic.Bool
			m := o.mute(t, sys)
			for range 10 {
				do.Send(sys, m, func(*puppet, *actor.Context) {
					if !released.Load() {
						t.Error("a muted actor ran")
					}
				})
			}
			// The other worker is free, so any runnable actor would run.
			inside(t, sys, func(*actor.Context) {})
			released.Store(true)
			o.release()
			allUnmuted(t, sys)
			equal(t, "mutes", sys.Stats().Mutes, 1)
		})
	}
}

// TestMute_WaitsForMuted: Wait does not return while an actor is muted.
func TestMute_WaitsForMuted(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	m := o.mute(t, sys)
	var ran atomic.Bool
	do.Send(sys, m, func(*puppet, *actor.Context) { ran.Store(true) })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wants(t, sys.Wait(ctx), context.Canceled)
	waited := make(chan bool, 1)
	go func() { _ = sys.Wait(context.Background()); waited <- ran.Load() }()
	runtime.Gosched()
	o.release()
	equal(t, "the muted actor's message ran before Wait returned",
		receive(t, "Wait to return", waited), true)
}

// TestMute_Chain: senders to a muted actor are muted as well, and the chain is released from its
// end.
func TestMute_Chain(t *testing.T) {
	const length = 50
	sys := start(t, actor.WithWorkers(2), actor.Leeway(1))
	o := overload(t, sys)
	chain := []actor.Ref[puppet]{o.mute(t, sys)}
	for range length - 1 {
		next := chain[len(chain)-1]
		chain = append(chain, muteOn(t, sys, func(c *actor.Context) { count.Send(c, next, 1) }))
	}
	var ran atomic.Int64
	for _, r := range chain {
		do.Send(sys, r, func(*puppet, *actor.Context) { ran.Add(1) })
	}
	inside(t, sys, func(*actor.Context) {})
	equal(t, "messages of muted actors that ran", ran.Load(), 0)
	o.release()
	allUnmuted(t, sys)
	equal(t, "messages that ran", ran.Load(), length)
	equal(t, "mutes", sys.Stats().Mutes, length)
}

// TestMute_Fan: one sender waits for more receivers than a worker remembers. It goes on when the
// last of them has recovered.
func TestMute_Fan(t *testing.T) {
	const receivers = 7
	sys := start(t, actor.WithWorkers(receivers+1))
	var all []*overloaded
	for range receivers {
		all = append(all, overload(t, sys))
	}
	m := muteOn(t, sys, func(c *actor.Context) {
		for range 3 {
			for _, o := range all {
				slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
			}
		}
	})
	ran := make(chan struct{})
	do.Send(sys, m, func(*puppet, *actor.Context) { close(ran) })
	for i, o := range all {
		select {
		case <-ran:
			t.Fatalf("it ran after %d of %d had recovered", i, receivers)
		default:
		}
		o.release()
		if i < receivers-1 {
			eventually(t, "a receiver has recovered", func() bool {
				return slowDo.TrySend(sys, o.ref, func(*puppet, *actor.Context) {}) == nil
			})
		}
	}
	receive(t, "the muted actor to run", ran)
	allUnmuted(t, sys)
}

// TestMute_NeverTheOverloaded (TestBug_K33): "A sender that is itself overloaded … is
// never muted": it goes on although its receiver is stuck.
func TestMute_NeverTheOverloaded(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	const n = 20
	s := slowType.Spawn(sys, puppet{})
	first, last := make(chan struct{}), make(chan struct{})
	slowDo.Send(sys, s, func(*puppet, *actor.Context) { <-first })
	for i := range n {
		slowDo.Send(sys, s, func(_ *puppet, c *actor.Context) {
			slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
			if i == n-1 {
				close(last)
			}
		})
	}
	close(first)
	receive(t, "an overloaded sender to go on", last)
	o.release()
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
}

// TestMute_NeverBySelf: sending to itself mutes no actor, even an overloaded one.
func TestMute_NeverBySelf(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var run func(p *puppet, c *actor.Context)
	run = func(p *puppet, c *actor.Context) {
		if p.n++; p.n < 1000 {
			slowDo.Send(c, actor.Self[puppet](c), run)
			if p.n < 10 {
				slowDo.Send(c, actor.Self[puppet](c), func(*puppet, *actor.Context) {})
			}
		}
	}
	slowDo.Send(sys, slowType.Spawn(sys, puppet{}), run)
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
}

// TestMute_TrySendNever: TrySend "refuses instead of muting", from inside and from outside. The
// caller keeps the message, and there is no dead letter.
func TestMute_TrySendNever(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	o := overload(t, sys)
	inside(t, sys, func(c *actor.Context) {
		for range 10 {
			wants(t, slowDo.TrySend(c, o.ref, nil), actor.ErrOverloaded)
			wants(t, slowDo.To(o.ref).TrySend(c, nil), actor.ErrOverloaded)
		}
	})
	inside(t, sys, func(*actor.Context) {})
	o.release()
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
	equal(t, "dead letters", dead.n.Load(), 0)
	must(t, slowDo.TrySend(sys, o.ref, func(*puppet, *actor.Context) {}))
	quiet(t, sys)
}

// TestSendWait: SendWait waits while the receiver is overloaded. It returns when the message is in
// the mailbox, when ctx ends, or when the receiver ends.
func TestSendWait(t *testing.T) {
	t.Run("Recovers", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		o := overload(t, sys)
		var ran atomic.Int64
		const waiters = 10
		errs := make(chan error, waiters)
		for range waiters {
			go func() {
				errs <- slowDo.SendWait(soon(t), o.ref, func(*puppet, *actor.Context) { ran.Add(1) })
			}()
		}
		runtime.Gosched()
		equal(t, "sent", len(errs), 0)
		o.release()
		for range waiters {
			must(t, receive(t, "SendWait to return", errs))
		}
		quiet(t, sys)
		equal(t, "run", ran.Load(), waiters)
	})
	t.Run("Cancelled", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		o := overload(t, sys)
		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error, 1)
		go func() {
			errs <- slowDo.SendWait(ctx, o.ref, func(*puppet, *actor.Context) {
				t.Error("a message that was not sent ran")
			})
		}()
		runtime.Gosched()
		cancel()
		wants(t, receive(t, "SendWait to return", errs), context.Canceled)
		o.release()
		quiet(t, sys)
		wants(t, slowDo.SendWait(ctx, o.ref, nil), context.Canceled)
	})
	t.Run("ReceiverEnds", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		o := overload(t, sys, func(c *actor.Context) { c.Stop() })
		errs := make(chan error, 1)
		go func() { errs <- slowDo.SendWait(soon(t), o.ref, nil) }()
		runtime.Gosched()
		o.release()
		wants(t, receive(t, "SendWait to return", errs), actor.ErrStopped)
	})
	t.Run("SystemStops", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2), actor.Leeway(0))
		o := overload(t, sys)
		m := o.mute(t, sys)
		errs := make(chan error, 2)
		go func() { errs <- slowDo.SendWait(soon(t), o.ref, nil) }()
		go func() { errs <- count.SendWait(soon(t), m, 1) }()
		runtime.Gosched()
		go sys.Stop()
		eventually(t, "the system stops", func() bool {
			_, err := sys.Hold()
			return errors.Is(err, actor.ErrSystemStopped)
		})
		o.release()
		wants(t, receive(t, "SendWait to return", errs), actor.ErrSystemStopped)
		wants(t, receive(t, "SendWait to return", errs), actor.ErrSystemStopped)
	})
}

// TestDrain_OfMuted: an actor sends to a muted actor that drains. It gets ErrStopped, and is not
// told to wait. This also holds after the draining actor has run an urgent message and is muted
// again.
func TestDrain_OfMuted(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	r := mortalType.Spawn(sys, mortal{})
	muted := func() { eventually(t, "it is muted", func() bool { return actor.Muted(r) }) }
	doAct.Send(sys, r, func(_ *mortal, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
	muted()
	actor.Drain(sys, r)
	ran := make(chan struct{})
	rush.Send(sys, r, func(*mortal, *actor.Context) { close(ran) })
	receive(t, "the urgent message", ran)
	muted()
	wants(t, doAct.TrySend(sys, r, nothing), actor.ErrStopped)
	o.release()
	allUnmuted(t, sys)
}

// TestStop_OfMuted: an actor that is stopped while it is muted ends when it is unmuted, and its
// mail becomes dead letters. A system that is stopped ends its muted actors too.
func TestStop_OfMuted(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	o := overload(t, sys)
	m := o.mute(t, sys)
	m2 := o.mute(t, sys)
	do.Send(sys, m, func(*puppet, *actor.Context) { t.Error("a stopped actor ran") })
	do.Send(sys, m2, func(*puppet, *actor.Context) { t.Error("an actor of a stopped system ran") })
	actor.Stop(sys, m)
	n := dead.n.Load()
	done := make(chan struct{})
	go func() { sys.Stop(); close(done) }()
	eventually(t, "the system refuses", func() bool {
		return errors.Is(count.TrySend(sys, m, 0), actor.ErrSystemStopped) ||
			count.TrySend(sys, puppetType.Spawn(sys, puppet{}), 0) != nil
	})
	o.release()
	receive(t, "Stop to return", done)
	if got := dead.n.Load() - n; got < 4 { // one of m, one of m2, three of o
		t.Errorf("%d dead letters", got)
	}
	st := sys.Stats()
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}

// flooder is a producer that sends many messages, at most 1,000 a behaviour.
type flooder struct {
	to   actor.Ref[slowpoke]
	left int
	sent *atomic.Int64
}

func (f *flooder) Flood(c *actor.Context, _ struct{}) {
	n := min(f.left, 1000)
	f.left -= n
	for range n {
		consume.Send(c, f.to, 1)
	}
	f.sent.Add(int64(n))
	if f.left > 0 {
		flood.Send(c, actor.Self[flooder](c), struct{}{})
	}
}

// slowpoke is slower than any of its producers, and records how much mail it has.
type slowpoke struct {
	sent      *atomic.Int64
	run, most int64
	work      uint64
}

func (s *slowpoke) Consume(_ *actor.Context, n int) {
	s.run++
	s.most = max(s.most, s.sent.Load()-s.run)
	for range 100 {
		s.work = s.work*6364136223846793005 + uint64(n)
	}
}

func (s *slowpoke) Most(_ *actor.Context, _ struct{}) ([2]int64, error) {
	return [2]int64{s.run, s.most}, nil
}

var (
	flooderType  = actor.NewType[flooder]("flooder")
	flood        = actor.Declare[struct{}](flooderType, "flood")
	_            = flooderType.Table(flood.Handle((*flooder).Flood))
	slowpokeType = actor.NewType[slowpoke]("slowpoke")
	consume      = actor.Declare[int](slowpokeType, "consume")
	most         = actor.DeclareAsk[struct{}, [2]int64](slowpokeType, "most")
	_            = slowpokeType.Table(consume.Handle((*slowpoke).Consume),
		most.Handle((*slowpoke).Most))
)

// TestMute_BoundsTheHeap: "2 M sends to a slow actor from 8 producer actors (at most 1,000 a
// behaviour) keep the heap bounded", and all messages run.
func TestMute_BoundsTheHeap(t *testing.T) {
	const producers = 8
	each := scaled(250_000)
	// Checks make it ten times slower. But three behaviours may be over before any actor is
	// overloaded.
	if invariant.On {
		each = max(each/10, 10_000)
	}
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		heap := func() uint64 {
			runtime.GC()
			runtime.GC() // the memory that the pools release survives the first collection
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		var sent atomic.Int64
		to := slowpokeType.Spawn(sys, slowpoke{sent: &sent})
		for range producers {
			flood.Send(sys, flooderType.Spawn(sys, flooder{to, each, &sent}), struct{}{})
		}
		quiet(t, sys)
		after := heap()
		got, err := most.Ask(soon(t), to, struct{}{})
		must(t, err)
		st := sys.Stats()
		t.Logf("at most %d queued, %d mutes, heap %d kB → %d kB", got[1], st.Mutes, before>>10, after>>10)
		equal(t, "messages run", got[0], int64(producers*each))
		equal(t, "unmutes", st.Unmutes, st.Mutes)
		if figures && st.Mutes == 0 {
			t.Error("nobody was muted")
		}
		if limit := mostQueued(producers, each); figures && got[1] > limit {
			t.Errorf("at most %d queued, want at most %d", got[1], limit)
		}
		if figures && after > before && after-before > 32<<20 {
			t.Errorf("the heap grew by %d kB", (after-before)>>10)
		}
		runtime.KeepAlive(to)
	})
}

// mostQueued returns how many messages may wait at once. Each producer runs a few times before the
// receiver has its turn and shuts its gate: on one worker 24,000 messages wait then, and 120,000 if
// there are more workers than processors. But before that the machine may halt the receiver's
// thread, or the whole process, for some milliseconds, while another worker, or a stand-in for one,
// runs the senders. Half of all messages is far beyond that.
func mostQueued(producers, each int) int64 {
	return max(int64(producers*each/2), 300_000)
}

// TestSend_IsPaidFor: a behaviour that sends many more messages than it receives brings the next
// time at which its worker reads the clock nearer. Without that, after quick turns, such behaviours
// kept the processor from the process's other goroutines for 20 ms, and a receiver whose worker was
// halted got a million messages meanwhile.
func TestSend_IsPaidFor(t *testing.T) {
	const most = 4096 // the most that a worker may do between two readings
	sys := start(t, actor.WithWorkers(1))
	to := slowpokeType.Spawn(sys, slowpoke{sent: new(atomic.Int64)})
	before, left := 0, 0
	for range 20 { // the budget may have been used up before
		inside(t, sys, func(c *actor.Context) {
			before = actor.BudgetOf(c)
			for range 3 * most {
				consume.Send(c, to, 1)
			}
			left = actor.BudgetOf(c)
		})
		if before > 1 {
			break
		}
	}
	if before == 1 {
		t.Error("there was never any credit")
	}
	equal(t, "credit left", left, 1)
	quiet(t, sys)
}

// TestMute_BoundsTheQueue: the bound if nothing halts a thread, in deterministic runs. With one
// worker, a producer has two turns before the receiver has spent its first batch, and one more
// behaviour whenever the receiver has caught up.
func TestMute_BoundsTheQueue(t *testing.T) {
	const producers, each = 8, 5000
	for seed := range uint64(10) {
		if seed > 2 && invariant.On { // ten times slower
			break
		}
		sys := start(t, actor.WithDeterministic(seed+1), actor.WithWorkers(1))
		var sent atomic.Int64
		to := slowpokeType.Spawn(sys, slowpoke{sent: &sent})
		for range producers {
			flood.Send(sys, flooderType.Spawn(sys, flooder{to, each, &sent}), struct{}{})
		}
		quiet(t, sys)
		got, err := most.Ask(soon(t), to, struct{}{})
		must(t, err)
		equal(t, "messages run", got[0], int64(producers*each))
		if got[1] > 2*producers*1000 {
			t.Errorf("seed %d: %d queued, want at most two behaviours of each producer", seed+1, got[1])
		}
	}
}

// TestSendWait_AllRun: senders from outside, with SendWait and with TrySend. Each accepted message
// runs.
func TestSendWait_AllRun(t *testing.T) {
	const producers = 4
	each := scaled(50_000)
	sys := start(t, actor.WithWorkers(2))
	var sent atomic.Int64
	to := slowpokeType.Spawn(sys, slowpoke{sent: &sent})
	ctx := soon(t)
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for range each {
				if p%2 == 0 {
					must(t, consume.SendWait(ctx, to, 1))
				} else {
					for errors.Is(consume.TrySend(sys, to, 1), actor.ErrOverloaded) {
						runtime.Gosched()
					}
				}
				sent.Add(1)
			}
		})
	}
	wg.Wait()
	quiet(t, sys)
	got, err := most.Ask(ctx, to, struct{}{})
	must(t, err)
	t.Logf("at most %d queued", got[1])
	equal(t, "messages run", got[0], int64(producers*each))
}

// TestStatus: "Status returns the state of the actor at this moment."
func TestStatus(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	equal(t, "an overloaded actor", o.ref.Status(), actor.StatusOverloaded)
	o.release()
	stay, at := make(chan struct{}), make(chan struct{})
	p := puppetType.Spawn(sys, puppet{})
	equal(t, "a new actor", p.Status(), actor.StatusIdle)
	do.Send(sys, p, func(*puppet, *actor.Context) { close(at); <-stay })
	receive(t, "the behaviour", at)
	equal(t, "an actor at work", p.Status(), actor.StatusBusy)
	close(stay)
	quiet(t, sys)
	equal(t, "an actor that is done", p.Status(), actor.StatusIdle)
	equal(t, "one that has recovered", o.ref.Status(), actor.StatusIdle)
	actor.Stop(sys, p)
	quiet(t, sys)
	equal(t, "an actor that has ended", p.Status(), actor.StatusEnded)
	for s, want := range map[actor.Status]string{actor.StatusIdle: "idle", actor.StatusBusy: "busy",
		actor.StatusOverloaded: "overloaded", actor.StatusEnded: "ended", 99: "unknown", -1: "unknown"} {
		equal(t, "name", s.String(), want)
	}
}
