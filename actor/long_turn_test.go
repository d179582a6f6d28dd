package actor_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// stay is called by the code whose turn must be reported. It returns after the report was made.
type stay func()

// staying stays in behaviours of all sorts, and in callbacks.
type staying struct {
	base
	started, stopped stay
}

// base is embedded in staying.
type base struct{}

func (*base) Promoted(_ *actor.Context, m stay)         { m() }
func (base) Bound(_ *staying, _ *actor.Context, m stay) { m() }

func (*staying) Ask(_ *actor.Context, m stay) (int, error)    { m(); return 0, nil }
func (*staying) Give(_ *actor.Context, m stay) (stay, error)  { return m, nil }
func (*staying) Given(_ *actor.Context, r actor.Result[stay]) { r.Value() }
func (*staying) Carried(_ *actor.Context, m stay)             { m() }
func (*staying) Later(c *actor.Context, m stay) {
	actor.After(c, time.Millisecond, stayPromoted, m)
}
func (*staying) Urge(c *actor.Context, m stay) {
	stayUrgent.Send(c, actor.Self[staying](c), m)
}
func (*staying) Leave(c *actor.Context, _ struct{}) { c.Stop() }
func (*staying) Quit(c *actor.Context, m stay) {
	stayPromoted.Send(c, actor.Self[staying](c), m)
	c.Stop()
}
func stayOfAny[S any](_ *S, _ *actor.Context, m stay) { m() }
func (*staying) Within(c *actor.Context, m stay) {
	actor.AskTo(c, stayGive, stayType.Spawn(c, staying{}), m, stayGiven, actor.Within(time.Hour))
}

func (s *staying) start(*actor.Context) error {
	if s.started != nil {
		s.started()
	}
	return nil
}

func (s *staying) stop(*actor.Context, error) {
	if s.stopped != nil {
		s.stopped()
	}
}

var (
	stayType     = actor.NewType[staying]("staying").OnStart((*staying).start).OnStop((*staying).stop)
	stayPromoted = actor.Declare[stay](stayType, "promoted")
	stayBound    = actor.Declare[stay](stayType, "bound")
	stayAnon     = actor.Declare[stay](stayType, "anonymous")
	stayGeneric  = actor.Declare[stay](stayType, "generic")
	stayAsk      = actor.DeclareAsk[stay, int](stayType, "ask")
	stayGive     = actor.DeclareAsk[stay, stay](stayType, "give")
	stayGiven    = actor.Declare[actor.Result[stay]](stayType, "given")
	stayCarried  = actor.Declare[stay](stayType, "carried")
	stayLater    = actor.Declare[stay](stayType, "later")
	stayUrge     = actor.Declare[stay](stayType, "urge")
	stayUrgent   = actor.Declare[stay](stayType, "urgent", actor.Urgent())
	stayQuit     = actor.Declare[stay](stayType, "quit", actor.Urgent())
	stayWithin   = actor.Declare[stay](stayType, "within")
	stayLeave    = actor.Declare[struct{}](stayType, "leave")
)

func init() {
	stayType.Table(
		stayPromoted.Handle((*staying).Promoted), stayBound.Handle(base{}.Bound), stayGeneric.Handle(
			stayOfAny[staying]),
		stayAnon.Handle(func(_ *staying, _ *actor.Context, m stay) { m() }),
		stayAsk.Handle((*staying).Ask), stayGive.Handle((*staying).Give),
		stayGiven.Handle((*staying).Given),
		stayCarried.Handle((*staying).Carried), stayLater.Handle((*staying).Later),
		stayWithin.Handle((*staying).Within),
		stayUrge.Handle((*staying).Urge), stayUrgent.Handle(func(_ *staying, _ *actor.Context, m stay) {
			m()
		}), stayLeave.Handle((*staying).Leave),
		stayQuit.Handle((*staying).Quit),
	)
}

// generic is the state of several types. Their methods have the same name on a stack.
type generic[T any] struct{ _ [0]T }

func (*generic[T]) Work(_ *actor.Context, m stay) { m() }

var (
	bytesType = actor.NewType[generic[byte]]("bytes")
	bytesWork = actor.Declare[stay](bytesType, "work of bytes")
	_         = bytesType.Table(bytesWork.Handle((*generic[byte]).Work))
	runesType = actor.NewType[generic[rune]]("runes")
	runesWork = actor.Declare[stay](runesType, "work of runes")
	_         = runesType.Table(runesWork.Handle((*generic[rune]).Work))
)

// A plain actor has no callbacks. It runs the function in each message.
var (
	plainType = actor.NewType[struct{}]("plain")
	plainDo   = actor.Declare[func(*actor.Context)](plainType, "do")
	_         = plainType.Table(plainDo.Handle(func(_ *struct{}, c *actor.Context,
		f func(*actor.Context)) {
		f(c)
	}))
)

