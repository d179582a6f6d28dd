package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// fromChan opens a bridge to a new puppet.
func fromChan(t testing.TB, sys *actor.System, ch <-chan int) (p actor.Ref[puppet], stop func()) {
	p = puppetType.Spawn(sys, puppet{})
	_, err := try.Ask(soon(t), p, func(_ *puppet, c *actor.Context) (any, error) {
		stop = actor.FromChan(c, ch, count)
		return nil, nil
	})
	must(t, err)
	return p, stop
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
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { actor.FromChan(c, ch, count)() })
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { actor.FromChan(c, ch, count) })
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
	slowDo.Send(sys, o.ref, func(_ *puppet, c *actor.Context) { actor.FromChan(c, ch, slowDo) })
	p := slowType.Spawn(sys, puppet{})
	slowDo.Send(sys, p, func(_ *puppet, c *actor.Context) { actor.FromChan(c, ch, slowDo) })
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
	slowDo.Send(sys, stuck.ref, func(_ *puppet, c *actor.Context) { actor.FromChan(c, full, slowDo) })
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
			out := actor.ToChan(sys, ch)
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
			out := actor.ToChan(sys, ch)
			for i := range 200 {
				out.Send(sys, i)
			}
			equal(t, "the first", receive(t, "a value", ch), 0)
			if end == "system" {
				sys.Stop()
			} else {
				actor.StopHandler(sys, out)
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
				out := actor.ToChan(sys, make(chan int))
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
				actor.FromChan(c, ch, count)
			}
		})
		for range 20 {
			ch <- 1
		}
		eventually(t, "all to wait for a place", func() bool { return actor.Waiting(p) == 20 })
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
			actor.FromChan(c, make(chan int), count)
			actor.ToChan(c, make(chan int)).Send(c, 1)
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
				eventually(t, "the stop", func() bool { return actor.SystemStopping(sys) })
				actor.FromChan(c, make(chan deed), k.do)
				actor.ToChan(c, make(chan int)).Send(c, 1)
			})
			receive(t, "the turn", begun)
			go func() { sys.Stop(); close(stopped) }()
			receive(t, "Stop to return", stopped)
			equal(t, "dead letters", dead.n.Load(), 1)
		})
	}
}

// TestPipe_Stops: a function that Pipe runs may stop the system, which does not wait for it.
func TestPipe_Stops(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	stopped := make(chan struct{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, reply, func(context.Context) (int, error) {
			sys.Stop()
			close(stopped)
			return 1, nil
		})
	})
	receive(t, "Stop to return", stopped)
	eventually(t, "its result to be a dead letter", func() bool { return dead.n.Load() == 1 })
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
			out := actor.ToChan(sys, ch)
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
			stop := actor.FromChan(c, ch, count)
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
	panics(t, "ToChan: a nil channel", func() { actor.ToChan[int](sys, nil) })
	inside(t, sys, func(c *actor.Context) {
		panics(t, "FromChan: a nil channel for puppet.count", func() { actor.FromChan(c, nil, count) })
		panics(t, "slow.do is not one of puppet#", func() { actor.FromChan(c, make(chan deed), slowDo) })
	})
	quiet(t, sys)
	panics(t, "Status of a zero Ref", func() { actor.Ref[puppet]{}.Status() })
	ctx := context.Background()
	panics(t, "a zero AskBehaviour", func() {
		_, _ = actor.AskAll(ctx, actor.AskBehaviour[puppet, int, int]{}, nil, 1)
	})
	panics(t, "puppet.value sent to a zero Ref", func() {
		_, _ = actor.AskAll(ctx, value, []actor.Ref[puppet]{{}}, struct{}{})
	})
}

// puppets spawns n puppets, whose states are 0 to n-1.
func puppets(sys *actor.System, n int) []actor.Ref[puppet] {
	list := make([]actor.Ref[puppet], n)
	for i := range list {
		list[i] = puppetType.Spawn(sys, puppet{n: i})
	}
	return list
}

