package bridge_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/internal/kernel"
)

// fromChan opens a bridge to a new puppet.
func fromChan(t testing.TB, sys *actor.System, ch <-chan int) (p actor.Ref[puppet], stop func()) {
	p = puppetType.Spawn(sys, puppet{})
	_, err := try.Ask(soon(t), p, func(_ *puppet, c *actor.Context) (any, error) {
		stop = bridge.FromChan(c, ch, count)
		return nil, nil
	})
	must(t, err)
	return p, stop
}

// goroutines returns how many goroutines of FromChan and ToChan have not ended.
func goroutines(sys *actor.System) int {
	if b := kernel.SystemOf(sys).Bridges.Load(); b != nil {
		return int(b.Left.Load())
	}
	return 0
}

// stopHandler stops the actor of a handler that ToChan has returned.
func stopHandler[M any](sys *actor.System, h actor.Handler[M]) {
	r, _ := kernel.ReceiverOf(h)
	actor.Stop(sys, actor.AnyRef(r.B.Ref()))
}

// TestFromChan: "sends the values that it receives from ch to the running actor … until … ch is
// closed"; "An open channel holds the system, since more values may come".
func TestFromChan(t *testing.T) {
	sys := start(t)
	ch := make(chan int)
	p, _ := fromChan(t, sys, ch)
	ended := make(chan error, 1)
	go func() { ended <- sys.Wait(soon(t)) }()
	for range 1000 {
		ch <- 1
	}
	equal(t, "waits that have ended", len(ended), 0)
	close(ch)
	must(t, receive(t, "Wait to return", ended))
	n, err := value.Ask(soon(t), p, struct{}{})
	must(t, err)
	equal(t, "messages", n, 1000)
}

// TestFromChan_Ends: FromChan ends with the actor, with stop, with Shutdown and with Stop. "After
// that no more values are received".
func TestFromChan_Ends(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, p actor.Ref[puppet], stop func()){
		"actor": func(sys *actor.System, p actor.Ref[puppet], _ func()) { actor.Stop(sys, p) },
		"panic": func(sys *actor.System, p actor.Ref[puppet], _ func()) {
			do.Send(sys, p, func(*puppet, *actor.Context) { panic("on purpose") })
		},
		"stop": func(_ *actor.System, _ actor.Ref[puppet], stop func()) { stop(); stop() },
		"Shutdown": func(sys *actor.System, _ actor.Ref[puppet], _ func()) {
			_ = sys.Shutdown(context.Background())
		},
		"System.Stop": func(sys *actor.System, _ actor.Ref[puppet], _ func()) { sys.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t)
			ch := make(chan int, 1)
			p, stop := fromChan(t, sys, ch)
			end(sys, p, stop)
			if name != "System.Stop" {
				_ = sys.Wait(soon(t)) // the goroutine has gone: it held the system
				ch <- 1
				equal(t, "values left in the channel", len(ch), 1)
			}
		})
	}
}

// TestFromChan_OfWhoLeaves: "If the actor takes no mail any more, since it drains or its OnStop
// runs, FromChan receives nothing."
func TestFromChan_OfWhoLeaves(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	ch := make(chan int, 100)
	for i := range cap(ch) {
		ch <- i
	}
	begun, goOn := make(chan struct{}), make(chan struct{})
	p := puppetType.Spawn(sys, puppet{})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		close(begun)
		<-goOn
		actor.Drain(c, actor.Self[puppet](c))
	})
	do.Send(sys, p, func(*puppet, *actor.Context) {})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { bridge.FromChan(c, ch, count)() })
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { bridge.FromChan(c, ch, count) })
	do.Send(sys, p, func(*puppet, *actor.Context) {
		for range 1000 { // time in which the channel would be read
			runtime.Gosched()
		}
	})
	receive(t, "the turn", begun)
	close(goOn)
	quiet(t, sys)
	equal(t, "values left in the channel", len(ch), cap(ch))
}

