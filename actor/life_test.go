package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// diary records the acts of actors, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// says fails the test unless the diary has exactly these lines.
func (d *diary) says(t testing.TB, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, want) {
		t.Fatalf("the diary says\n%q, want\n%q", d.lines, want)
	}
}

// mortal is an actor that writes a diary.
type mortal struct {
	name    string
	diary   *diary
	n       int
	born    bool // its start is not recorded
	onSay   func()
	onStart func(*mortal, *actor.Context) error
	onStop  func(*mortal, *actor.Context)
	onDown  func(*mortal, *actor.Context, actor.Down)
	onFell  func(*mortal, *actor.Context, actor.ChildDown)
}

type act = func(*mortal, *actor.Context)

func (m *mortal) note(format string, args ...any) {
	if m.diary != nil {
		m.diary.add("%s: %s", m.name, fmt.Sprintf(format, args...))
	}
}

func (m *mortal) Start(c *actor.Context) error {
	if !m.born {
		m.note("start")
	}
	if m.onStart != nil {
		return m.onStart(m, c)
	}
	return nil
}

func (m *mortal) End(c *actor.Context, why error) {
	m.note("stop %s", brief(why))
	if m.onStop != nil {
		m.onStop(m, c)
	}
}

func (m *mortal) Act(c *actor.Context, f act)  { f(m, c) }
func (m *mortal) Rush(c *actor.Context, f act) { f(m, c) }
func (m *mortal) Say(_ *actor.Context, s string) {
	m.note("%s", s)
	if m.onSay != nil {
		m.onSay()
	}
}

func (m *mortal) Exit(_ *actor.Context, e actor.Exit) { m.note("exit %s", brief(e.Reason)) }

func (m *mortal) Down(c *actor.Context, d actor.Down) {
	m.note("down %s", brief(d.Reason))
	if m.onDown != nil {
		m.onDown(m, c, d)
	}
}

func (m *mortal) Fell(c *actor.Context, f actor.ChildDown) {
	m.note("fell %s %v", brief(f.Reason), f.Final)
	if m.onFell != nil {
		m.onFell(m, c, f)
	}
}

// Answered notes the outcome of a request.
func (m *mortal) Answered(_ *actor.Context, r actor.Result[int]) {
	if r.Err == nil {
		m.note("answer %d", r.Value)
	} else if m.note("answer %s", brief(r.Err)); !errors.Is(r.Err, actor.ErrStopped) {
		m.note("which is no ErrStopped")
	}
}

// Run is Act with an answer.
func (m *mortal) Run(c *actor.Context, f act) (struct{}, error) {
	f(m, c)
	return struct{}{}, nil
}

func (m *mortal) Get(_ *actor.Context, f func(*mortal) int) (int, error) { return f(m), nil }

// brief returns a reason as one word.
func brief(why error) string {
	switch {
	case why == nil:
		return "normal"
	case errors.Is(why, errUser):
		return errUser.Error()
	case errors.Is(why, actor.ErrShutdown):
		return "shutdown"
	case errors.Is(why, actor.ErrKilled):
		return "killed"
	case errors.Is(why, actor.ErrPanicked):
		return "panic"
	case errors.Is(why, actor.ErrStopped):
		return "stopped"
	}
	return why.Error()
}

var (
	mortalType = actor.NewType[mortal]("mortal").OnStart((*mortal).Start).OnStop((*mortal).End)
	doAct      = actor.Declare[act](mortalType, "act")
	rush       = actor.Declare[act](mortalType, "rush", actor.Urgent())
	say        = actor.Declare[string](mortalType, "say")
	onExit     = actor.Declare[actor.Exit](mortalType, "exit")
	onDown     = actor.Declare[actor.Down](mortalType, "down")
	onFell     = actor.Declare[actor.ChildDown](mortalType, "fell")
	fetch      = actor.DeclareAsk[func(*mortal) int, int](mortalType, "get")
	fetchIn    = actor.DeclareAsk[act, struct{}](mortalType, "run")
	answered   = actor.Declare[actor.Result[int]](mortalType, "answered")
	_          = mortalType.Table(doAct.Handle((*mortal).Act), rush.Handle((*mortal).Rush),
		say.Handle((*mortal).Say),
		onExit.Handle((*mortal).Exit), onDown.Handle((*mortal).Down), onFell.Handle((*mortal).Fell),
		fetch.Handle((*mortal).Get), fetchIn.Handle((*mortal).Run), answered.Handle((*mortal).Answered))
)

// busy makes an actor that runs a behaviour until release is called. It returns after the behaviour
// has begun.
func busy(t testing.TB, sys *actor.System, m mortal) (r actor.Ref[mortal], release func()) {
	t.Helper()
	r = mortalType.Spawn(sys, m)
	begun, end := make(chan struct{}), make(chan struct{})
	doAct.Send(sys, r, func(*mortal, *actor.Context) { close(begun); <-end })
	receive(t, "the behaviour to begin", begun)
	var once sync.Once
	release = func() { once.Do(func() { close(end) }) }
	t.Cleanup(release)
	return r, release
}

