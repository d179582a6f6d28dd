package actor_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestPanic_TenInARow: "10 panics in a row leave the process and all other actors alive". There is
// one worker, so the same worker survives all of them. Goexits, which end its goroutine, are in
// between.
func TestPanic_TenInARow(t *testing.T) {
	for name, crash := range map[string]deed{
		"Panic":  func(*puppet, *actor.Context) { panic("in a row") },
		"Nil":    func(*puppet, *actor.Context) { panic(nil) },
		"Goexit": func(*puppet, *actor.Context) { runtime.Goexit() },
		//lint:ignore SA5000 this panics, which is the point
		"Map": func(*puppet, *actor.Context) { map[int]int(nil)[1] = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var reports []actor.PanicReport
			sys := start(t, actor.WithWorkers(1),
				actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) {
					mu.Lock()
					defer mu.Unlock()
					reports = append(reports, r)
				}}))
			others := []actor.Ref[puppet]{puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})}
			var crashed []actor.Ref[puppet]
			for range 10 {
				for _, typ := range []*actor.Type[puppet]{puppetType} {
					r := typ.Spawn(sys, puppet{})
					do.Send(sys, r, crash)
					crashed = append(crashed, r)
				}
				for _, r := range others {
					count.Send(sys, r, 1)
				}
			}
			quiet(t, sys)
			for _, r := range others {
				n, err := value.Ask(soon(t), r, struct{}{})
				must(t, err)
				equal(t, "state of the others", n, 10)
			}
			// Reports come in any order, since the worker is handed over while a hook waits.
			reported := map[uint64]int{}
			for _, p := range reports {
				reported[p.ActorID]++
			}
			for _, r := range crashed {
				wants(t, count.TrySend(sys, r, 1), actor.ErrStopped)
				equal(t, "reports", reported[r.ID()], 1)
			}
			st := sys.Stats()
			equal(t, "Stats.Panics", st.Panics, 10)
			equal(t, "Stats.Stopped", st.Stopped, 10)
			equal(t, "reports", len(reports), 10)
		})
	}
}

// TestPanic_OfPinned: a pinned thread survives too.
func TestPanic_OfPinned(t *testing.T) {
	sys := start(t)
	for _, crash := range []deed{
		func(*puppet, *actor.Context) { panic("pinned") },
		func(*puppet, *actor.Context) { runtime.Goexit() },
	} {
		r := pinnedType.Spawn(sys, puppet{})
		pinnedDo.Send(sys, r, crash)
		pinnedDo.Send(sys, r, func(*puppet, *actor.Context) { t.Error("it ran after its end") })
		quiet(t, sys)
		alive := pinnedType.Spawn(sys, puppet{})
		_, err := pinnedTry.Ask(soon(t), alive, func(*puppet, *actor.Context) (any, error) {
			return nil, nil
		})
		must(t, err)
	}
	quiet(t, sys)
	equal(t, "Stats.Panics", sys.Stats().Panics, 2)
	equal(t, "Stats.DeadLetters", sys.Stats().DeadLetters, 2)
}

// crashHere panics in a frame of its own, below a deferred function that panics again.
func crashHere(*puppet, *actor.Context) {
	defer func() { panic("second") }()
	deepest()
}

//go:noinline
func deepest() { panic("first") }

//go:noinline
func dereference(p *int) int { return *p }