// TestFromChan_BackPressure: "While the actor is overloaded, the goroutine receives at most one
// value, so that senders to ch wait"; every value runs once.
func TestFromChan_BackPressure(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	ch := make(chan deed)
	var ran atomic.Int64
	slowDo.Send(sys, o.ref, func(_ *puppet, c *actor.Context) { bridge.FromChan(c, ch, slowDo) })
	p := slowType.Spawn(sys, puppet{})
	slowDo.Send(sys, p, func(_ *puppet, c *actor.Context) { bridge.FromChan(c, ch, slowDo) })
	go func() {
		for range 1000 {
			ch <- func(*puppet, *actor.Context) { ran.Add(1) }
		}
		close(ch)
	}()
	o.release()
	quiet(t, sys)
	equal(t, "values that ran", ran.Load(), 1000)

	stuck := overload(t, sys)
	full := make(chan deed, 10)
	slowDo.Send(sys, stuck.ref, func(_ *puppet, c *actor.Context) { bridge.FromChan(c, full, slowDo) })
	stuck.release()
	quietHolds := func() bool { return sys.Stats().Messages > 0 }
	equal(t, "the system works", quietHolds(), true)
	close(full)
	quiet(t, sys)
}

// TestFromChan_Conservation: the actor may end at any moment. Each value that was received has run
// or is a dead letter.
func TestFromChan_Conservation(t *testing.T) {
	for round := range scaled(300) {
		var dead letters
		sys := start(t, actor.WithWorkers(1+round%3), dead.option())
		ch := make(chan int)
		p, _ := fromChan(t, sys, ch)
		over := make(chan struct{})
		var put atomic.Int64
		var writer sync.WaitGroup
		writer.Go(func() {
			for {
				select {
				case ch <- 1:
					put.Add(1)
				case <-over:
					return
				}
			}
		})
		eventually(t, "the first value", func() bool { return put.Load() > int64(round%50) })
		actor.Stop(sys, p)
		quiet(t, sys)
		close(over)
		writer.Wait()
		ran := int64(sys.Stats().Messages) - 1 // without the message that opened the bridge
		equal(t, "values run or dead", ran+dead.n.Load(), put.Load())
		sys.Stop()
	}
}

// TestToChan: "sends its messages to ch, in the order in which they come"; "the actors that send to
// it are muted until there is room again".
func TestToChan(t *testing.T) {
	for _, room := range []int{0, 1, 1000} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			sys := start(t)
			ch := make(chan int, room)
			out := bridge.ToChan(sys, ch)
			n, next := 1000, 0
			var enough atomic.Bool // until it is muted, if there is no room
			enough.Store(room > 0)
			var send deed
			send = func(_ *puppet, c *actor.Context) {
				out.Send(c, next)
				if next++; next < n || !enough.Load() {
					do.Send(c, actor.Self[puppet](c), send)
				}
			}
			do.Send(sys, puppetType.Spawn(sys, puppet{}), send)
			if room == 0 {
				eventually(t, "the sender to be muted", func() bool { return sys.Stats().Mutes > 0 })
				n = max(n, next+1) // one more is on its way
				enough.Store(true)
			}
			for i := range n {
				equal(t, "value", receive(t, "a value", ch), i)
			}
			quiet(t, sys)
			must(t, sys.Run())
			close(ch) // "Its maker may close it when Run … has returned"
		})
	}
}

// TestToChan_Stop: "Stop makes dead letters of the messages that wait", and of no others.
func TestToChan_Stop(t *testing.T) {
	for _, end := range []string{"system", "actor"} {
		t.Run(end, func(t *testing.T) {
			var dead letters
			sys := start(t, dead.option())
			ch := make(chan int)
			out := bridge.ToChan(sys, ch)
			for i := range 200 {
				out.Send(sys, i)
			}
			equal(t, "the first", receive(t, "a value", ch), 0)
			if end == "system" {
				sys.Stop()
			} else {
				stopHandler(sys, out)
			}
			taken := 1
			eventually(t, "the rest to be dead letters", func() bool {
				select {
				case <-ch: // the goroutine may still choose the channel
					taken++
				default:
				}
				return dead.n.Load()+int64(taken) >= 200
			})
			equal(t, "values taken or dead", dead.n.Load()+int64(taken), 200)
		})
	}
}