// joined returns the reason for which r ended.
func joined(t testing.TB, r actor.Target) error {
	t.Helper()
	d, err := actor.Join(soon(t), r)
	must(t, err)
	return d.Reason
}

// TestCallbacks: "before its first message"; "after its last message … with the
// reason".
func TestCallbacks(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(sys *actor.System, r actor.Ref[mortal])
		want []string
	}{
		{"Stop", func(sys *actor.System, r actor.Ref[mortal]) {
			actor.Stop(sys, r)
		}, []string{"a: stop shutdown"}},
		{"StopWith", func(sys *actor.System, r actor.Ref[mortal]) {
			actor.StopWith(sys, r, errUser)
		}, []string{"a: stop " + errUser.Error()}},
		{"StopWithNil", func(sys *actor.System, r actor.Ref[mortal]) {
			actor.StopWith(sys, r, nil)
		}, []string{"a: stop normal"}},
		{"Drain", func(sys *actor.System, r actor.Ref[mortal]) {
			actor.Drain(sys, r)
		}, []string{"a: 1", "a: 2", "a: stop shutdown"}},
		{"Kill", func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d diary
			sys := start(t, actor.WithWorkers(2))
			r, release := busy(t, sys, mortal{name: "a", diary: &d})
			say.Send(sys, r, "1")
			say.Send(sys, r, "2")
			c.end(sys, r)
			release()
			quiet(t, sys)
			d.says(t, append([]string{"a: start"}, c.want...)...)
			say.Send(sys, r, "late")
			actor.Kill(sys, r) // "Stopping an actor that has ended does nothing"
			quiet(t, sys)
			st := sys.Stats()
			equal(t, "run or dead", int(st.Messages+st.DeadLetters), 4)
			equal(t, "ended", st.Stopped, 1)
		})
	}
}

// TestCallbacks_WithoutMail: "An actor with a start function runs once without being
// sent anything", and OnStart is first even if urgent mail overtakes.
func TestCallbacks_WithoutMail(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(1))
	mortalType.Spawn(sys, mortal{name: "alone", diary: &d})
	quiet(t, sys)
	d.says(t, "alone: start")
	inside(t, sys, func(c *actor.Context) {
		r := mortalType.Spawn(c, mortal{name: "b", diary: &d})
		say.Send(c, r, "ordinary")
		rush.Send(c, r, func(m *mortal, _ *actor.Context) { m.note("urgent") })
		q := mortalType.Spawn(c, mortal{name: "c", diary: &d})
		actor.Stop(c, q) // stopped before its start: neither callback runs
	})
	quiet(t, sys)
	d.says(t, "alone: start", "b: start", "b: urgent", "b: ordinary")
}

// TestCallbacks_Fail: an error of OnStart, and panics in callbacks.
func TestCallbacks_Fail(t *testing.T) {
	crash := func() { panic("in a callback") }
	for _, c := range []struct {
		name   string
		m      mortal
		end    func(c *actor.Context)
		reason string
		where  string
		want   []string
	}{
		{"StartError", mortal{onStart: func(*mortal, *actor.Context) error {
			return errUser
		}}, nil, errUser.Error(), "", []string{"a: start"}},
		{"StartPanic", mortal{onStart: func(*mortal, *actor.Context) error {
			crash()
			return nil
		}}, nil, "panic", "OnStart", []string{"a: start"}},
		{"StartStops", mortal{onStart: func(_ *mortal, c *actor.Context) error {
			c.Stop()
			return nil
		}}, nil, "normal", "", []string{"a: start", "a: stop normal"}},
		{"StopPanic", mortal{onStop: func(*mortal, *actor.Context) {
			crash()
		}}, (*actor.Context).Stop, "panic", "OnStop", []string{"a: start", "a: stop normal"}},
		{"StopPanicAfterExit", mortal{onStop: func(*mortal, *actor.Context) {
			crash()
		}}, func(c *actor.Context) {
			c.Exit(errUser)
		}, errUser.Error(), "OnStop",
			[]string{"a: start", "a: stop " + errUser.Error()}},
		{"StopExits", mortal{onStop: func(_ *mortal, c *actor.Context) {
			c.Exit(errUser)
		}}, (*actor.Context).Stop, "normal", "", []string{"a: start", "a: stop normal"}},
		{"Panic", mortal{}, func(*actor.Context) {
			crash()
		}, "panic", "act", []string{"a: start", "a: stop panic"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d diary
			reports := make(chan actor.PanicReport, 2)
			sys := start(t, actor.WithWorkers(1),
				actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
					reports <- p
				}}))
			c.m.name, c.m.diary = "a", &d
			var r actor.Ref[mortal]
			inside(t, sys, func(ctx *actor.Context) {
				r = mortalType.Spawn(ctx, c.m)
				doAct.Send(ctx, r, func(_ *mortal, ctx *actor.Context) {
					if c.end != nil {
						c.end(ctx)
					}
				})
				say.Send(ctx, r, "never")
			})
			quiet(t, sys)
			d.says(t, c.want...)
			equal(t, "reason", brief(joined(t, r)), c.reason)
			if c.where != "" {
				equal(t, "where", receive(t, "the report", reports).Behaviour, c.where)
			}
			equal(t, "other reports", len(reports), 0)
		})
	}
}

