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

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

const bound = 8

// boundedType is a type with a bound of 8 and one policy.
type boundedType struct {
	typ  *actor.Type[puppet]
	do   actor.Behaviour[puppet, deed]
	try  actor.AskBehaviour[puppet, func(*puppet, *actor.Context) (any, error), any]
	note actor.Behaviour[puppet, actor.Result[any]]
}

func newBounded(name string, limit int, o actor.Overflow) *boundedType {
	b := &boundedType{typ: actor.NewType[puppet](name, actor.WithBound(limit, o))}
	b.do = actor.Declare[deed](b.typ, "do")
	b.try = actor.DeclareAsk[func(*puppet, *actor.Context) (any, error), any](b.typ, "try")
	b.note = actor.Declare[actor.Result[any]](b.typ, "note")
	b.typ.Table(b.do.Handle((*puppet).Do), b.try.Handle((*puppet).Try), b.note.Handle((*puppet).Note))
	return b
}

var (
	mutingType   = newBounded("muting", bound, actor.OverflowMute)
	refusingType = newBounded("refusing", bound, actor.OverflowRefuse)
	droppingType = newBounded("dropping", bound, actor.OverflowDropOldest)
	boundedTypes = map[string]*boundedType{"mute": mutingType, "refuse": refusingType,
		"drop": droppingType}
)

// stuck makes an actor that is stuck in a behaviour, with an empty mailbox.
func (b *boundedType) stuck(t testing.TB, sys *actor.System) (r actor.Ref[puppet], release func()) {
	t.Helper()
	r = b.typ.Spawn(sys, puppet{})
	in, stay := make(chan struct{}), make(chan struct{})
	release = sync.OnceFunc(func() { close(stay) })
	t.Cleanup(release)
	b.do.Send(sys, r, func(*puppet, *actor.Context) { close(in); <-stay })
	receive(t, "the actor to get stuck", in)
	return r, release
}

// TestBound_Policies: "at most limit messages wait for their turn. overflow decides about further
// messages".
func TestBound_Policies(t *testing.T) {
	const sends = 20
	for name, c := range map[string]struct {
		typ   *boundedType
		runs  []int
		dead  int64
		why   error
		mutes uint64
	}{
		"mute":   {typ: mutingType, runs: seq(0, sends), mutes: 1},
		"refuse": {typ: refusingType, runs: seq(0, bound), dead: sends - bound, why: actor.ErrOverloaded},
		// The mailbox takes twice its bound. After that each new message replaces the newest one.
		"drop": {typ: droppingType, runs: append(seq(bound+1, 2*bound), sends-1), dead: sends - bound,
			why: actor.ErrDropped},
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			r, release := c.typ.stuck(t, sys)
			var ran []int
			inside(t, sys, func(s *actor.Context) {
				for i := range sends {
					c.typ.do.Send(s, r, func(*puppet, *actor.Context) { ran = append(ran, i) })
				}
			})
			wants(t, c.typ.do.TrySend(sys, r, nil), actor.ErrOverloaded)
			inside(t, sys, func(*actor.Context) {}) // one worker is free: the sender's turn is over
			release()
			quiet(t, sys)
			if !slices.Equal(ran, c.runs) {
				t.Errorf("ran %v, want %v", ran, c.runs)
			}
			equal(t, "dead letters", dead.n.Load(), c.dead)
			if c.dead > 0 {
				wants(t, dead.last.Load().Reason, c.why)
			}
			equal(t, "mutes", sys.Stats().Mutes, c.mutes)
			equal(t, "unmutes", sys.Stats().Unmutes, c.mutes)
		})
	}
}