// TestAskAll: "blocks until all have replied, and returns the replies in the order of
// the refs"; "gives up at the first error … and returns it".
func TestAskAll(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 100)
	got, err := actor.AskAll(soon(t), value, list, struct{}{})
	must(t, err)
	for i, n := range got {
		equal(t, "reply", n, i)
	}
	none, err := actor.AskAll(soon(t), value, nil, struct{}{})
	must(t, err)
	equal(t, "replies of nobody", len(none), 0)

	stuck := make(chan struct{})
	defer close(stuck)
	do.Send(sys, list[0], func(*puppet, *actor.Context) { <-stuck })
	fault := errors.New("a fault")
	do.Send(sys, list[50], func(p *puppet, _ *actor.Context) { p.note = fault })
	_, err = actor.AskAll(soon(t), try, list[:51], func(p *puppet, _ *actor.Context) (any, error) {
		err, _ := p.note.(error)
		return nil, err
	})
	wants(t, err, fault) // though the first is stuck
}

// TestReplies_HaveCome: outcomes that have come before ctx ends do not have ctx's error.
func TestReplies_HaveCome(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 8)
	for range 20 {
		ctx, cancel := context.WithCancel(soon(t))
		first := true
		for _, res := range actor.Replies(ctx, value, list, struct{}{}) {
			if first {
				first = false
				quiet(t, sys) // all have answered
				cancel()
			}
			must(t, res.Err)
		}
		cancel()
	}
}

// TestReplies: "the outcome of every request, with the actor that was asked, in the order in which
// the outcomes come in. The outcomes that are still missing have … ctx's error, when ctx ends".
func TestReplies(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 10)
	actor.Stop(sys, list[3])
	do.Send(sys, list[4], func(*puppet, *actor.Context) { panic("on purpose") })
	quiet(t, sys)
	stuck := make(chan struct{})
	do.Send(sys, list[0], func(*puppet, *actor.Context) { <-stuck })
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	var order []actor.Ref[puppet]
	for r, res := range actor.Replies(ctx, value, list, struct{}{}) {
		order = append(order, r)
		i := slices.Index(list, r)
		switch {
		case i == 0:
			wants(t, res.Err, context.Canceled)
		case i == 3 || i == 4:
			wants(t, res.Err, actor.ErrStopped)
		default:
			must(t, res.Err)
			equal(t, "reply", res.Value, i)
		}
		if len(order) == 9 {
			cancel()
		}
	}
	equal(t, "outcomes", len(order), 10)
	equal(t, "the last", order[9], list[0])
	close(stuck)
	for r := range actor.Replies(soon(t), value, list, struct{}{}) {
		equal(t, "one that was asked", slices.Contains(list, r), true)
		break // "Replies that come after the end of the loop are discarded."
	}
	quiet(t, sys)
	inside(t, sys, func(c *actor.Context) {
		_, err := actor.AskAll(context.Background(), value, []actor.Ref[puppet]{actor.Self[puppet](c)},
			struct{}{})
		wants(t, err, actor.ErrDeadlock)
	})
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

// TestAskAll_EndedBefore: "If ctx had ended before the call, no request is sent", nor by
// Replies.
func TestAskAll_EndedBefore(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	sys := start(t)
	list := puppets(sys, 3)
	_, err := actor.AskAll(ended, value, list, struct{}{})
	wants(t, err, context.Canceled)
	n := 0
	for _, res := range actor.Replies(ended, value, list, struct{}{}) {
		wants(t, res.Err, context.Canceled)
		n++
	}
	equal(t, "outcomes", n, len(list))
	quiet(t, sys)
	equal(t, "messages run", sys.Stats().Messages, 0)
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
		open.Handle(func(_ *int, c *actor.Context, _ struct{}) { stop = actor.FromChan(c, ch, read) }),
		read.Handle(func(_ *int, c *actor.Context, v int) {
			if got = append(got, v); v%3 == 2 {
				stop()
				stop = actor.FromChan(c, ch, read)
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
		})).OnStart(func(_ *int, c *actor.Context) error { actor.FromChan(c, ch, read); return nil })
		w := wardenType.Spawn(sys, warden{fell: func(c *actor.Context, f actor.ChildDown) {
			actor.Restart(c, f.Ref)
		}})
		wardenIn(t, sys, w, func(_ *warden, c *actor.Context) {
			actor.SpawnSupervised(c, typ, func(*int) {}, wardenFell)
		})
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
			in(func(c *actor.Context) { c.ApplyPressure(); stop = actor.FromChan(c, ch, count) })
			for range n {
				in(func(c *actor.Context) { stop(); stop = actor.FromChan(c, ch, count) })
			}
			eventually(t, "those that wait in line, and are over, to go", func() bool {
				in(func(*actor.Context) {})
				return actor.Bridges(sys) <= n/2
			})
			sys.Stop()
		}
	}
}
