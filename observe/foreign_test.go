package observe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/supervise"
)

// The user's code may misbehave wherever the runtime calls it. This table crosses all these places
// with all misdeeds. In each case the program goes on, the caller has an answer, no other actor is
// hurt, the system stops, and the misdeed is named in the log, by a hook, or to the caller.

// misdeed is the act of the user's code at its first call.
type misdeed struct {
	name string
	do   func(w *world)
	// silent misdeeds are none that could be named: the call returns in the end.
	silent bool
}

var misdeeds = []misdeed{
	{name: "panic", do: func(*world) { panic("a misdeed") }},
	{name: "panic of nil", do: func(*world) { panic(nil) }},
	{name: "panic of a value whose text panics", do: func(*world) {
		panic(evil{func() { panic("no text") }})
	}},
	{name: "panic of a value whose text calls Goexit", do: func(*world) { panic(evil{runtime.Goexit}) }},
	{name: "panic of a nil error", do: func(*world) { panic((*nilFault)(nil)) }},
	{name: "panic of a value that cannot be compared", do: func(*world) { panic([]int{1}) }},
	{name: "nil pointer", do: func(*world) { _ = *(*int)(nil) }},
	{name: "Goexit", do: func(*world) { runtime.Goexit() }},
	{name: "block", silent: true, do: func(w *world) { <-w.release }},
	{name: "call back", silent: true, do: func(w *world) {
		w.sys.Stats()
		w.sys.Why()
		foreignNop.Send(w.sys, w.other, 0)
		inspect.Names(w.sys)
		if f := w.again.Load(); f != nil {
			(*f)()
		}
	}},
	{name: "locked thread", silent: true, do: func(*world) { runtime.LockOSThread() }},
	{name: "label", silent: true, do: func(*world) {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("left", "here")))
	}},
}

// evil is an error whose text does something.
type evil struct{ text func() }

func (e evil) Error() string { e.text(); return "evil" }

type nilFault struct{ text string }

func (e *nilFault) Error() string { return e.text }

// world is where one place and one misdeed meet.
type world struct {
	sys     *actor.System
	opts    []actor.Option
	other   actor.Ref[foreign]     // is not to be hurt
	again   atomic.Pointer[func()] // is called by code that comes back; nil: nothing
	deed    misdeed
	done    atomic.Bool   // the misdeed was done
	reached chan struct{} // is closed then
	release chan struct{}

	mu     sync.Mutex
	log    bytes.Buffer // guarded by mu
	caught []string     // by the caller; guarded by mu
	wrong  []string     // faults found by the place itself; guarded by mu
}

// comesBack sets the function that code which comes back calls.
func (w *world) comesBack(f func()) { w.again.Store(&f) }

// misbehaveAgain is misbehave for code that misbehaves whenever it is called.
func (w *world) misbehaveAgain() {
	if w.done.CompareAndSwap(false, true) {
		close(w.reached)
	}
	w.deed.do(w)
}

// misbehave is called by the user's code where it misbehaves.
func (w *world) misbehave() {
	if w.done.CompareAndSwap(false, true) {
		close(w.reached)
		w.deed.do(w)
	}
}

func (w *world) note(to *[]string, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.mu.Lock()
	defer w.mu.Unlock()
	*to = append(*to, text)
}

// Write implements io.Writer, for the log.
func (w *world) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(b)
}

// foreign is an actor that runs the functions that it is sent.
type foreign struct {
	w    *world
	keep int
}

func (f *foreign) Do(c *actor.Context, do func(*actor.Context)) { do(c) }
func (f *foreign) Nop(*actor.Context, int)                      {}
func (f *foreign) Down(*actor.Context, actor.Down)              {}
func (f *foreign) Exit(*actor.Context, actor.Exit)              {}
func (f *foreign) Get(c *actor.Context, do func(*actor.Context) error) (int, error) {
	return 1, do(c)
}
func (f *foreign) Got(c *actor.Context, r actor.Result[int]) {
	if f.w != nil {
		f.w.misbehave()
	}
}