// TestToChan_StopLeavesNothing: "all other mail becomes dead letters. It blocks until that has
// happened", also for messages that wait for room in a channel without a reader.
func TestToChan_StopLeavesNothing(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"": {actor.WithWorkers(2)},
		"Seed": {actor.WithDeterministic(1)}} {
		t.Run(name, func(t *testing.T) {
			for range scaled(50) {
				var dead letters
				sys := start(t, append(opts, dead.option())...)
				out := bridge.ToChan(sys, make(chan int))
				for i := range 200 {
					out.Send(sys, i)
				}
				inside(t, sys, func(*actor.Context) {})
				sys.Stop()
				equal(t, "dead letters when Stop has returned", dead.n.Load(), 200)
			}
		})
	}
}

// TestFromChan_StopLeavesNothing: the same for a value that was received from a channel and waits
// for an actor that accepts no mail.
func TestFromChan_StopLeavesNothing(t *testing.T) {
	for range scaled(50) {
		var dead letters
		sys := start(t, actor.WithWorkers(2), dead.option())
		ch := make(chan int)
		p := puppetType.Spawn(sys, puppet{})
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			c.ApplyPressure()
			for range 20 {
				bridge.FromChan(c, ch, count)
			}
		})
		for range 20 {
			ch <- 1
		}
		eventually(t, "all to wait for a place", func() bool { return kernel.AnyRef(p).Cell().FlowOf().Permits.Waiting() == 20 })
		sys.Stop()
		equal(t, "dead letters when Stop has returned", dead.n.Load(), 20)
	}
}

// TestBridges_StopInADeterministicRun: if bridges wait for a channel when the system stops, they
// still get their turns until they have ended. An earlier Stop waited for them and kept them from
// running.
func TestBridges_StopInADeterministicRun(t *testing.T) {
	for seed := range uint64(8) {
		var dead letters
		sys := start(t, actor.WithDeterministic(seed), dead.option())
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			bridge.FromChan(c, make(chan int), count)
			bridge.ToChan(c, make(chan int)).Send(c, 1)
		})
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond) // both have begun
		wants(t, sys.Wait(ctx), context.DeadlineExceeded)
		cancel()
		sys.Stop()
		equal(t, "dead letters when Stop has returned", dead.n.Load(), 1)
	}
}

// TestBridges_OpenedWhileStopping: a behaviour that runs while the system stops may still open
// bridges. The stop waits for their goroutines, for all kinds of workers.
func TestBridges_OpenedWhileStopping(t *testing.T) {
	for name, k := range map[string]struct {
		typ *actor.Type[puppet]
		do  actor.Behaviour[puppet, deed]
	}{"Worker": {puppetType, do}, "Pinned": {pinnedType, pinnedDo}} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(1), dead.option())
			begun, stopped := make(chan struct{}), make(chan struct{})
			k.do.Send(sys, k.typ.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				close(begun)
				eventually(t, "the stop", func() bool { return kernel.SystemOf(sys).Sched.Stopping() })
				bridge.FromChan(c, make(chan deed), k.do)
				bridge.ToChan(c, make(chan int)).Send(c, 1)
			})
			receive(t, "the turn", begun)
			go func() { sys.Stop(); close(stopped) }()
			receive(t, "Stop to return", stopped)
			equal(t, "dead letters", dead.n.Load(), 1)
		})
	}
}

// TestToChan_Closed: a channel that is closed too early ends the actor, and not the process. The
// actor itself or its goroutine may be sending at that time.
func TestToChan_Closed(t *testing.T) {
	if raceDetector {
		// The race detector reports the close of a channel during a send.
		t.Skip("a race by itself")
	}
	for name, opts := range map[string][]actor.Option{"": nil, "seed": {actor.WithDeterministic(1)}} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			var crash atomic.Int64
			sys := start(t, append(opts, dead.option(),
				actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {
					crash.Add(1)
				}}))...)
			ch := make(chan int)
			out := bridge.ToChan(sys, ch)
			for i := range 100 {
				out.Send(sys, i)
			}
			taken := 0
			if opts == nil {
				receive(t, "a value", ch)
				taken = 1
			}
			inside(t, sys, func(*actor.Context) { close(ch) })
			quiet(t, sys)
			equal(t, "panics", crash.Load(), 1)
			equal(t, "dead letters", dead.n.Load(), int64(99-taken))
		})
	}
}