// inARow makes a plain actor run all functions in one turn.
func inARow(all ...func(*actor.Context)) func(*actor.System, stay) {
	return func(sys *actor.System, m stay) {
		plainDo.Send(sys, plainType.Spawn(sys, struct{}{}), func(c *actor.Context) {
			for _, f := range all {
				if f == nil {
					f = func(*actor.Context) { m() }
				}
				plainDo.Send(c, actor.Self[struct{}](c), f)
			}
		})
	}
}

func genericType[T any](name string) func(*actor.System, stay) {
	t := actor.NewType[generic[T]](name)
	work := actor.Declare[stay](t, "work")
	t.Table(work.Handle((*generic[T]).Work))
	return func(sys *actor.System, m stay) { work.Send(sys, t.Spawn(sys, generic[T]{}), m) }
}

// whereItStays returns a report of a turn that has reached frame. A busy machine may halt the turn
// on its way there, and then the report shows another frame. So it tries several times.
func whereItStays(frame string, report func() actor.LongTurnReport) (got actor.LongTurnReport) {
	for range 20 {
		got = report()
		if len(got.Stack) == 0 || strings.Contains(string(got.Stack), frame) {
			break
		}
	}
	return got
}

// reported runs do, which makes an actor stay, and returns the report.
func reported(t *testing.T, do func(*actor.System, stay),
	opts ...actor.Option) actor.LongTurnReport {
	t.Helper()
	return whereItStays("actor_test.reportedOnce.func", func() actor.LongTurnReport {
		return reportedOnce(t, do, opts...)
	})
}

func reportedOnce(t *testing.T, do func(*actor.System, stay),
	opts ...actor.Option) (got actor.LongTurnReport) {
	t.Helper()
	reports := make(chan actor.LongTurnReport, 10)
	sys := start(t, append(opts, actor.WithLongTurn(20*time.Millisecond),
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
			reports <- r
		}}))...)
	until := soon(t)
	do(sys, func() {
		select {
		case got = <-reports:
		case <-until.Done():
			t.Error("no report")
		}
	})
	quiet(t, sys)
	return got
}

// TestLongTurn_EveryCase: "reports them by actor type and behaviour", for promoted, bound,
// anonymous and generic methods. Callbacks are reported by their names.
func TestLongTurn_EveryCase(t *testing.T) {
	send := func(b actor.Behaviour[staying, stay]) func(*actor.System, stay) {
		return func(sys *actor.System, m stay) { b.Send(sys, stayType.Spawn(sys, staying{}), m) }
	}
	for want, do := range map[string]func(*actor.System, stay){
		"staying promoted":  send(stayPromoted),
		"staying bound":     send(stayBound),
		"staying anonymous": send(stayAnon),
		"staying generic":   send(stayGeneric),
		"staying urgent":    send(stayUrge),
		"staying given":     send(stayWithin),
		"staying carried": func(sys *actor.System, m stay) {
			stayCarried.Send(sys.With(t.Context()), stayType.Spawn(sys, staying{}), m)
		},
		"staying ask": func(sys *actor.System, m stay) {
			if _, err := stayAsk.Ask(soon(t), stayType.Spawn(sys, staying{}), m); err != nil {
				t.Error(err)
			}
		},
		"staying OnStart": func(sys *actor.System, m stay) { stayType.Spawn(sys, staying{started: m}) },
		"staying OnStop": func(sys *actor.System, m stay) {
			stayLeave.Send(sys, stayType.Spawn(sys, staying{stopped: m}), struct{}{})
		},
		"bytes work of bytes": func(sys *actor.System, m stay) {
			bytesWork.Send(sys, bytesType.Spawn(sys, generic[byte]{}), m)
		},
		"runes work of runes": func(sys *actor.System, m stay) {
			runesWork.Send(sys, runesType.Spawn(sys, generic[rune]{}), m)
		},
		"ints work":    genericType[int]("ints"),
		"strings work": genericType[string]("strings"),
		"floats work":  genericType[[4]float64]("floats"),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			r := reported(t, do)
			if got := r.Type + " " + r.Behaviour; got != want {
				t.Errorf("%q", got)
			}
			if s := string(r.Stack); !strings.Contains(s, "actor_test.reportedOnce.func") {
				t.Errorf("not where it is:\n%s", s)
			}
		})
	}
	t.Run("staying promoted, by a timer", func(t *testing.T) {
		t.Parallel()
		r := reported(t, send(stayLater))
		equal(t, "who", r.Type+" "+r.Behaviour, "staying promoted")
	})
	goOn := func(*actor.Context) {}
	t.Run("plain, third in a row", func(t *testing.T) {
		t.Parallel()
		r := reported(t, inARow(goOn, goOn, nil))
		equal(t, "who", r.Type+" "+r.Behaviour, "plain do")
	})
	t.Run("plain, what it left behind a row", func(t *testing.T) {
		t.Parallel()
		r := reported(t, inARow(goOn, goOn, (*actor.Context).Stop, nil),
			actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
				d.Message.(func(*actor.Context))(nil)
			}}))
		equal(t, "who", r.Type+" "+r.Behaviour, "plain ")
	})
	// "Behaviour is empty while the runtime does work for the actor between two messages".
	t.Run("staying, what it left", func(t *testing.T) {
		t.Parallel()
		r := reported(t, send(stayQuit),
			actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
				d.Message.(stay)()
			}}))
		equal(t, "who", r.Type+" "+r.Behaviour, "staying ")
	})
}

