package actor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestSendWait_BoundIsHard: no more messages of SendWait and TrySend wait than there are permits.
// This holds on one processor too, where the sender can run long before the receiver does.
func TestSendWait_BoundIsHard(t *testing.T) {
	for _, procs := range []int{1, runtime.GOMAXPROCS(0)} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			sys := start(t, actor.WithWorkers(1))
			a := puppetType.Spawn(sys, puppet{})
			var sent, ran, most atomic.Int64
			for range scaled(20_000) {
				must(t, do.SendWait(soon(t), a, func(*puppet, *actor.Context) { ran.Add(1) }))
				most.Store(max(most.Load(), sent.Add(1)-ran.Load()))
			}
			quiet(t, sys)
			equal(t, "messages run", ran.Load(), sent.Load())
			t.Logf("at most %d waited", most.Load())
			if most.Load() > actor.OutsideRoom {
				t.Errorf("%d waited, want at most %d", most.Load(), actor.OutsideRoom)
			}
		})
	}
}

// fill sends messages from outside to a stuck actor until it has no room.
func fill(t testing.TB, sys *actor.System) (a actor.Ref[puppet], release func(),
	ran *atomic.Int64) {
	t.Helper()
	a, ran = puppetType.Spawn(sys, puppet{}), new(atomic.Int64)
	in, stay := make(chan struct{}), make(chan struct{})
	release = sync.OnceFunc(func() { close(stay) })
	t.Cleanup(release)
	do.Send(sys, a, func(*puppet, *actor.Context) { close(in); <-stay })
	receive(t, "the actor to get stuck", in)
	for range actor.OutsideRoom {
		must(t, do.TrySend(sys, a, func(*puppet, *actor.Context) { ran.Add(1) }))
	}
	wants(t, do.TrySend(sys, a, noop), actor.ErrOverloaded)
	return a, release, ran
}

// TestSendWait_InOrder: "Those who wait go on in the order in which they came".
func TestSendWait_InOrder(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	a, release, _ := fill(t, sys)
	const waiters = 50
	line := make(chan int, waiters)
	for i := range waiters {
		go func() {
			// The token comes in order, but Go chooses which goroutine runs first after that. So
			// the message names its sender, and there is no room for a second one before the first
			// has its token.
			must(t, do.SendWait(soon(t), a, func(*puppet, *actor.Context) { line <- i }))
		}()
		eventually(t, "it waits in line", func() bool { return actor.Waiting(a) == i+1 })
	}
	for i := range waiters { // one at a time, as if one message had run
		actor.GiveBack(a, 1)
		equal(t, "left in line", actor.Waiting(a), waiters-i-1)
	}
	release()
	eventually(t, "their messages run", func() bool { return len(line) == waiters })
}

// TestSendWait_Cancelled: "honours cancellation at every point and leaves no wait list entry
// behind". Waiters give up in the front, the middle and the end of the line, and at the moment when
// they are let in. In the end all places are free.
func TestSendWait_Cancelled(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	a, release, ran := fill(t, sys)
	var accepted atomic.Int64
	var wg sync.WaitGroup
	var cancels []context.CancelFunc
	for i := range 60 {
		ctx, cancel := context.WithCancel(context.Background())
		cancels = append(cancels, cancel)
		wg.Go(func() {
			switch err := do.SendWait(ctx, a, func(*puppet, *actor.Context) { ran.Add(1) }); {
			case err == nil:
				accepted.Add(1)
			case !errors.Is(err, context.Canceled):
				t.Error(err)
			}
		})
		eventually(t, "it waits in line", func() bool { return actor.Waiting(a) == i+1 })
	}
	for i := 0; i < 30; i++ {
		cancels[i*7%30]()
		eventually(t, "it has left", func() bool { return actor.Waiting(a) == 59-i })
	}
	go release() // races with the cancellation of the others
	for _, cancel := range cancels[30:] {
		runtime.Gosched()
		cancel()
	}
	wg.Wait()
	quiet(t, sys)
	equal(t, "that wait", actor.Waiting(a), 0)
	equal(t, "messages run", ran.Load(), actor.OutsideRoom+accepted.Load())
	if n := actor.Places(a); n <= actor.OutsideRoom/2 || n > actor.OutsideRoom {
		t.Errorf("%d places are free", n)
	}
}

// TestSendWait_InsideABehaviour: SendWait panics in a behaviour. It would wait for itself.
func TestSendWait_InsideABehaviour(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a, release, _ := fill(t, sys)
	inside(t, sys, func(c *actor.Context) {
		panics(t, "SendWait called from a behaviour", func() {
			_ = do.SendWait(context.Background(), a, noop)
		})
	})
	equal(t, "that wait", actor.Waiting(a), 0)
	release()
	quiet(t, sys)
}