var (
	foreignType = actor.NewType[foreign]("foreign")
	foreignDo   = actor.Declare[func(*actor.Context)](foreignType, "do")
	foreignRush = actor.Declare[func(*actor.Context)](foreignType, "rush", actor.Urgent())
	foreignNop  = actor.Declare[int](foreignType, "nop")
	foreignDown = actor.Declare[actor.Down](foreignType, "down")
	foreignExit = actor.Declare[actor.Exit](foreignType, "exit")
	foreignGet  = actor.DeclareAsk[func(*actor.Context) error, int](foreignType, "get")
	foreignGot  = actor.Declare[actor.Result[int]](foreignType, "got")
	_           = foreignType.Table(foreignDo.Handle((*foreign).Do), foreignRush.Handle((*foreign).Do),
		foreignNop.Handle((*foreign).Nop), foreignDown.Handle((*foreign).Down),
		foreignExit.Handle((*foreign).Exit),
		foreignGet.Handle((*foreign).Get), foreignGot.Handle((*foreign).Got))
)

// member is an actor of a type that a place makes, with callbacks of its own.
type member struct{ w *world }

func (m *member) Inspect() any { m.w.misbehave(); return 1 }

type valued struct{ w *world }

func (v *valued) LogValue() slog.Value { v.w.misbehave(); return slog.IntValue(1) }

// place is where the runtime calls the user's code. run brings it there. It may panic or call Goexit,
// as a caller of the user's would.
type place struct {
	name  string
	begin func(w *world) // before the start of the system
	run   func(t *testing.T, w *world)
	// quiet: a question, of which a panic is an answer. It need not be named.
	quiet bool
	// maybe: it depends on the runtime whether it comes there.
	maybe bool
	// meets are the only misdeeds that it is crossed with; empty: all.
	meets []string
}

// inTurn runs f in a behaviour of a new actor, and waits for it.
func (w *world) inTurn(f func(c *actor.Context)) actor.Ref[foreign] {
	r := foreignType.Spawn(w.sys, foreign{})
	ended := make(chan struct{})
	foreignDo.Send(w.sys, r, func(c *actor.Context) {
		defer close(ended)
		f(c)
	})
	<-ended
	return r
}

// join waits for the end of an actor.
func join(t actor.Target) { _, _ = actor.Join(context.Background(), t) }

// ask asks an actor for nothing, which must have an answer, or an error of the end.
func (w *world) ask(r actor.Ref[foreign]) {
	if _, err := foreignGet.Ask(context.Background(), r, func(*actor.Context) error { return nil }); err != nil {
		w.note(&w.caught, "Ask: %T", err)
	}
}

// badHandler misbehaves in one of its methods.
type badHandler[M any] struct {
	w    *world
	what string
}

func (h *badHandler[M]) Send(actor.Sender, M) {
	if h.what == "Send" {
		h.w.misbehave()
	}
}

func (h *badHandler[M]) TrySend(actor.Sender, M) error {
	if h.what == "TrySend" {
		h.w.misbehave()
	}
	if h.what == "Send" {
		return actor.ErrOverloaded
	}
	return nil
}

func (h *badHandler[M]) Status() actor.Status {
	if h.what == "Status" {
		h.w.misbehave()
	}
	return actor.StatusIdle
}

// badAsker misbehaves when it is asked.
type badAsker struct{ w *world }

func (a *badAsker) Ask(context.Context, int) (int, error) { a.w.misbehave(); return 1, nil }
func (a *badAsker) AskTo(c *actor.Context, _ int, reply actor.Handler[actor.Result[int]]) {
	a.w.misbehave()
	reply.Send(c, actor.Result[int]{})
}

// badLog is a handler of slog that misbehaves.
type badLog struct {
	slog.Handler
	w    *world
	what string
}