// TestLongTurn_BehindAnAsk: an Ask makes the scheduler watch the turn until its end, and not only
// until the reply has come.
func TestLongTurn_BehindAnAsk(t *testing.T) {
	ctx := notSoLong(t)
	for workers := range 8 { // now and then a turn is watched for another reason
		var reports atomic.Uint64
		sys := start(t, actor.WithWorkers(1+workers%2), actor.WithLongTurn(20*time.Millisecond),
			actor.WithHooks(actor.Hooks{LongTurn: func(actor.LongTurnReport) {
				reports.Add(1)
			}}))
		seen := func() uint64 { return reports.Load() + actor.MissedReports(sys) }
		to := stayType.Spawn(sys, staying{})
		ask := func(m stay) {
			if _, err := stayAsk.Ask(ctx, to, m); err != nil {
				t.Error(err)
			}
		}
		// This takes some milliseconds. After that no turn is watched because of the spawn.
		for range 10_000 {
			ask(func() {})
		}
		ask(func() {
			stayPromoted.Send(sys, to, func() {
				for before := seen(); seen() == before && ctx.Err() == nil; {
				}
			})
		})
		if quiet(t, sys); ctx.Err() != nil {
			t.Fatal("neither reported nor counted")
		}
	}
}

// TestLongTurn_BesideManyGoroutines: the same with many goroutines in the process. "A report has a
// stack only if there are at most 500 goroutines": to find it among 6,000 would stop the process
// for about twenty milliseconds.
func TestLongTurn_BesideManyGoroutines(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for range 6000 {
		go func() { <-stop }()
	}
	r := reported(t, func(sys *actor.System, m stay) {
		stayPromoted.Send(sys, stayType.Spawn(sys, staying{}), m)
	})
	equal(t, "who", r.Type+" "+r.Behaviour, "staying promoted")
	if len(r.Stack) != 0 {
		t.Errorf("the process was stopped to look for\n%s", r.Stack)
	}
}

// TestLongTurn_WithoutPreemption: "With GODEBUG=asyncpreemptoff=1 a report never has a stack, since
// the process would stand still until the behaviour's loop ends." The behaviour loops until the
// report has come.
func TestLongTurn_WithoutPreemption(t *testing.T) {
	const child, debug = "^TestLongTurn_WithoutPreemption$", "GODEBUG=asyncpreemptoff=1"
	if os.Getenv("GODEBUG") == debug[len("GODEBUG="):] {
		loopUntilReported(t)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), testLimit) // otherwise it would never end
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run="+child, "-test.v")
	// No GC: it would stop all other goroutines until the loop ends, and then no report would come.
	cmd.Env = append(os.Environ(), debug, "GOMAXPROCS=4", "GOGC=off")
	if out, err := cmd.CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "PASS: TestLongTurn_WithoutPreemption") {
		t.Errorf("%v (%v):\n%s", err, ctx.Err(), out)
	}
}

func loopUntilReported(t *testing.T) {
	var seen atomic.Bool
	var got actor.LongTurnReport
	sys := start(t, actor.WithWorkers(2), actor.WithLongTurn(time.Millisecond),
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
			got = r
			seen.Store(true)
		}}))
	stayPromoted.Send(sys, stayType.Spawn(sys, staying{}), func() {
		for !seen.Load() {
		}
	})
	quiet(t, sys)
	if got.Type != "staying" || len(got.Stack) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestLongTurn_Blocking: a behaviour in Blocking is reported as well, while it lasts, with the