// TestBound_Asks: "ErrOverloaded: to has a bound …, and its mailbox is at the bound.
// ErrDropped: to has a bound, and the request had to make room for another message", from
// outside and from behaviours.
func TestBound_Asks(t *testing.T) {
	for name, c := range map[string]struct {
		typ           *boundedType
		outside, here error
	}{
		"mute":   {mutingType, actor.ErrOverloaded, nil}, // the caller waits
		"refuse": {refusingType, actor.ErrOverloaded, actor.ErrOverloaded},
		"drop":   {droppingType, actor.ErrDropped, actor.ErrDropped},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, release := c.typ.stuck(t, sys)
			var results []error
			fill := func(s *actor.Context) {
				for range bound {
					c.typ.do.Send(s, r, func(*puppet, *actor.Context) {})
				}
			}
			if c.typ != droppingType { // otherwise the requests are the oldest
				inside(t, sys, fill)
			}
			p := puppetType.Spawn(sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
				results = append(results, r.Err)
			}})
			sent := make(chan struct{})
			do.Send(sys, p, func(_ *puppet, s *actor.Context) {
				actor.AskTo(s, c.typ.try, r, justNil, note)
				close(sent)
			})
			receive(t, "the request to be sent", sent)
			asked := make(chan error, 1)
			go func() {
				_, err := c.typ.try.Ask(soon(t), r, justNil)
				asked <- err
			}()
			if c.typ == droppingType {
				eventually(t, "both requests wait", func() bool { return actor.Queued(r) == 2 })
				inside(t, sys, fill)
			}
			if c.typ == droppingType { // its next turn drops them
				release()
			}
			wants(t, receive(t, "the answer", asked), c.outside)
			release()
			quiet(t, sys)
			equal(t, "results", len(results), 1)
			wants(t, results[0], c.here)
		})
	}
}

func justNil(*puppet, *actor.Context) (any, error) { return nil, nil }

func seq(from, to int) (s []int) {
	for i := from; i < to; i++ {
		s = append(s, i)
	}
	return s
}

// TestBound_SenderThatIsNeverMuted: with OverflowMute, "some senders are never muted, and exceed
// the bound without limit", among them the receiver. The other two policies bound the receiver's
// own messages as well.
func TestBound_SenderThatIsNeverMuted(t *testing.T) {
	const many = 10 * bound
	for name, typ := range boundedTypes {
		var dead atomic.Int64
		sys := start(t, actor.WithWorkers(1),
			actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
				dead.Add(1)
			}}))
		ran, r := 0, typ.typ.Spawn(sys, puppet{})
		typ.do.Send(sys, r, func(_ *puppet, c *actor.Context) {
			for range many {
				typ.do.Send(c, r, func(*puppet, *actor.Context) { ran++ })
			}
		})
		quiet(t, sys)
		equal(t, name+": mutes", sys.Stats().Mutes, 0)
		equal(t, name+": what ran or is dead", ran+int(dead.Load()), many)
		if hard := typ != mutingType; hard == (dead.Load() == 0) {
			t.Errorf("%s: %d ran and %d are dead letters", name, ran, dead.Load())
		}
	}
}

// TestBound_FromOutside: at the bound TrySend is refused with every policy, SendWait waits in line,
// and Ask is refused.
func TestBound_FromOutside(t *testing.T) {
	for name, typ := range boundedTypes {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, release := typ.stuck(t, sys)
			var ran []int
			note := func(i int) deed { return func(*puppet, *actor.Context) { ran = append(ran, i) } }
			for i := range bound {
				must(t, typ.do.TrySend(sys, r, note(i)))
			}
			wants(t, typ.do.TrySend(sys, r, nil), actor.ErrOverloaded)
			inside(t, sys, func(c *actor.Context) {
				wants(t, typ.do.TrySend(c, r, nil), actor.ErrOverloaded)
			})
			if typ != droppingType { // there it drops another message
				_, err := typ.try.Ask(soon(t), r, nil)
				wants(t, err, actor.ErrOverloaded)
			}
			gone, cancel := context.WithCancel(context.Background())
			errs, cancelled := make(chan error, 3), make(chan error, 1)
			go func() { cancelled <- typ.do.SendWait(gone, r, nil) }()
			eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
			for i := range 3 {
				before := actor.Waiting(r)
				go func() { errs <- typ.do.SendWait(soon(t), r, note(bound+i)) }()
				eventually(t, "it waits in line", func() bool { return actor.Waiting(r) > before })
			}
			cancel()
			wants(t, receive(t, "the cancelled one", cancelled), context.Canceled)
			equal(t, "that wait", actor.Waiting(r), 3)
			release()
			for range 3 {
				must(t, receive(t, "SendWait", errs))
			}
			quiet(t, sys)
			slices.Sort(ran) // pushes of different goroutines are in no order
			if !slices.Equal(ran, seq(0, bound+3)) {
				t.Errorf("ran %v", ran)
			}
		})
	}
}