func (l badLog) Handle(ctx context.Context, r slog.Record) error {
	if l.what == "Handle" {
		l.w.misbehave()
	}
	return l.Handler.Handle(ctx, r)
}

func (l badLog) Enabled(ctx context.Context, v slog.Level) bool {
	if l.what == "Enabled" {
		l.w.misbehave()
	}
	return l.Handler.Enabled(ctx, v)
}

func (l badLog) WithAttrs(all []slog.Attr) slog.Handler {
	if l.what == "WithAttrs" {
		l.w.misbehave()
	}
	return badLog{l.Handler.WithAttrs(all), l.w, l.what}
}

func (w *world) option(o actor.Option) { w.opts = append(w.opts, o) }

func (w *world) logsTo(what string) {
	w.option(actor.WithLogger(slog.New(badLog{slog.NewTextHandler(w, nil), w, what})))
}

// tree starts a tree with one child, and waits until it is up or has failed.
func (w *world) tree(spec supervise.Spec) (supervise.Supervisor, actor.Ref[foreign]) {
	s, err := supervise.StartWait(context.Background(), w.sys, spec)
	if err != nil {
		w.note(&w.caught, "StartWait: %T", err)
		return s, actor.Ref[foreign]{}
	}
	r, err := supervise.Find[foreign](context.Background(), s, "child")
	if err != nil {
		w.note(&w.caught, "Find: %T", err)
	}
	return s, r
}

func treeOf(w supervise.Worker[foreign]) supervise.Spec {
	w.Name, w.Backoff = "child", supervise.Backoff{Immediate: 3}
	if w.Type == nil {
		w.Type = foreignType
	}
	return supervise.Spec{Name: "tree", Children: []supervise.Child{w},
		Intensity: supervise.Intensity{Restarts: 5, Within: time.Hour}}
}

// fall makes an actor fail, and waits until that is over.
func (w *world) fall(r actor.Ref[foreign], why error) {
	_, _ = foreignGet.Ask(context.Background(), r, func(c *actor.Context) error {
		c.Exit(why)
		return nil
	})
	w.ask(r)
}

// typeOf makes a type of the places' own, for callbacks and options of types.
func typeOf(set func(t *actor.Type[foreign]), opts ...actor.TypeOption) (*actor.Type[foreign],
	actor.AskBehaviour[foreign, func(*actor.Context) error, int], actor.Behaviour[foreign, int]) {
	typ := actor.NewType[foreign]("own", opts...)
	get := actor.DeclareAsk[func(*actor.Context) error, int](typ, "get")
	nop := actor.Declare[int](typ, "nop")
	typ.Table(get.Handle((*foreign).Get), nop.Handle((*foreign).Nop))
	if set != nil {
		set(typ)
	}
	return typ, get, nop
}

var errFall = errors.New("a fall")

func nothing(*actor.Context) error { return nil }

