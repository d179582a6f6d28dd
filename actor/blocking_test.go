package actor_test

import (
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// guest runs the functions that are sent to it, which may block.
type guest struct{ seen []int }

var (
	guestType = actor.NewType[guest]("guest")
	guestDo   = actor.Declare[func(*actor.Context)](guestType, "do")
	guestSee  = actor.Declare[int](guestType, "see")
	_         = guestType.Table(guestDo.Handle((*guest).Do), guestSee.Handle((*guest).See))
)

func (g *guest) Do(c *actor.Context, f func(*actor.Context)) { f(c) }

func (g *guest) See(_ *actor.Context, n int) { g.seen = append(g.seen, n) }

// TestT3_SyscallHandoff: "Another G should run while g1 is blocked": in a system call,
// on every worker there is.
func TestT3_SyscallHandoff(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		r, w, err := os.Pipe()
		must(t, err)
		defer r.Close()
		for range workers {
			guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(*actor.Context) {
				_, _ = r.Read(make([]byte, 1))
			})
		}
		quick := guestType.Spawn(sys, guest{})
		guestDo.Send(sys, quick, func(*actor.Context) { _ = w.Close() }) // ends the reads
		quiet(t, sys)
	})
}

// TestBlocking: "without keeping other actors waiting … its messages keep their order". "f may use
// the Context as the behaviour does."
func TestBlocking(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		for range 20 {
			x := guestType.Spawn(sys, guest{})
			for range workers + 1 {
				met := make(chan struct{})
				y := guestType.Spawn(sys, guest{})
				guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(c *actor.Context) {
					c.Blocking(func() {
						guestSee.Send(c, x, 1)
						guestDo.Send(c, y, func(*actor.Context) { close(met) })
						<-met
						c.Blocking(func() { guestSee.Send(c, x, 2) })
					})
					guestSee.Send(c, x, 3)
				})
			}
			quiet(t, sys)
			if n := sys.Stats().DeadLetters; n != 0 {
				t.Fatalf("%d dead letters", n)
			}
		}
	})
}

// TestBlocking_Order: an actor that blocks handles its messages one at a time and in order, on
// whichever worker it runs.
func TestBlocking_Order(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		const n = 200
		var got []int // of one actor, so of one turn at a time
		x := guestType.Spawn(sys, guest{})
		other := guestType.Spawn(sys, guest{})
		for i := range n {
			guestDo.Send(sys, x, func(c *actor.Context) {
				ran := make(chan struct{})
				guestDo.Send(c, other, func(*actor.Context) { close(ran) })
				if i%20 == 0 {
					<-ran // undeclared
				} else {
					c.Blocking(func() { <-ran })
				}
				got = append(got, i)
			})
		}
		quiet(t, sys)
		for i := range n {
			if got[i] != i {
				t.Fatalf("message %d was handled as number %d", got[i], i)
			}
		}
	})
}

// TestBlocking_Overloads: "A turn that has blocked for a millisecond, by the runtime's clock …,
// ends with the current message. If a batch of mail or more is left then, the actor is overloaded".
func TestBlocking_Overloads(t *testing.T) {
	const ms = time.Millisecond
	type passes func(time.Duration)
	blocks := func(d time.Duration) func(*actor.Context, passes) {
		return func(c *actor.Context, pass passes) { c.Blocking(func() { pass(d) }) }
	}
	nested := func(c *actor.Context, pass passes) {
		c.Blocking(func() { c.Blocking(func() { pass(ms / 2) }) })
	}
	recovers := func(c *actor.Context, pass passes) {
		defer func() { _ = recover() }()
		c.Blocking(func() { pass(ms); panic("on purpose") })
	}
	for _, c := range []struct {
		name   string
		blocks []func(*actor.Context, passes) // one message each
		behind int                            // the number of messages after these
		want   actor.Status
	}{
		{"for long", []func(*actor.Context, passes){blocks(ms)}, actor.DefaultBatch,
			actor.StatusOverloaded},
		{"for long in all", []func(*actor.Context, passes){blocks(ms / 2), blocks(ms / 4),
			blocks(ms / 4)}, actor.DefaultBatch, actor.StatusOverloaded},
		{"not for long", []func(*actor.Context, passes){blocks(ms / 2), blocks(ms/2 - 1)},
			actor.DefaultBatch, actor.StatusBusy},
		{"with little mail", []func(*actor.Context, passes){blocks(5 * ms)}, actor.DefaultBatch - 1,
			actor.StatusBusy},
		{"within another", []func(*actor.Context, passes){nested}, actor.DefaultBatch, actor.StatusBusy},
		{"and panics", []func(*actor.Context, passes){recovers}, actor.DefaultBatch,
			actor.StatusOverloaded},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, clock := onVirtualTime(t, actor.WithWorkers(1))
			var got actor.Status
			guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(ctx *actor.Context) {
				self := actor.Self[guest](ctx)
				for _, f := range c.blocks {
					guestDo.Send(ctx, self, func(ctx *actor.Context) { f(ctx, clock.Jump) })
				}
				guestDo.Send(ctx, self, func(*actor.Context) { got = self.Status() })
				for range c.behind - 1 {
					guestSee.Send(ctx, self, 1)
				}
			})
			quiet(t, sys)
			if got != c.want {
				t.Errorf("it was %v, want %v", got, c.want)
			}
		})
	}
}