// TestBound_Ends: an actor with a bound that ends leaves no sender waiting, and no message in its
// mailbox.
func TestBound_Ends(t *testing.T) {
	for name, typ := range boundedTypes {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			r, release := typ.stuck(t, sys)
			inside(t, sys, func(c *actor.Context) {
				for range bound {
					typ.do.Send(c, r, noop)
				}
			})
			errs := make(chan error, 1)
			go func() { errs <- typ.do.SendWait(soon(t), r, noop) }()
			eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
			actor.Stop(sys, r)
			release()
			want := int64(bound)
			if err := receive(t, "SendWait", errs); err == nil {
				want++ // it got a place just before the end
			} else {
				wants(t, err, actor.ErrStopped)
			}
			eventually(t, "dead letters", func() bool { return dead.n.Load() == want })
			quiet(t, sys)
			wants(t, typ.do.TrySend(sys, r, noop), actor.ErrStopped)
			inside(t, sys, func(c *actor.Context) {
				typ.do.Send(c, r, noop)
				wants(t, typ.do.TrySend(c, r, noop), actor.ErrStopped)
			})
			equal(t, "dead letters", dead.n.Load(), want+1)
			st := sys.Stats()
			equal(t, "unmutes", st.Unmutes, st.Mutes)
		})
	}
}

// TestBound_DrainsMuted: an actor with a bound that drains is muted like any other, full or not. It
// handles the remaining mail after it was unmuted.
func TestBound_DrainsMuted(t *testing.T) {
	for name, typ := range boundedTypes {
		for _, mail := range []int{2, bound} {
			t.Run(fmt.Sprintf("%s/%d", name, mail), func(t *testing.T) {
				sys := start(t, actor.WithWorkers(2))
				hold, err := sys.Hold() // otherwise it is unmuted before the pressure is released
				must(t, err)
				slow := press(t, sys)
				r, release := typ.stuck(t, sys)
				ran := 0
				inside(t, sys, func(c *actor.Context) {
					typ.do.Send(c, r, func(_ *puppet, c *actor.Context) { count.Send(c, slow, 1) })
					for range mail - 1 {
						typ.do.Send(c, r, func(*puppet, *actor.Context) { ran++ })
					}
				})
				actor.Drain(sys, r)
				release()
				var muted bool
				eventually(t, "it is muted, or done", func() bool {
					muted = actor.Muted(r)
					return muted || sys.Stats().Stopped > 0
				})
				equal(t, "muted", muted, true)
				do.Send(sys, slow, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
				hold()
				allUnmuted(t, sys)
				equal(t, "ran", ran, mail-1)
				equal(t, "in the end", r.Status(), actor.StatusEnded)
			})
		}
	}
}

// TestBound_Status: an actor with a bound is overloaded while its queue is full, or while it
// applies pressure.
func TestBound_Status(t *testing.T) {
	for name, typ := range boundedTypes {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			equal(t, "a new actor", typ.typ.Spawn(sys, puppet{}).Status(), actor.StatusIdle)
			r, release := typ.stuck(t, sys)
			equal(t, "one at work", r.Status(), actor.StatusBusy)
			for i := range bound {
				equal(t, fmt.Sprintf("with %d messages", i), r.Status(), actor.StatusBusy)
				must(t, typ.do.TrySend(sys, r, noop))
			}
			equal(t, "a full one", r.Status(), actor.StatusOverloaded)
			release()
			quiet(t, sys)
			equal(t, "one that is done", r.Status(), actor.StatusIdle)
			typ.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure() })
			quiet(t, sys)
			equal(t, "one under pressure", r.Status(), actor.StatusOverloaded)
			typ.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.Stop() })
			quiet(t, sys)
			equal(t, "one that has ended", r.Status(), actor.StatusEnded)
		})
	}
}

// timed is a type with a bound and batches of 4 that gets results of Pipe.
type timed struct {
	*boundedType
	result actor.Behaviour[puppet, actor.Result[deed]]
}

func newTimed(name string) timed {
	typ := actor.NewType[puppet](name, actor.WithBound(100, actor.OverflowRefuse), actor.WithBatch(4))
	x := timed{&boundedType{typ: typ, do: actor.Declare[deed](typ, "do")},
		actor.Declare[actor.Result[deed]](typ, "result")}
	typ.Table(x.do.Handle((*puppet).Do), x.result.Handle(func(p *puppet, c *actor.Context,
		r actor.Result[deed]) {
		r.Value(p, c)
	}))
	return x
}

// pipe sends f to the running actor as a result of Pipe, and returns when it has come in.
func (x timed) pipe(t testing.TB, c *actor.Context, f deed) {
	actor.Pipe(c, x.result, func(context.Context) (deed, error) { return f, nil })
	eventually(t, "a result of Pipe", func() bool { return actor.Incoming(c) > 0 })
}