// TestChildren: "told to end in the same way and waited for, one after another, the youngest
// first". Grandchildren end before children, and all of them before OnStop.
func TestChildren(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(sys *actor.System, r actor.Ref[mortal])
		want []string
	}{
		{"Stop", func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) },
			[]string{"b: stop shutdown", "aa: stop shutdown", "a: stop shutdown", "p: stop shutdown"}},
		{"Drain", func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) },
			[]string{"b: stop shutdown", "aa: stop shutdown", "a: stop shutdown", "p: stop shutdown"}},
		{"Kill", func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) }, nil},
		{"Exit", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(_ *mortal, c *actor.Context) { c.Stop() })
		},
			[]string{"b: stop shutdown", "aa: stop shutdown", "a: stop shutdown", "p: stop normal"}},
		{"Panic", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(*mortal, *actor.Context) { panic(1) })
		},
			[]string{"b: stop shutdown", "aa: stop shutdown", "a: stop shutdown", "p: stop panic"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d diary
			sys := start(t, actor.WithWorkers(2))
			silently := func(*mortal, *actor.Context) error { return nil }
			child := func(name string) mortal { return mortal{name: name, diary: &d, onStart: silently} }
			r := mortalType.Spawn(sys, child("p"))
			var refs []actor.Ref[mortal]
			doAct.Send(sys, r, func(_ *mortal, ctx *actor.Context) {
				a := mortalType.SpawnChild(ctx, child("a"))
				gone := mortalType.SpawnChild(ctx, child("gone"))
				refs = append(refs, a, mortalType.SpawnChild(ctx, child("b")))
				actor.Kill(ctx, gone)
				doAct.Send(ctx, a, func(_ *mortal, ctx *actor.Context) {
					refs = append(refs, mortalType.SpawnChild(ctx, child("aa")))
				})
			})
			quiet(t, sys)
			d.mu.Lock()
			d.lines = nil
			d.mu.Unlock()
			c.end(sys, r)
			quiet(t, sys)
			d.says(t, c.want...)
			equal(t, "ended", sys.Stats().Stopped, 5)
			for _, r := range refs {
				wants(t, say.TrySend(sys, r, ""), actor.ErrStopped)
			}
		})
	}
}

// TestChildren_OfOnStop: the end of an actor also waits for a child that its OnStop has spawned.
func TestChildren_OfOnStop(t *testing.T) {
	var d diary
	sys := start(t)
	r := mortalType.Spawn(sys, mortal{name: "p", diary: &d, onStop: func(_ *mortal, c *actor.Context) {
		mortalType.SpawnChild(c, mortal{name: "late", diary: &d})
	}})
	quiet(t, sys) // otherwise it would not be started any more
	must(t, actor.StopWait(soon(t), r))
	quiet(t, sys)
	equal(t, "spawned", sys.Stats().Spawned, 2)
	equal(t, "ended", sys.Stats().Stopped, 2)
}

// TestWaitForms: they return nil at the end, or ctx's error if ctx ends first. For an ended actor
// they return at once.
func TestWaitForms(t *testing.T) {
	for name, wait := range map[string]func(context.Context, actor.Target) error{
		"StopWait": actor.StopWait, "DrainWait": actor.DrainWait, "KillWait": actor.KillWait,
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, release := busy(t, sys, mortal{})
			ctx, cancel := context.WithCancel(soon(t))
			done := make(chan error, 1)
			go func() { done <- wait(ctx, r) }()
			cancel()
			wants(t, receive(t, "it to give up", done), context.Canceled)
			go func() { done <- wait(soon(t), r) }()
			release()
			must(t, receive(t, "the end", done))
			must(t, wait(soon(t), r.Any()))
			wants(t, say.TrySend(sys, r, ""), actor.ErrStopped)
			inside(t, sys, func(c *actor.Context) {
				panics(t, name+" called from a behaviour", func() { _ = wait(soon(t), r) })
			})
			other := mortalType.Spawn(sys, mortal{})
			quiet(t, sys)
			sys.Stop()
			wants(t, wait(soon(t), other), actor.ErrSystemStopped)
		})
	}
}