// TestSendWait_Ends: goroutines that wait are told when the actor, or the system, ends.
func TestSendWait_Ends(t *testing.T) {
	for name, end := range map[string]func(*actor.System, actor.Ref[puppet]){
		"actor":  func(sys *actor.System, a actor.Ref[puppet]) { actor.Stop(sys, a) },
		"system": func(sys *actor.System, _ actor.Ref[puppet]) { go sys.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			a, release, _ := fill(t, sys)
			errs := make(chan error, 10)
			for range cap(errs) {
				go func() { errs <- do.SendWait(context.Background(), a, noop) }()
			}
			eventually(t, "they wait", func() bool { return actor.Waiting(a) == cap(errs) })
			end(sys, a)
			release()
			for range cap(errs) {
				err := receive(t, "SendWait", errs)
				if err == nil && name == "system" {
					continue // the gate was opened before Stop
				}
				if !errors.Is(err, actor.ErrStopped) && !errors.Is(err, actor.ErrSystemStopped) {
					t.Error(err)
				}
			}
		})
	}
}

// TestSendWait_NotForABatch: "A spent batch keeps goroutines waiting only while an actor is muted
// for the receiver".
func TestSendWait_NotForABatch(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := slowType.Spawn(sys, puppet{})
	must(t, slowDo.SendWait(soon(t), r, noop)) // from now on it has a semaphore
	quiet(t, sys)
	o := overloadThis(t, sys, r)
	must(t, slowDo.SendWait(soon(t), r, noop))
	o.mute(t, sys)
	errs := make(chan error, 1)
	go func() { errs <- slowDo.SendWait(soon(t), r, noop) }()
	eventually(t, "it waits in line, or does not", func() bool {
		return actor.Waiting(r) == 1 || len(errs) > 0
	})
	equal(t, "that did not wait", len(errs), 0)
	o.release()
	must(t, receive(t, "SendWait", errs))
	quiet(t, sys)
}

// TestSendWait_KeepsNoneOverloaded: "an actor that goroutines keep busy is muted like any other".
// It has recovered whenever a permit return runs. Otherwise it would flood its own receivers.
func TestSendWait_KeepsNoneOverloaded(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	slow, relay := overload(t, sys), slowType.Spawn(sys, puppet{}) // with a batch of one
	// Twice as many messages as there is room for come after the first half.
	const senders, each = 4, actor.OutsideRoom
	before := int64(senders * each / 2)
	var ran, passed, work atomic.Int64
	forward := func(_ *puppet, c *actor.Context) {
		for i := range int64(300) {
			work.Store(i) // so that it does not keep up
		}
		if ran.Add(1) > before {
			passed.Add(1)
			slowDo.Send(c, slow.ref, noop)
		}
	}
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range each {
				must(t, slowDo.SendWait(soon(t), relay, forward))
			}
		})
	}
	awaitMuted(t, relay)
	if passed.Load() > actor.OutsideRoom {
		t.Errorf("it has passed %d on before it was muted", passed.Load())
	}
	slow.release()
	wg.Wait()
	quiet(t, sys)
	equal(t, "messages run", ran.Load(), int64(senders*each))
}

// TestFlood: B6, "messages at one slow actor from 8 producer actors, or from 8 goroutines outside
// that use SendWait: the heap stays under a stated bound, and nothing is lost". At night there are
// 10 M messages.
func TestFlood(t *testing.T) {
	n := scaled(200_000)
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		n = 10_000_000
	}
	const producers = 8
	each := n / producers
	for name, produce := range map[string]func(sys *actor.System, to actor.Ref[slowpoke],
		sent *atomic.Int64){
		"actors": func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64) {
			for range producers {
				flood.Send(sys, flooderType.Spawn(sys, flooder{to, each, sent}), struct{}{})
			}
		},
		"goroutines": func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64) {
			for range producers {
				release, err := sys.Hold()
				must(t, err)
				go func() {
					defer release()
					for range each {
						must(t, consume.SendWait(context.Background(), to, 1))
						sent.Add(1)
					}
				}()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			var sent atomic.Int64
			to := slowpokeType.Spawn(sys, slowpoke{sent: &sent})
			stop := heapWatch()
			produce(sys, to, &sent)
			quiet(t, sys)
			grown := stop()
			got, err := most.Ask(soon(t), to, struct{}{})
			must(t, err)
			t.Logf("at most %d queued, the heap grew by %d kB", got[1], grown>>10)
			equal(t, "messages run", got[0], int64(each*producers))
			limit := int64(actor.OutsideRoom + producers) // sent is counted after the send
			if name == "actors" {
				limit = mostQueued(producers, each)
			}
			if got[1] > limit && (figures || name != "actors") {
				t.Errorf("at most %d queued, want at most %d", got[1], limit)
			}
			if figures && grown > floodBound {
				t.Errorf("the heap grew by %d kB", grown>>10)
			}
		})
	}
}

// TestSendWait_EndedBefore: if ctx has ended, its error is returned and nothing is sent. This holds
// with and without room, and for urgent messages.
func TestSendWait_EndedBefore(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	sys := start(t)
	wants(t, do.SendWait(ended, puppetType.Spawn(sys, puppet{}), noop), context.Canceled)
	wants(t, rush.SendWait(ended, mortalType.Spawn(sys, mortal{}), nil), context.Canceled)
	quiet(t, sys)
	equal(t, "messages run", sys.Stats().Messages, 0)
}