// TestPanicReport: the report has type and behaviour, sender, value, and the stack, "beginning with
// the frame that panicked".
func TestPanicReport(t *testing.T) {
	for _, c := range []struct {
		name, frame string
		f           deed
	}{
		{"Panic", "actor_test.deepest", func(*puppet, *actor.Context) { deepest() }},
		{"Repanic", "actor_test.deepest", crashHere},
		{"NilDereference", "actor_test.dereference", func(*puppet, *actor.Context) { dereference(nil) }},
		{"Index", "actor_test.TestPanicReport", func(p *puppet, _ *actor.Context) { _ = []int{}[p.n] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			reports := make(chan actor.PanicReport, 1)
			sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) { reports <- r }}))
			r, s := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
			do.Send(sys, s, func(_ *puppet, ctx *actor.Context) { do.Send(ctx, r, c.f) })
			quiet(t, sys)
			p := receive(t, "the report", reports)
			equal(t, "actor", p.ActorID, r.ID())
			equal(t, "from", p.From, s.ID())
			equal(t, "type", p.Type, "puppet")
			equal(t, "behaviour", p.Behaviour, "do")
			equal(t, "goexit", p.Goexit, false)
			first, _, _ := strings.Cut(string(p.Stack), "\n")
			if !strings.Contains(first, c.frame) {
				t.Errorf("the stack begins with %q, want %s; value %v:\n%s", first, c.frame, p.Value, p.Stack)
			}
			if strings.Contains(string(p.Stack), "RunTask") {
				t.Errorf("the stack shows what lies below the dispatch:\n%s", p.Stack)
			}
		})
	}
}

// TestPanicReport_BelowTheDispatch: the runtime calls some behaviours in another way. Their stacks
// do not show the runtime's frames below them either.
func TestPanicReport_BelowTheDispatch(t *testing.T) {
	typ := actor.NewType[puppet]("panics").OnStart(func(p *puppet, _ *actor.Context) error {
		if p.n > 0 {
			deepest()
		}
		return nil
	})
	carried := actor.Declare[int](typ, "carried")
	typ.Table(carried.Handle(func(*puppet, *actor.Context, int) { deepest() }))
	for name, f := range map[string]func(*actor.System){
		"carried": func(sys *actor.System) {
			carried.Send(sys.With(t.Context()), typ.Spawn(sys, puppet{}), 1)
		},
		"started": func(sys *actor.System) { typ.Spawn(sys, puppet{n: 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			reports := make(chan actor.PanicReport, 1)
			sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) { reports <- r }}))
			f(sys)
			quiet(t, sys)
			if p := receive(t, "the report", reports); strings.Contains(string(p.Stack), "RunTask") {
				t.Errorf("%s", p.Stack)
			}
		})
	}
}

// TestPanicError: its text and its wrapped errors.
func TestPanicError(t *testing.T) {
	equal(t, "Error", (&actor.PanicError{Value: "x"}).Error(), "gallop: actor panicked: x")
	equal(t, "Error", (&actor.PanicError{Goexit: true}).Error(),
		"gallop: actor panicked: runtime.Goexit")
	err := error(&actor.PanicError{Value: errUser})
	if !errors.Is(err, actor.ErrPanicked) || !errors.Is(err, errUser) {
		t.Errorf("%v wraps too little", err)
	}
}

// TestHooks_Panic: "A panic or a runtime.Goexit in it is logged and ignored". The worker goes on,
// and the counters stay right.
func TestHooks_Panic(t *testing.T) {
	for name, crash := range map[string]func(){
		"Panic":  func() { panic("hook") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			var log lockedBuffer
			sys := start(t, actor.WithWorkers(1), actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
				actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) { crash() }}),
				actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { crash() }}))
			inside(t, sys, func(c *actor.Context) {
				r := puppetType.Spawn(c, puppet{})
				do.Send(c, r, func(*puppet, *actor.Context) { panic("behaviour") })
				for range 5 {
					count.Send(c, r, 1)
				}
			})
			quiet(t, sys)
			st := sys.Stats()
			equal(t, "panics", st.Panics, 1)
			equal(t, "stopped", st.Stopped, 1)
			equal(t, "dead letters", st.DeadLetters, 5)
			// One of Hooks.Panic, and the 1st, 2nd and 4th of Hooks.DeadLetter.
			equal(t, "logged", strings.Count(log.String(), "gallop: panic in a hook"), 1+3)
			inside(t, sys, func(*actor.Context) {})
		})
	}
}