// TestBound_Ticks: ticks of timers and results of Pipe "wait in the mailbox like all mail, but take
// no room there".
func TestBound_Ticks(t *testing.T) {
	typ := newTimed("timed")
	for name, bring := range map[string]func(c *actor.Context, f deed){
		"Pipe": func(c *actor.Context, f deed) { typ.pipe(t, c, f) },
		"After": func(c *actor.Context, f deed) {
			actor.After(c, 0, typ.do, f)
			eventually(t, "a tick", func() bool { return actor.Incoming(c) > 0 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, release := typ.stuck(t, sys)
			var ran []int
			note := func(i int) deed { return func(*puppet, *actor.Context) { ran = append(ran, i) } }
			must(t, typ.do.TrySend(sys, r, func(_ *puppet, c *actor.Context) {
				bring(c, note(100))
				ran = append(ran, 0)
			}))
			for i := 1; i < 12; i++ {
				must(t, typ.do.TrySend(sys, r, note(i)))
			}
			equal(t, "places taken", actor.Queued(r), 12)
			release()
			quiet(t, sys)
			equal(t, "places taken afterwards", actor.Queued(r), 0)
			if want := append(seq(0, 12), 100); !slices.Equal(ran, want) {
				t.Errorf("ran %v, want %v", ran, want)
			}
		})
	}
}

// TestBound_MailBesideTicks: an actor with a bound whose results never leave its mailbox empty
// still runs its mail.
func TestBound_MailBesideTicks(t *testing.T) {
	sys, typ := start(t, actor.WithWorkers(1)), newTimed("beside ticks")
	r := typ.typ.Spawn(sys, puppet{})
	ticks, ran := 0, 0
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		if ticks++; ran < 12 && ticks < 1000 {
			typ.pipe(t, c, again)
		}
	}
	typ.do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		for range 12 {
			typ.do.Send(c, r, func(*puppet, *actor.Context) { ran++ })
		}
		again(nil, c)
	})
	quiet(t, sys)
	equal(t, "ran", ran, 12)
	if ticks > 5 { // one between two batches
		t.Errorf("%d results overtook 12 messages", ticks)
	}
}