// places are all where the runtime calls code that is not its own.
func places() []place {
	bg := context.Background()
	all := []place{
		{name: "behaviour", run: func(_ *testing.T, w *world) {
			w.inTurn(func(*actor.Context) { w.misbehave() })
		}},
		{name: "urgent behaviour", run: func(_ *testing.T, w *world) {
			r := foreignType.Spawn(w.sys, foreign{})
			foreignRush.Send(w.sys, r, func(*actor.Context) { w.misbehave() })
			w.ask(r)
		}},
		{name: "request", run: func(_ *testing.T, w *world) {
			_, _ = foreignGet.Ask(bg, foreignType.Spawn(w.sys, foreign{}), func(*actor.Context) error {
				w.misbehave()
				return nil
			})
		}},
		{name: "request put off", run: func(_ *testing.T, w *world) {
			_, _ = foreignGet.Ask(bg, foreignType.Spawn(w.sys, foreign{}), func(c *actor.Context) error {
				d := actor.Defer(c, foreignGet)
				w.misbehave()
				d.Reply(c, 1, nil)
				return nil
			})
		}},
		{name: "outcome of AskTo", run: func(_ *testing.T, w *world) {
			r := foreignType.Spawn(w.sys, foreign{w: w})
			foreignDo.Send(w.sys, r, func(c *actor.Context) {
				actor.AskTo(c, foreignGet, w.other, nothing, foreignGot)
			})
		}},
		{name: "timer", run: func(_ *testing.T, w *world) {
			w.inTurn(func(c *actor.Context) {
				actor.After(c, 1, foreignDo, func(*actor.Context) { w.misbehave() })
			})
		}},
		{name: "shield", run: func(_ *testing.T, w *world) {
			w.inTurn(func(c *actor.Context) { c.Shield(w.misbehave) })
		}},
		{name: "Blocking", run: func(_ *testing.T, w *world) {
			w.inTurn(func(c *actor.Context) { c.Blocking(w.misbehave) })
		}},
		{name: "Pipe", quiet: true, run: func(_ *testing.T, w *world) { // its outcome names it
			w.inTurn(func(c *actor.Context) {
				actor.Pipe(c, foreignGot, func(context.Context) (int, error) { w.misbehave(); return 1, nil })
			})
		}},
		{name: "SpawnFunc", run: func(_ *testing.T, w *world) {
			foreignType.SpawnFunc(w.sys, func(*foreign) { w.misbehave() })
		}},
		{name: "OnStart", run: func(_ *testing.T, w *world) {
			typ, get, _ := typeOf(func(t *actor.Type[foreign]) {
				t.OnStart(func(*foreign, *actor.Context) error { w.misbehave(); return nil })
			})
			_, _ = get.Ask(bg, typ.Spawn(w.sys, foreign{}), nothing)
		}},
		{name: "OnStop", run: func(_ *testing.T, w *world) {
			typ, _, _ := typeOf(func(t *actor.Type[foreign]) {
				t.OnStop(func(*foreign, *actor.Context, error) { w.misbehave() })
			})
			r := typ.Spawn(w.sys, foreign{})
			actor.Stop(w.sys, r)
			join(r)
		}},
		{name: "Init of a child", run: func(_ *testing.T, w *world) {
			w.tree(treeOf(supervise.Worker[foreign]{Init: func(*foreign) { w.misbehave() }}))
		}},
		{name: "OnStart of a child", run: func(_ *testing.T, w *world) {
			typ, _, _ := typeOf(func(t *actor.Type[foreign]) {
				t.OnStart(func(*foreign, *actor.Context) error { w.misbehave(); return nil })
			})
			w.tree(treeOf(supervise.Worker[foreign]{Type: typ}))
		}},
		{name: "OnStop of a child that falls", run: func(_ *testing.T, w *world) {
			typ, get, _ := typeOf(func(t *actor.Type[foreign]) {
				t.OnStop(func(*foreign, *actor.Context, error) { w.misbehave() })
			})
			_, r := w.tree(treeOf(supervise.Worker[foreign]{Type: typ}))
			_, _ = get.Ask(bg, r, func(c *actor.Context) error { c.Exit(errFall); return nil })
			_, _ = get.Ask(bg, r, nothing)
		}},
		{name: "Decide", run: func(_ *testing.T, w *world) {
			_, r := w.tree(treeOf(supervise.Worker[foreign]{Decide: func(error) supervise.Decision {
				w.misbehave()
				return supervise.DecideRestart
			}}))
			w.fall(r, errFall)
		}},
		{name: "WithKeep", run: func(_ *testing.T, w *world) {
			typ, get, _ := typeOf(nil, actor.WithKeep(func(*foreign) { w.misbehave() }))
			_, r := w.tree(treeOf(supervise.Worker[foreign]{Type: typ}))
			_, _ = get.Ask(bg, r, func(c *actor.Context) error { c.Exit(errFall); return nil })
			_, _ = get.Ask(bg, r, nothing)
		}},
		{name: "OnEvent", run: func(_ *testing.T, w *world) {
			spec := treeOf(supervise.Worker[foreign]{})
			spec.OnEvent = func(supervise.Event) { w.misbehave() }
			_, r := w.tree(spec)
			w.fall(r, errFall)
		}},
		{name: "Hooks.Panic", begin: func(w *world) {
			w.option(actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) { w.misbehave() }}))
		}, run: func(_ *testing.T, w *world) { w.inTurn(func(*actor.Context) { panic(errFall) }) }},
		{name: "Hooks.DeadLetter", begin: func(w *world) {
			w.option(actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { w.misbehave() }}))
		}, run: func(_ *testing.T, w *world) {
			r := foreignType.Spawn(w.sys, foreign{})
			actor.Stop(w.sys, r)
			join(r)
			w.ask(r)
		}},
		// Nobody waits for it, so that its panic may be named after the end.
		{name: "Hooks.LongTurn", quiet: true, begin: func(w *world) {
			w.option(actor.WithLongTurn(time.Millisecond))
			w.option(actor.WithHooks(actor.Hooks{LongTurn: func(actor.LongTurnReport) { w.misbehave() }}))
		}, run: func(_ *testing.T, w *world) {
			w.inTurn(func(*actor.Context) { <-w.reached })
		}},
		{name: "AskTo with a Handler", run: func(_ *testing.T, w *world) {
			r := foreignType.Spawn(w.sys, foreign{})
			w.inTurn(func(c *actor.Context) {
				foreignGet.To(r).AskTo(c, nothing, &badHandler[actor.Result[int]]{w, "Send"})
			})
			w.ask(r)
		}},
		{name: "state's Inspect", quiet: true, run: func(_ *testing.T, w *world) {
			typ := actor.NewType[member]("member")
			typ.Table()
			_, err := inspect.State(bg, typ.Spawn(w.sys, member{w}).Any())
			w.note(&w.caught, "State: %v", err)
		}},
		{name: "state's LogValue", quiet: true, run: func(_ *testing.T, w *world) {
			typ := actor.NewType[valued]("valued")
			typ.Table()
			_, err := inspect.State(bg, typ.Spawn(w.sys, valued{w}).Any())
			w.note(&w.caught, "State: %v", err)
		}},
		{name: "Around, Before", run: func(_ *testing.T, w *world) {
			defer inspect.Around(w.sys, inspect.Probe{Before: func(c *actor.Context, _ inspect.Message) {
				if c.ActorID() != w.other.ID() {
					w.misbehave()
				}
			}})()
			w.ask(foreignType.Spawn(w.sys, foreign{}))
		}},
		{name: "Around, After", run: func(_ *testing.T, w *world) {
			defer inspect.Around(w.sys, inspect.Probe{After: func(c *actor.Context, _ inspect.Message) {
				if c.ActorID() != w.other.ID() {
					w.misbehave()
				}
			}})()
			w.ask(foreignType.Spawn(w.sys, foreign{}))
		}},
		{name: "Delays", run: func(_ *testing.T, w *world) {
			inspect.Begin(w.sys)
			_, _ = foreignType.SpawnNamed(w.sys, "delayed", foreign{})
			stop := inspect.Delays(w.sys, 10*time.Millisecond, func(string, time.Duration) { w.misbehave() })
			<-w.reached
			stop()
		}},
		{name: "writer of a flight recorder", quiet: true, run: func(t *testing.T, w *world) {
			r, err := flight.Start(w.sys, flight.WithWriter(badWriter{w}))
			if err != nil {
				t.Error(err)
				return
			}
			w.note(&w.caught, "Dump: %v", r.Dump("a test"))
			r.Close()
		}},
		{name: "writer of a flight recorder, asked", quiet: true, run: func(t *testing.T, w *world) {
			r, err := flight.Start(w.sys, flight.WithWriter(badWriter{w}))
			if err != nil {
				t.Error(err)
				return
			}
			join(w.inTurn(func(*actor.Context) { panic(errFall) }))
			r.Close()
		}},
		{name: "WithRedact", quiet: true, run: func(_ *testing.T, w *world) {
			h := observe.Handler(w.sys, observe.WithRedact(func(_, text string) string {
				w.misbehave()
				return text
			}))
			_, _ = foreignType.SpawnNamed(w.sys, "shown", foreign{})
			r := httptest.NewRequest("GET", "/api/v1/names", nil)
			r.Host = "localhost"
			h.ServeHTTP(httptest.NewRecorder(), r)
		}},
	}
	all = append(all, interceptorPlaces()...)
	all = append(all, groupPlaces()...)
	for _, what := range []string{"Handle", "Enabled", "WithAttrs"} {
		all = append(all, place{name: "logger's " + what, quiet: true, begin: func(w *world) { w.logsTo(what) },
			run: func(_ *testing.T, w *world) {
				w.inTurn(func(c *actor.Context) { c.Logger() })
				_, r := w.tree(treeOf(supervise.Worker[foreign]{}))
				w.fall(r, errFall)
				join(w.inTurn(func(*actor.Context) { panic(errFall) }))
			}})
	}
	all = append(all, contextPlaces()...)
	for _, what := range []string{"Error", "Is", "Unwrap"} {
		// A message that is refused with a bad error, while dead letters are looked at.
		all = append(all, place{name: "refusal's " + what, quiet: true, begin: func(w *world) {
			w.option(actor.WithInterceptor(actor.Interceptor{Before: func(_ *actor.Context,
				in *actor.Invocation) error {
				if in.Behaviour() == "rush" {
					return &badError{w, what}
				}
				return nil
			}}))
		}, run: func(_ *testing.T, w *world) {
			feed := inspect.DeadLetters(w.sys)
			defer feed.Close()
			r := foreignType.Spawn(w.sys, foreign{})
			foreignRush.Send(w.sys, r, func(*actor.Context) {})
			w.ask(r)
			feed.Letters()
		}})
	}
	all = append(all, errorPlaces()...)
	all = append(all, place{name: "panic value's Error", quiet: true, run: func(_ *testing.T, w *world) {
		recent := inspect.Panics(w.sys)
		defer recent.Close()
		join(w.inTurn(func(*actor.Context) { panic(&badError{w, "Error"}) }))
	}})
	return slices.DeleteFunc(all, func(p place) bool { return slices.Contains(unasked, p.name) })
}