// TestMaxBlocked_Most: the greatest limits do not overflow to a limit of none.
func TestMaxBlocked_Most(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt32, math.MaxInt/2 + 2} {
		sys := start(t, actor.WithWorkers(1), actor.WithMaxBlocked(n))
		helped := false
		guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(c *actor.Context) {
			ran := make(chan struct{})
			guestDo.Send(c, guestType.Spawn(c, guest{}), func(*actor.Context) { close(ran) })
			c.Blocking(func() {
				select {
				case <-ran:
					helped = true
				case <-time.After(testLimit):
				}
			})
		})
		quiet(t, sys)
		if !helped {
			t.Errorf("WithMaxBlocked(%d): nobody stands in", n)
		}
	}
}

// TestMisuse_OfBlocking: bad input.
func TestMisuse_OfBlocking(t *testing.T) {
	sys := start(t)
	guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(c *actor.Context) {
		panics(t, "gallop: Blocking: a nil function", func() { c.Blocking(nil) })
	})
	quiet(t, sys)
	panics(t, "WithMaxBlocked(-1): want at least 1", func() { actor.Start(actor.WithMaxBlocked(-1)) })
	panics(t, "WithLongTurn(0s): want at least 1ms", func() { actor.Start(actor.WithLongTurn(0)) })
	panics(t, "WithHooks without a function", func() {
		actor.Start(actor.WithHooks(actor.Hooks{LongTurn: nil}))
	})
}

// TestLongTurn: "reports them by actor type and behaviour", once and while they still run, with
// their place in the code.
func TestLongTurn(t *testing.T) {
	for name, wait := range map[string]func(<-chan actor.LongTurnReport) actor.LongTurnReport{
		"waits": func(in <-chan actor.LongTurnReport) actor.LongTurnReport { return <-in },
		"spins": func(in <-chan actor.LongTurnReport) actor.LongTurnReport {
			for {
				select {
				case r := <-in:
					return r
				default:
					runtime.Gosched()
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := whereItStays("(*guest).Do", func() (got actor.LongTurnReport) {
				reports := make(chan actor.LongTurnReport, 10)
				sys := start(t, actor.WithWorkers(1), actor.WithLongTurn(time.Millisecond),
					actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
						reports <- r
					}}))
				guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(*actor.Context) { got = wait(reports) })
				quiet(t, sys)
				equal(t, "more reports of one turn", len(reports), 0)
				return got
			})
			if got.Type != "guest" || got.Behaviour != "do" || got.AtLeast < time.Millisecond ||
				got.Worker != 0 {
				t.Errorf("%+v", got)
			}
			if s := string(got.Stack); !strings.Contains(s, "(*guest).Do") ||
				strings.Contains(s, "RunTask") {
				t.Errorf("a stack that does not end with the behaviour:\n%s", s)
			}
		})
	}
}

// TestMaxBlocked_AllInUse: "up to a bound, with a clear log line and a metric when it is hit", for
// behaviours that block in Blocking and for others.
func TestMaxBlocked_AllInUse(t *testing.T) {
	for name, block := range map[string]func(*actor.Context, func()){
		"declared": func(c *actor.Context, f func()) { c.Blocking(f) },
		"silent":   func(_ *actor.Context, f func()) { f() },
	} {
		t.Run(name, func(t *testing.T) {
			var log lockedBuffer
			sys := start(t, actor.WithWorkers(1), actor.WithMaxBlocked(1), actor.WithLongTurn(time.Hour),
				actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			equal(t, "lacked at first", sys.Stats().TooManyBlocked, 0)
			release := make(chan struct{})
			for range 4 {
				guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(c *actor.Context) {
					block(c, func() { <-release })
				})
			}
			for until := soon(t); !strings.Contains(log.String(),
				"too many behaviours block"); runtime.Gosched() {
				if until.Err() != nil {
					t.Error("nothing in the log")
					break
				}
			}
			if n := sys.Stats().TooManyBlocked; n == 0 {
				t.Error("nothing was counted")
			}
			close(release)
			quiet(t, sys)
			if n := sys.Stats().TooManyBlocked; n > 4 {
				t.Errorf("%d of 4 behaviours lacked a spare", n)
			}
			if s := log.String(); !strings.Contains(s,
				`level=ERROR msg="gallop: too many behaviours block at a time: `) ||
				!strings.Contains(s, `raise actor.WithMaxBlocked" max_blocked=1 so_far=`) {
				t.Error(s)
			}
		})
	}
}