// TestFromChan_Stopped: "After that no more values are received, except for one value".
func TestFromChan_Stopped(t *testing.T) {
	sys := start(t)
	for range scaled(500) {
		ch := make(chan int, 100)
		for range cap(ch) {
			ch <- 1
		}
		var left int
		inside(t, sys, func(c *actor.Context) {
			stop := bridge.FromChan(c, ch, count)
			stop()
			left = len(ch)
		})
		quiet(t, sys)
		if taken := left - len(ch); taken > 1 {
			t.Fatalf("%d values were taken afterwards", taken)
		}
	}
}

// TestMisuse_OfBridges: the panics that the doc comments promise.
func TestMisuse_OfBridges(t *testing.T) {
	sys := start(t)
	panics(t, "ToChan: a nil channel", func() { bridge.ToChan[int](sys, nil) })
	inside(t, sys, func(c *actor.Context) {
		panics(t, "FromChan: a nil channel for puppet.count", func() { bridge.FromChan(c, nil, count) })
		panics(t, "slow.do is not one of puppet#", func() { bridge.FromChan(c, make(chan deed), slowDo) })
	})
	quiet(t, sys)
	panics(t, "Status of a zero Ref", func() { actor.Ref[puppet]{}.Status() })
	ctx := context.Background()
	panics(t, "a zero AskBehaviour", func() {
		_, _ = bridge.AskAll(ctx, actor.AskBehaviour[puppet, int, int]{}, nil, 1)
	})
	panics(t, "puppet.value sent to a zero Ref", func() {
		_, _ = bridge.AskAll(ctx, value, []actor.Ref[puppet]{{}}, struct{}{})
	})
}

// TestFromChan_AgainInOrder: "If FromChan is called again for the same behaviour, after a stop or a
// restart, it receives nothing until the value that was on its way is in the mailbox": for all
// kinds of actors, and for any order of the goroutines.
func TestFromChan_AgainInOrder(t *testing.T) {
	for name, opts := range map[string][]actor.TypeOption{
		"plain": nil, "bounded": {actor.WithBound(1,
			actor.OverflowMute)}, "watermarks": {actor.WithWatermarks(2, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				readAgain(t, start(t, actor.WithDeterministic(seed)), opts)
			}
			for range 20 {
				readAgain(t, start(t, actor.WithWorkers(2)), opts)
			}
		})
	}
}

// readAgain makes an actor call FromChan again after each third value.
func readAgain(t *testing.T, sys *actor.System, opts []actor.TypeOption) {
	const n = 60
	var got []int
	var stop func()
	ch := numbers(n)
	typ := actor.NewType[int]("reader", opts...)
	open, read := actor.Declare[struct{}](typ, "open"), actor.Declare[int](typ, "read")
	typ.Table(
		open.Handle(func(_ *int, c *actor.Context, _ struct{}) { stop = bridge.FromChan(c, ch, read) }),
		read.Handle(func(_ *int, c *actor.Context, v int) {
			if got = append(got, v); v%3 == 2 {
				stop()
				stop = bridge.FromChan(c, ch, read)
			}
		}))
	open.Send(sys, typ.Spawn(sys, 0), struct{}{})
	quiet(t, sys)
	if len(got) != n || !slices.IsSorted(got) {
		t.Errorf("out of the channel came %v", got)
	}
}

// numbers returns a closed channel with the numbers below n.
func numbers(n int) <-chan int {
	ch := make(chan int, n)
	for i := range n {
		ch <- i
	}
	close(ch)
	return ch
}

// TestFromChan_AgainBehindARestart: an actor that calls FromChan in OnStart gets the values in
// order through all its lives.
func TestFromChan_AgainBehindARestart(t *testing.T) {
	const n = 60
	for seed := range uint64(20) {
		sys, ch := start(t, actor.WithDeterministic(seed),
			actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}})), numbers(n)
		var got []int
		typ := actor.NewType[int]("reader")
		read := actor.Declare[int](typ, "read")
		typ.Table(read.Handle(func(_ *int, _ *actor.Context, v int) {
			if got = append(got, v); v%5 == 4 {
				panic("on purpose")
			}
		})).OnStart(func(_ *int, c *actor.Context) error { bridge.FromChan(c, ch, read); return nil })
		parentType := actor.NewType[int]("parent")
		spawn := actor.Declare[struct{}](parentType, "spawn")
		fell := actor.Declare[kernel.ChildDown](parentType, "fell")
		parentType.Table(
			spawn.Handle(func(_ *int, c *actor.Context, _ struct{}) {
				kernel.SpawnUnder(kernel.TurnOf(c), (*kernel.AnyType)(typ).Info(), func(*int) {},
					kernel.ChildOptions{Down: kernel.AnyBehaviour(fell).Descriptor()})
			}),
			fell.Handle(func(_ *int, c *actor.Context, down kernel.ChildDown) {
				if !down.Final {
					down.Ref.Restart(kernel.EnvOf(c))
				}
			}))
		spawn.Send(sys, parentType.Spawn(sys, 0), struct{}{})
		quiet(t, sys)
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("seed %d: out of the channel came %v", seed, got)
		}
	}
}