// unasked are questions that the runtime does not ask there.
var unasked = []string{
	"handler's TrySend, of a Registry", // by a relay
}

type badWriter struct{ w *world }

func (b badWriter) Write(p []byte) (int, error) { b.w.misbehave(); return len(p), nil }

func byName(a, b place) int { return strings.Compare(a.name, b.name) }

// interceptorPlaces are the functions of interceptors, around each sort of message.
func interceptorPlaces() (all []place) {
	sends := map[string]func(w *world, r actor.Ref[foreign]){
		"message": func(w *world, r actor.Ref[foreign]) { foreignNop.Send(w.sys, r, 1); w.ask(r) },
		"urgent": func(w *world, r actor.Ref[foreign]) {
			foreignRush.Send(w.sys, r, func(*actor.Context) {})
			w.ask(r)
		},
		"request": func(w *world, r actor.Ref[foreign]) { w.ask(r) },
		"request that fails": func(w *world, r actor.Ref[foreign]) {
			_, _ = foreignGet.Ask(context.Background(), r, func(*actor.Context) error { return errFall })
		},
		"request put off": func(w *world, r actor.Ref[foreign]) {
			_, _ = foreignGet.Ask(context.Background(), r, func(c *actor.Context) error {
				d := actor.Defer(c, foreignGet)
				go d.Reply(w.sys, 1, nil)
				return nil
			})
		},
		"outcome": func(w *world, r actor.Ref[foreign]) {
			foreignDo.Send(w.sys, r, func(c *actor.Context) {
				actor.AskTo(c, foreignGet, w.other, nothing, foreignGot, actor.Within(time.Hour))
			})
			w.ask(r)
		},
	}
	for sort, send := range sends {
		for _, when := range []string{"Before", "After"} {
			all = append(all, place{name: when + " of an interceptor, " + sort, begin: func(w *world) {
				is := func(c *actor.Context) bool { return w.sys != nil && c.ActorID() != w.other.ID() }
				i := actor.Interceptor{Before: func(c *actor.Context, _ *actor.Invocation) error {
					if is(c) {
						w.misbehave()
					}
					return nil
				}}
				if when == "After" {
					i = actor.Interceptor{After: func(c *actor.Context, _ *actor.Invocation, _ actor.Outcome) {
						if is(c) {
							w.misbehave()
						}
					}}
				}
				w.option(actor.WithInterceptor(i))
			}, run: func(_ *testing.T, w *world) { send(w, foreignType.Spawn(w.sys, foreign{})) }})
		}
	}
	slices.SortFunc(all, byName)
	return all
}