// number of its actor. So is a behaviour that waits in an Ask.
func TestLongTurn_Blocking(t *testing.T) {
	for name, block := range map[string]func(c *actor.Context, m stay){
		"Blocking": func(c *actor.Context, m stay) { c.Blocking(m) },
		"nested":   func(c *actor.Context, m stay) { c.Blocking(func() { c.Blocking(m) }) },
		"Ask": func(c *actor.Context, m stay) { // a pinned actor is not reported
			_, err := pinnedTry.Ask(soon(t), pinnedType.Spawn(c, puppet{}),
				func(*puppet, *actor.Context) (any, error) {
					m()
					return nil, nil
				})
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var id uint64
			var r actor.LongTurnReport
			for range 20 { // a turn that is halted on its way there is reported as not blocking
				r = reported(t, func(sys *actor.System, m stay) {
					blocking := plainType.Spawn(sys, struct{}{})
					id = blocking.ID()
					plainDo.Send(sys, blocking, func(c *actor.Context) {
						for range 3 {
							c.Blocking(func() {}) // ends before the monitor looks
						}
						block(c, m)
					})
				})
				if r.Blocking {
					break
				}
			}
			equal(t, "who", r.Type+" "+r.Behaviour, "plain do")
			equal(t, "its number", r.ActorID, id)
			equal(t, "blocking", r.Blocking, true)
			if s := string(r.Stack); r.AtLeast < 20*time.Millisecond ||
				!strings.Contains(s, "actor_test.TestLongTurn_Blocking") {
				t.Errorf("%v, not where it is:\n%s", r.AtLeast, s)
			}
		})
	}
}

// TestLongTurn_BlockingOnce: a call that goes on is reported once. A call that has ended is not
// reported, and does not delay the reports of others.
func TestLongTurn_BlockingOnce(t *testing.T) {
	var reports atomic.Uint64
	sys := start(t, actor.WithWorkers(2), actor.WithLongTurn(time.Millisecond),
		actor.WithHooks(actor.Hooks{LongTurn: func(actor.LongTurnReport) {
			reports.Add(1)
		}}))
	seen := func() uint64 { return reports.Load() + actor.MissedReports(sys) }
	const calls, others = 10, 10
	release, in := make(chan struct{}), make(chan struct{})
	for i := range calls {
		plainDo.Send(sys, plainType.Spawn(sys, struct{}{}), func(c *actor.Context) {
			c.Blocking(func() { <-in; <-release })
			_ = i
		})
	}
	close(in)
	eventually(t, "all are reported or counted", func() bool { return seen() >= calls })
	for range others {
		ended, before := make(chan struct{}), seen()
		plainDo.Send(sys, plainType.Spawn(sys, struct{}{}), func(c *actor.Context) {
			c.Blocking(func() { eventually(t, "another one is", func() bool { return seen() > before }) })
			close(ended)
		})
		receive(t, "it to go on", ended)
	}
	close(release)
	quiet(t, sys)
	// A turn that the machine halts on its way into Blocking has a report for that as well.
	if n := seen(); n < calls+others || n > 2*(calls+others) {
		t.Errorf("%d reports of %d calls", n, calls+others)
	}
}

// TestLongTurn_OnAVirtualClock: "Reports are made at most once a second" of the machine's time, for
// any time of the system's clock.
func TestLongTurn_OnAVirtualClock(t *testing.T) {
	for name, jump := range map[string]time.Duration{"stands": 0, "runs": time.Hour} {
		t.Run(name, func(t *testing.T) {
			var reports atomic.Uint64
			clock := actor.NewVirtualClock(time.Unix(0, 0))
			sys := start(t, actor.WithClock(clock), actor.WithLongTurn(time.Millisecond),
				actor.WithHooks(actor.Hooks{LongTurn: func(actor.LongTurnReport) {
					reports.Add(1)
				}}))
			began, until := time.Now(), soon(t)
			for range 4 {
				before := reports.Load() + actor.MissedReports(sys)
				stayAnon.Send(sys, stayType.Spawn(sys, staying{}), func() {
					for reports.Load()+actor.MissedReports(sys) == before {
						if until.Err() != nil {
							t.Error("neither reported nor counted")
							return
						}
					}
				})
				quiet(t, sys)
				clock.Jump(jump)
			}
			most := 1 + uint64(time.Since(began)/time.Second)
			if n := reports.Load(); n == 0 || n > most {
				t.Errorf("%d reports, want 1 to %d", n, most)
			}
		})
	}
}

// TestLongTurn_NamesTheActor: a report says which actor of a type it is.
func TestLongTurn_NamesTheActor(t *testing.T) {
	var who uint64
	got := reported(t, func(sys *actor.System, m stay) {
		r, err := stayType.SpawnNamed(sys, "slow one", staying{})
		must(t, err)
		who = r.ID()
		stayPromoted.Send(sys, r, m)
	})
	equal(t, "type", got.Type, "staying")
	equal(t, "number", got.ActorID, who)
	equal(t, "name", got.Name, "slow one")
}