// TestBound_Conservation: senders inside and outside send, with all verbs, to actors of all
// policies and small bounds that also send to each other and end. Each accepted message runs
// exactly once or is a dead letter.
func TestBound_Conservation(t *testing.T) {
	var types []*boundedType
	for _, limit := range []int{1, 2, 7} {
		for o := actor.OverflowMute; o <= actor.OverflowDropOldest; o++ {
			types = append(types, newBounded(fmt.Sprintf("bounded%d-%d", limit, o), limit, o))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var dead letters
		sys := actor.Start(actor.WithWorkers(rapid.IntRange(1, 3).Draw(t, "workers")),
			actor.WithLogger(silent), dead.option())
		defer sys.Stop()
		var ran, accepted atomic.Int64
		type target struct {
			*boundedType
			r actor.Ref[puppet]
		}
		var targets []target
		for range rapid.IntRange(1, 4).Draw(t, "targets") {
			typ := rapid.SampledFrom(types).Draw(t, "type")
			targets = append(targets, target{typ, typ.typ.Spawn(sys, puppet{})})
		}
		hops := rapid.IntRange(0, 3).Draw(t, "hops")
		var work func(hops int) deed
		work = func(hops int) deed {
			return func(p *puppet, c *actor.Context) {
				ran.Add(1)
				if p.n++; hops > 0 {
					to := targets[p.n%len(targets)]
					accepted.Add(1)
					to.do.Send(c, to.r, work(hops-1))
				}
			}
		}
		var wg sync.WaitGroup
		for range rapid.IntRange(1, 4).Draw(t, "goroutines") {
			n, mode := rapid.IntRange(1, 30).Draw(t, "messages"), rapid.IntRange(0, 2).Draw(t, "verb")
			wg.Go(func() {
				for i := range n {
					to := targets[i%len(targets)]
					var err error
					switch mode {
					case 0:
						to.do.Send(sys, to.r, work(hops))
					case 1:
						err = to.do.TrySend(sys, to.r, work(hops))
					default:
						err = to.do.SendWait(context.Background(), to.r, work(hops))
					}
					if err == nil {
						accepted.Add(1)
					} else if !errors.Is(err, actor.ErrOverloaded) {
						panic(err)
					}
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st := sys.Stats(); ran.Load()+dead.n.Load() != accepted.Load() || st.Mutes != st.Unmutes {
			t.Fatalf("%d accepted, %d ran, %d dead; %d mutes, %d unmutes", accepted.Load(), ran.Load(),
				dead.n.Load(), st.Mutes, st.Unmutes)
		}
	})
}

// TestBound_Stops: a system that stops makes dead letters of the mail that waits, and leaves no
// sender waiting.
func TestBound_Stops(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	r, release := mutingType.stuck(t, sys)
	// One more message may run before the worker sees that the system stops.
	var ran atomic.Int64
	run := func(*puppet, *actor.Context) { ran.Add(1) }
	m := muteOn(t, sys, func(c *actor.Context) {
		for range 2 * bound {
			mutingType.do.Send(c, r, run)
		}
	})
	do.Send(sys, m, run)
	errs := make(chan error, 1)
	go func() { errs <- mutingType.do.SendWait(soon(t), r, noop) }()
	eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
	done := make(chan struct{})
	go func() { sys.Stop(); close(done) }()
	wants(t, receive(t, "SendWait", errs), actor.ErrSystemStopped)
	release()
	receive(t, "Stop to return", done)
	equal(t, "dead letters and messages run", dead.n.Load()+ran.Load(), 2*bound+1)
	wants(t, mutingType.do.TrySend(sys, r, noop), actor.ErrSystemStopped)
}

// TestMisuse_OfBounds: bad values panic at the faulty call.
func TestMisuse_OfBounds(t *testing.T) {
	panics(t, "WithBound(0, 1)", func() { actor.WithBound(0, actor.OverflowRefuse) })
	panics(t, "WithBound(1, 3)", func() { actor.WithBound(1, 3) })
}

// TestBound_SpawnedTooLate: an actor with a bound is spawned after the system has begun to refuse
// calls from outside. Mail for it becomes dead letters, and mutes no sender.
func TestBound_SpawnedTooLate(t *testing.T) {
	for _, typ := range []*boundedType{droppingType, refusingType, mutingType} { // the last would hang
		t.Run(typ.typ.Name(), func(t *testing.T) {
			var dead letters
			sys := start(t, dead.option())
			late := make(chan actor.Ref[puppet])
			var ran atomic.Bool
			p := puppetType.Spawn(sys, puppet{})
			do.Send(sys, p, func(_ *puppet, c *actor.Context) {
				r := <-late
				for range 2 * bound {
					typ.do.Send(c, r, noop)
				}
				do.Send(c, p, func(*puppet, *actor.Context) { ran.Store(true) })
			})
			done := make(chan error, 1)
			go func() { done <- sys.Shutdown(soon(t)) }()
			eventually(t, "the system refuses", func() bool {
				release, err := sys.Hold()
				release()
				return err != nil
			})
			late <- typ.typ.Spawn(sys, puppet{})
			must(t, receive(t, "Shutdown to return", done))
			equal(t, "dead letters", dead.n.Load(), 2*bound)
			if !ran.Load() {
				t.Error("the sender never ran again")
			}
		})
	}
}

// TestBound_AnswersAreCountedOnce: an answer to an ask with a time-out, of an actor with a bound,
// does not count as a message of its own. This also holds if the answer comes from outside, as
// here, where the request had to make room.
func TestBound_AnswersAreCountedOnce(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithDeterministic(1),
		actor.Simulated(&sim.Hooks{Event: func(sim.Event) {}}))
	var got []error
	caller := mutingType.typ.Spawn(sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
		got = append(got, r.Err)
	}})
	to, bell := droppingType.typ.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	droppingType.do.Send(sys, to, func(_ *puppet, c *actor.Context) { // is busy for a second
		do.Send(c, bell, func(_ *puppet, c *actor.Context) {
			actor.After(c, time.Second, do, func(_ *puppet, c *actor.Context) { actor.UnstashAll(c) })
		})
		_, _ = try.Ask(context.Background(), bell, func(_ *puppet, c *actor.Context) (any, error) {
			return try.Stash(c, func(*puppet, *actor.Context) (any, error) { return nil, nil })
		})
	})
	advance(t, clock, 0) // until no actor can go on
	mutingType.do.Send(sys, caller, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, droppingType.try, to, func(*puppet, *actor.Context) (any, error) {
			return nil, nil
		}, mutingType.note, actor.Within(time.Hour))
	})
	advance(t, clock, 0)
	for range bound {
		droppingType.do.Send(sys, to, noop)
	}
	advance(t, clock, 2*time.Second)
	equal(t, "outcomes", len(got), 1)
	wants(t, got[0], actor.ErrDropped)
	st := sys.Stats()
	equal(t, "messages sent", sys.SimCounts().Sent, st.Messages+st.DeadLetters)
}