// groupPlaces are the places in package group.
func groupPlaces() (all []place) {
	bg := context.Background()
	toPool := func(w *world, p group.Pool[int]) {
		w.comesBack(func() { p.Send(w.sys, 2) })
		p.Send(w.sys, 1)
		_, _ = p.Len(bg)
	}
	toAskPool := func(w *world, p group.AskPool[int, int]) {
		w.comesBack(func() {
			p.Len()
			defer func() { _ = recover() }() // of a policy: a misuse
			_, _ = p.Ask(bg, 2)
		})
		_, _ = p.Ask(bg, 1)
		w.again.Store(nil)
		p.Len()
	}
	policies := map[string]func(w *world) group.Policy[int]{
		"PolicyOf": func(w *world) group.Policy[int] {
			return group.PolicyOf(func() func(int, group.Members) int {
				return func(int, group.Members) int { w.misbehave(); return 0 }
			})
		},
		"start of PolicyOf": func(w *world) group.Policy[int] {
			return group.PolicyOf(func() func(int, group.Members) int {
				w.misbehave()
				return func(int, group.Members) int { return 0 }
			})
		},
		"Hash": func(w *world) group.Policy[int] {
			return group.Hash(func(int) uint64 { w.misbehave(); return 1 })
		},
	}
	for name, policy := range policies {
		all = append(all, place{name: name + ", of a Pool", run: func(_ *testing.T, w *world) {
			toPool(w, group.NewPool(policy(w), foreignNop.To(w.other)).Start(w.sys))
		}}, place{name: name + ", of an AskPool", run: func(_ *testing.T, w *world) {
			toAskPool(w, group.NewAskPool[int, int](policy(w), &badAsker{&world{deed: misdeed{do: func(*world) {}},
				reached: make(chan struct{})}}))
		}})
	}
	for _, what := range []string{"TrySend", "Send", "Status"} {
		all = append(all, place{name: "handler's " + what + ", in a Pool", quiet: what == "Status",
			run: func(_ *testing.T, w *world) {
				toPool(w, group.NewPool[int](group.RoundRobin[int](), &badHandler[int]{w, what}).Start(w.sys))
			}}, place{name: "handler's " + what + ", in a Topic", quiet: what == "Status",
			run: func(_ *testing.T, w *world) {
				top := group.NewTopic[int]().Start(w.sys)
				top.Subscribe(w.sys, &badHandler[int]{w, what})
				top.Publish(w.sys, 1)
				_, _ = top.Len(bg)
			}}, place{name: "handler's " + what + ", of a Registry", quiet: what != "Send",
			run: func(_ *testing.T, w *world) {
				reg := group.NewRegistry[string, int]().Start(w.sys)
				w.comesBack(func() { reg.Members("a") })
				reg.SubscribeAll(w.sys, &badHandler[group.Change[string, int]]{w, what})
				reg.Join(w.sys, "a", 1)
				reg.Members("a")
			}})
	}
	all = append(all, place{name: "Asker, of an AskPool", run: func(_ *testing.T, w *world) {
		toAskPool(w, group.NewAskPool[int, int](group.RoundRobin[int](), &badAsker{w}))
	}}, place{name: "member's OnStart", run: func(_ *testing.T, w *world) {
		typ, _, nop := typeOf(func(t *actor.Type[foreign]) {
			t.OnStart(func(*foreign, *actor.Context) error { w.misbehave(); return nil })
		})
		toPool(w, group.NewPoolOf(group.RoundRobin[int](), 2, nop,
			group.MemberSpec[foreign]{Type: typ}).Start(w.sys))
		<-w.reached
	}})
	slices.SortFunc(all, byName)
	return all
}