// TestOnDeadLetter_SendsInVain: "Dead letters that a DeadLetter function causes directly are
// counted and logged, but not reported to a DeadLetter function". This also holds for dead letters
// of another system whose function does the same. A later letter is reported again.
func TestOnDeadLetter_SendsInVain(t *testing.T) {
	for name, systems := range map[string]int{"Itself": 1, "EachOther": 2} {
		t.Run(name, func(t *testing.T) {
			const rounds = 2
			var heardBy atomic.Int64
			list, office := make([]*actor.System, systems), make([]actor.Ref[puppet], systems)
			for i := range list {
				list[i] = start(t, actor.WithLogger(silent),
					actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
						at := (i + 1) % systems
						heardBy.Add(1)
						count.Send(list[at], office[at], 1)
					}}))
				office[i] = puppetType.Spawn(list[i], puppet{})
				actor.Stop(list[i], office[i])
				quiet(t, list[i])
			}
			for range rounds {
				count.Send(list[0], office[0], 1)
			}
			equal(t, "heardBy", heardBy.Load(), int64(rounds))
			letters := uint64(0)
			for _, sys := range list {
				letters += sys.Stats().DeadLetters
			}
			equal(t, "dead letters", letters, uint64(rounds*2))
		})
	}
}

// TestOnDeadLetter_Drops: the same holds for "messages that [OverflowDropOldest] drops for them".
func TestOnDeadLetter_Drops(t *testing.T) {
	typ := actor.NewType[struct{}]("narrow", actor.WithBound(2, actor.OverflowDropOldest))
	run := actor.Declare[func()](typ, "run")
	typ.Table(run.Handle(func(_ *struct{}, _ *actor.Context, f func()) { f() }))
	var to actor.Ref[struct{}]
	var sys *actor.System
	heardBy := 0
	sys = start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
			heardBy++
			run.Send(sys, to, func() {})
		}}))
	to = typ.Spawn(sys, struct{}{})
	began, until := make(chan struct{}), make(chan struct{})
	run.Send(sys, to, func() { close(began); <-until })
	<-began
	for range 10 {
		run.Send(sys, to, func() {})
	}
	close(until)
	quiet(t, sys)
	equal(t, "told of", heardBy, 8)
	equal(t, "dead letters", sys.Stats().DeadLetters, 2*8-1) // the hook's last message has room
}

// crashingHandler is a handler of a logger that panics or exits.
type crashingHandler struct {
	slog.Handler
	crash func()
	calls *atomic.Int64
}

func (h crashingHandler) Handle(context.Context, slog.Record) error {
	h.calls.Add(1)
	h.crash()
	return nil
}

// TestLogger_Panics: a logger that panics or exits does no harm.
func TestLogger_Panics(t *testing.T) {
	for name, crash := range map[string]func(){
		"Panic":  func() { panic("handler") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			h := crashingHandler{silent.Handler(), crash, new(atomic.Int64)}
			sys := start(t, actor.WithWorkers(1), actor.WithLogger(slog.New(h)))
			r := puppetType.Spawn(sys, puppet{})
			do.Send(sys, r, func(*puppet, *actor.Context) { panic("behaviour") })
			count.Send(sys, r, 1)
			quiet(t, sys)
			count.Send(sys, r, 1)
			equal(t, "dead letters", sys.Stats().DeadLetters, 2)
			equal(t, "calls", h.calls.Load(), 3)
			inside(t, sys, func(*actor.Context) {})
		})
	}
}

// TestLogger: without hooks, panics and dead letters are logged. Of many dead letters ever fewer
// are logged.
func TestLogger(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	r := puppetType.Spawn(sys, puppet{})
	do.Send(sys, r, func(*puppet, *actor.Context) { panic("logged") })
	quiet(t, sys)
	for range 100 {
		count.Send(sys, r, 1)
	}
	s := log.String()
	equal(t, "panics logged", strings.Count(s, `msg="gallop: behaviour panicked"`), 1)
	equal(t, "dead letters logged", strings.Count(s, `msg="gallop: dead letter"`), 7)
	for _, want := range []string{"type=puppet", "behaviour=do", "value=logged", "behaviour=count",
		"so_far=64", "actor stopped"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not in the log:\n%s", want, s)
		}
	}
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