// TestFromChan_AgainAndAgain: FromChan is called again while a value is on its way to an actor
// under pressure, which accepts none. No goroutine is left waiting, and the system can end.
func TestFromChan_AgainAndAgain(t *testing.T) {
	const n = 100
	for seed := range uint64(20) {
		for _, opt := range []actor.Option{actor.WithDeterministic(seed), actor.WithWorkers(2)} {
			sys, ch := start(t, opt), numbers(2)
			p := puppetType.Spawn(sys, puppet{})
			in := func(f func(*actor.Context)) {
				_, err := try.Ask(soon(t), p, func(_ *puppet, c *actor.Context) (any, error) {
					f(c)
					return nil, nil
				})
				must(t, err)
			}
			var stop func()
			in(func(c *actor.Context) { c.ApplyPressure(); stop = bridge.FromChan(c, ch, count) })
			for range n {
				in(func(c *actor.Context) { stop(); stop = bridge.FromChan(c, ch, count) })
			}
			eventually(t, "those that wait in line, and are over, to go", func() bool {
				in(func(*actor.Context) {})
				return goroutines(sys) <= n/2
			})
			sys.Stop()
		}
	}
}

// TestBug_3382_ToChan: the reader of a channel of ToChan asks the actor that sends to it, before it
// reads on, and that actor is muted because the channel is full: "no actor is muted for ever".
func TestBug_3382_ToChan(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	ch := make(chan int)
	out := bridge.ToChan(sys, ch)
	a := puppetType.Spawn(sys, puppet{})
	var sent atomic.Int64
	var send deed
	send = func(_ *puppet, c *actor.Context) {
		out.Send(c, int(sent.Add(1)))
		if sent.Load() < 1000 {
			do.Send(c, actor.Self[puppet](c), send)
		}
	}
	const before = 70 // more than the 64 that may wait
	for range before {
		out.Send(sys, int(sent.Add(1)))
	}
	eventually(t, "senders to be held up", func() bool { return sys.Stats().Messages >= before })
	do.Send(sys, a, send)
	eventually(t, "the sender to be muted", func() bool { return sys.Stats().Mutes > 0 })
	if _, err := value.Ask(soon(t), a, struct{}{}); err != nil {
		t.Errorf("the question: %v", err)
	}
	for i := range 1000 {
		equal(t, "value", receive(t, "a value", ch), i+1)
	}
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}

// TestToChan_PressedAgain: the signal that there is room comes when there is none any more. Senders
// are muted all the same. The signal does not count as a message of the user's.
func TestToChan_PressedAgain(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	ch := make(chan int)
	out := bridge.ToChan(sys, ch)
	for i := range 70 {
		out.Send(sys, i)
	}
	eventually(t, "senders to be held up", func() bool { return sys.Stats().Messages >= 70 })
	bridge.TellOfRoom(out) // late, as if pressure had been applied again
	w := puppetType.Spawn(sys, puppet{})
	var goesOn atomic.Bool
	do.Send(sys, w, func(_ *puppet, c *actor.Context) { out.Send(c, 70) })
	do.Send(sys, w, func(*puppet, *actor.Context) { goesOn.Store(true) })
	eventually(t, "the sender to be muted, or not", func() bool {
		return goesOn.Load() || sys.Stats().Mutes >= 1
	})
	equal(t, "the sender goes on", goesOn.Load(), false)
	for range 71 {
		receive(t, "a value", ch)
	}
	quiet(t, sys)
	equal(t, "messages", sys.Stats().Messages, 71+2)
}