// hangLimit is how long nothing may happen before that is a hang.
const hangLimit = time.Minute

// TestForeignCode crosses all places with all misdeeds.
func TestForeignCode(t *testing.T) {
	n := 0
	for _, p := range places() {
		for _, m := range misdeeds {
			if len(p.meets) > 0 && !slices.Contains(p.meets, m.name) {
				continue
			}
			n++
			switch wrong := meet(t, p, m); {
			case strings.Contains(wrong, "hangs"): // each would take its time
				t.Fatalf("%s: %s: %s", p.name, m.name, wrong)
			case wrong != "":
				t.Errorf("%s: %s: %s", p.name, m.name, wrong)
			}
		}
	}
	t.Logf("%d combinations", n)
}

// meet runs a misdeed in a place and returns the faults.
func meet(t *testing.T, p place, m misdeed) (wrong string) {
	w := &world{deed: m, reached: make(chan struct{}), release: make(chan struct{})}
	w.option(actor.WithWorkers(2))
	w.option(actor.WithLogger(slog.New(slog.NewTextHandler(w, nil))))
	if p.begin != nil {
		p.begin(w)
	}
	w.sys = actor.Start(w.opts...)
	w.other = foreignType.Spawn(w.sys, foreign{})
	over := func(what string, f func()) bool {
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		select {
		case <-done:
			return true
		case <-time.After(hangLimit):
			stacks := make([]byte, 1<<20)
			wrong = what + " hangs\n" + string(stacks[:runtime.Stack(stacks, true)])
			return false
		}
	}
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		returned := false
		defer func() {
			if v := recover(); v != nil {
				w.note(&w.caught, "a panic of type %T", v)
			} else if !returned {
				w.note(&w.caught, "Goexit")
			}
		}()
		p.run(t, w)
		returned = true
	}()
	select {
	case <-w.reached:
	case <-ran:
	case <-time.After(hangLimit):
		return "the place is not reached"
	}
	if m.name == "block" { // others go on meanwhile
		if !over("another actor", func() { w.ask(w.other) }) {
			return wrong
		}
		close(w.release)
	}
	if !over("the caller", func() { <-ran }) || !over("another actor", func() { w.ask(w.other) }) {
		return wrong
	}
	quiet, cancel := context.WithTimeout(context.Background(), hangLimit)
	defer cancel()
	if err := w.sys.Wait(quiet); err != nil {
		return fmt.Sprint("the system does not come to rest: ", err)
	}
	status := w.other.Status()
	if !over("Stop", w.sys.Stop) {
		return wrong
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.done.Load() && p.maybe:
		return ""
	case !w.done.Load():
		return "the place is not reached"
	case len(w.wrong) > 0:
		return w.wrong[0]
	case status == actor.StatusEnded:
		return "another actor has ended"
	case m.silent || p.quiet:
	case w.log.Len() == 0 && len(w.caught) == 0:
		return "nothing names it"
	}
	return ""
}
