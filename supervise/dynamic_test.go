package supervise_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// sessions is a supervisor of dynamic children.
func (h *harness) sessions() supervise.Spec {
	return supervise.Spec{Name: "sessions", Strategy: supervise.SimpleOneForOne,
		Template: h.child("session")}
}

func (h *harness) like(name string) supervise.Child {
	return supervise.FromTemplate(name, func(y *testChild) { y.name, y.d = name, &h.d })
}

// count is the number of children of a supervisor.
type count struct{ Children, Running, Supervisors int }

// countIn counts the children of a node of a tree.
func countIn(n supervise.Node) count {
	all := count{Children: len(n.Children)}
	for _, k := range n.Children {
		if k.State == supervise.Running {
			all.Running++
		}
		if k.Supervises {
			all.Supervisors++
		}
	}
	return all
}

func (h *harness) count() count {
	h.Helper()
	n, err := supervise.Children(h.soon(), h.root)
	h.must(err)
	return countIn(n)
}

// TestSimple: children are made from a template while the supervisor runs, with a state and a name
// of their own, and fail alone; one that has ended is forgotten.
func TestSimple(t *testing.T) {
	h := newHarness(t)
	h.run(h.sessions())
	for _, name := range []string{"ann", "bob", "eve"} {
		r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like(name))
		h.must(err)
		typed, ok := actor.As[testChild](r)
		equal(t, "typed", ok, true)
		equal(t, "found", h.find(name), typed)
	}
	h.quiet()
	h.d.take()
	r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, supervise.FromTemplate[testChild]("", nil))
	h.must(err)
	h.quiet()
	h.d.says(t, "+session")
	equal(t, "found by its ref", h.find(r.String()).Any(), r)
	h.tell(crash, "bob")
	h.d.says(t, "-bob", "+bob")
	equal(t, "children", h.count(), count{Children: 4, Running: 4})
	h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "ann"))
	h.quiet()
	h.d.says(t, "-ann")
	equal(t, "states", h.states(), fmt.Sprintf("bob running, eve running, %v running", r))
	h.must(actor.StopWait(h.soon(), h.root))
	ended := strings.Split(h.d.take(), ", ")
	slices.Sort(ended) // they are told at once, and end in any order
	equal(t, "ended", fmt.Sprint(ended), "[-bob -eve -session]")
}

// TestSimple_NamesOfTheUnnamed: a child without a name does not take the name of a sibling that was
// named like its ref. Both are found, and removed, under names of their own.
func TestSimple_NamesOfTheUnnamed(t *testing.T) {
	// numbers its actors one after another: no surplus worker, with numbers of its own
	h := newHarness(t, actor.WithWorkers(1), actor.WithDeterministic(1))
	h.run(h.sessions())
	start := func(name string) actor.AnyRef {
		r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref,
			supervise.FromTemplate[testChild](name, nil))
		h.must(err)
		return r
	}
	number := start("").ID() + 3
	name := fmt.Sprintf("toy#%d", number)
	called, other := start(name), start(name+".2")
	unnamed := start("")
	equal(t, "the ref of the unnamed", unnamed.String(), name)
	h.quiet()
	equal(t, "found by its name", h.find(name).Any(), called)
	equal(t, "found by the next name", h.find(name+".2").Any(), other)
	equal(t, "found by a free name", h.find(name+".3").Any(), unnamed)
	h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, name+".3"))
	h.quiet()
	equal(t, "found afterwards", h.find(name).Any(), called)
}

// TestSimple_KeepsItsName: a child without a name is named after its first ref, also "when it is
// killed and replaced by a new actor, with another ref".
func TestSimple_KeepsItsName(t *testing.T) {
	h := newHarness(t)
	h.run(h.sessions())
	first, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, supervise.FromTemplate[testChild]("", nil))
	h.must(err)
	h.must(actor.KillWait(h.soon(), first))
	h.quiet()
	if now := h.find(first.String()).Any(); now == first {
		t.Errorf("%v is called what it was before it was killed", now)
	}
	equal(t, "states", h.states(), first.String()+" running")
}

// TestDynamic: adding, removing and restarting children of the other strategies.
func TestDynamic(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
		supervise.RestForOne} {
		h := newHarness(t)
		trans := h.child("trans")
		trans.Restart = supervise.Transient
		h.run(supervise.Spec{Name: "root", Strategy: s, Children: []supervise.Child{trans}})
		r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.child("new"))
		h.must(err)
		h.quiet()
		equal(t, "ref", h.find("new").Any(), r)
		sub := supervise.Spec{Name: "sub", Children: h.workers("x")}
		_, err = supervise.StartChild.Ask(h.soon(), h.root.Ref, sub)
		h.must(err)
		h.quiet()
		h.d.says(t, "+trans", "+new", "+x")
		equal(t, "children", h.count(), count{Children: 3, Running: 3, Supervisors: 1})
		h.tell(finish, "trans")
		h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "trans"))
		h.quiet()
		h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "new"))
		h.quiet()
		h.d.says(t, "-trans", "+trans", "-new", "+new")
		equal(t, "restarts", h.tree().Children[1].Restarts, 0)
		h.tell(finish, "trans")
		h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "trans"))
		h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "sub"))
		h.quiet()
		h.d.says(t, "-trans", "-x")
		equal(t, "states", h.states(), "new running")
		_, err = supervise.StartChild.Ask(h.soon(), h.root.Ref, h.child("trans"))
		h.must(err)
	}
}

// TestDynamic_Errors: ErrNameTaken, ErrBadChild, ErrNoChild, ErrOtherType and the errors of Ask.
func TestDynamic_Errors(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Children: append(h.workers("a"), h.sessions())})
	start := func(s supervise.Supervisor, ch supervise.Child) error {
		_, err := supervise.StartChild.Ask(h.soon(), s.Ref, ch)
		return err
	}
	find := func(path ...string) error {
		_, err := supervise.Find[testChild](h.soon(), h.root, path...)
		return err
	}
	simple, err := supervise.FindSupervisor(h.soon(), h.root, "sessions")
	h.must(err)
	wants(t, start(h.root, h.child("a")), supervise.ErrNameTaken)
	wants(t, start(h.root, h.child("")), supervise.ErrBadChild)
	wants(t, start(h.root, supervise.Worker[testChild]{Name: "b"}), supervise.ErrBadChild)
	wants(t, start(h.root, h.like("b")), supervise.ErrBadChild)
	wants(t, start(simple, h.child("b")), supervise.ErrBadChild)
	wants(t, start(simple, supervise.FromTemplate("b", func(*int) {})), supervise.ErrBadChild)
	wants(t, did(supervise.RemoveChild, h.soon(), h.root.Ref, "b"), supervise.ErrNoChild)
	wants(t, did(supervise.RestartChild, h.soon(), h.root.Ref, "b"), supervise.ErrNoChild)
	wants(t, find("a", "b"), supervise.ErrNoChild)
	wants(t, find("b"), supervise.ErrNoChild)
	wants(t, find("sessions"), actor.ErrOtherType)
	h.must(actor.StopWait(h.soon(), h.root))
	wants(t, find("a"), actor.ErrStopped)
	_, err = supervise.Tree(h.soon(), h.root)
	wants(t, err, actor.ErrStopped)
}

// caller asks a supervisor from a behaviour.
type caller struct {
	ref  actor.AnyRef
	errs []error
}

var (
	callerType = actor.NewType[caller]("caller")
	ask        = actor.Declare[func(*actor.Context)](callerType, "ask")
	gotRef     = actor.Declare[actor.Result[actor.AnyRef]](callerType, "ref")
	gotNone    = actor.Declare[actor.Result[struct{}]](callerType, "none")
	_          = callerType.Table(
		ask.Handle(func(_ *caller, c *actor.Context, f func(*actor.Context)) { f(c) }),
		gotRef.Handle(func(a *caller, _ *actor.Context, r actor.Result[actor.AnyRef]) {
			a.ref, a.errs = r.Value, append(a.errs, r.Err)
		}),
		gotNone.Handle(func(a *caller, _ *actor.Context, r actor.Result[struct{}]) {
			a.errs = append(a.errs, r.Err)
		}))
)

// TestDynamic_Inside: the same from a behaviour.
func TestDynamic_Inside(t *testing.T) {
	h := newHarness(t)
	h.run(h.sessions())
	var a *caller
	who := callerType.SpawnFunc(h.sys, func(s *caller) { a = s })
	for _, f := range []func(c *actor.Context){
		func(c *actor.Context) { actor.AskTo(c, supervise.StartChild, h.root.Ref, h.like("ann"), gotRef) },
		func(c *actor.Context) { actor.AskTo(c, supervise.FindChild, h.root.Ref, "ann", gotRef) },
		func(c *actor.Context) { actor.AskTo(c, supervise.RestartChild, h.root.Ref, "ann", gotNone) },
		func(c *actor.Context) { actor.AskTo(c, supervise.RemoveChild, h.root.Ref, "ann", gotNone) },
	} {
		if !a.ref.IsZero() {
			equal(t, "ref", a.ref, h.find("ann").Any())
		}
		ask.Send(h.sys, who, f)
		h.quiet()
	}
	for _, err := range a.errs {
		h.must(err)
	}
	equal(t, "answers", len(a.errs), 4)
	h.d.says(t, "+ann", "-ann", "+ann", "-ann")
}

// TestTree: "name, ref, state, restarts and last reason".
func TestTree(t *testing.T) {
	h := newHarness(t)
	slow := h.child("slow")
	slow.Backoff = supervise.Backoff{First: second}
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForOne, Intensity: often,
		Children: []supervise.Child{
			supervise.Spec{Name: "all", Strategy: supervise.OneForAll,
				Children: h.workers("a", "b")},
			slow, h.sessions(),
		}})
	h.tell(crash, "all", "a")
	h.tell(exitWithError, "slow")
	root := h.tree()
	all := root.Children[0]
	want := fmt.Sprintf(`root: %v, one_for_one, running
├─ all: %v, one_for_all, running
│  ├─ a: %v, running, 1×, actor panicked: crash
│  └─ b: %v, running
├─ slow: %v, backing off, 1×, user's own
└─ sessions: %v, simple_one_for_one, running
`, root.Ref, all.Ref, all.Children[0].Ref, h.find("all", "b"), root.Children[1].Ref,
		root.Children[2].Ref)
	equal(t, "the tree", root.String(), want)
}

// TestMisuse: a declaration that is wrong is refused where it is started.
func TestMisuse(t *testing.T) {
	h := newHarness(t)
	ch := func(w supervise.Worker[testChild]) supervise.Spec {
		w.Name, w.Type = "a", testChildType
		return supervise.Spec{Name: "root", Children: []supervise.Child{w}}
	}
	for words, s := range map[string]supervise.Spec{
		"unknown Strategy":        {Strategy: 9},
		"an Intensity of -1":      {Intensity: supervise.Intensity{Restarts: -1, Within: 1}},
		"an Intensity of 1 in 0s": {Intensity: supervise.Intensity{Restarts: 1}},
		"wants a Template":        {Strategy: supervise.SimpleOneForOne},
		"a Template, and not":     {Template: h.child("a")},
		"is no Worker": {Strategy: supervise.SimpleOneForOne,
			Template: supervise.Spec{}},
		"a nil Child":             {Children: []supervise.Child{nil}},
		"without a Name":          {Children: h.workers("")},
		`two children "a"`:        {Children: h.workers("a", "a")},
		"FromTemplate, and there": {Children: []supervise.Child{h.like("a")}},
		"without a Type":          {Children: []supervise.Child{supervise.Worker[testChild]{Name: "a"}}},
		`"sub": "sub": a nil Child`: {Children: []supervise.Child{supervise.Spec{Name: "sub",
			Children: []supervise.Child{nil}}}},
		"unknown Restart":   ch(supervise.Worker[testChild]{Restart: 9}),
		"a deadline of -1s": ch(supervise.Worker[testChild]{Stop: supervise.StopWithin(-second)}),
		"a negative time":   ch(supervise.Worker[testChild]{Backoff: supervise.Backoff{First: -1}}),
		"a factor of 0.5":   ch(supervise.Worker[testChild]{Backoff: supervise.Backoff{Factor: 0.5}}),
		"a jitter of 2":     ch(supervise.Worker[testChild]{Backoff: supervise.Backoff{Jitter: 2}}),
		"-1 immediate restarts": ch(supervise.Worker[testChild]{
			Backoff: supervise.Backoff{Immediate: -1}}),
		"an Intensity of -2": ch(supervise.Worker[testChild]{
			Intensity: supervise.Intensity{Restarts: -2, Within: 1}}),
		"a nil Child ":  {Children: []supervise.Child{(*supervise.Worker[testChild])(nil)}},
		"a nil Child  ": {Children: []supervise.Child{(*supervise.Spec)(nil)}},
		"wants a Template ": {Strategy: supervise.SimpleOneForOne,
			Template: (*supervise.Worker[testChild])(nil)},
		"nil or zero Type": {Children: []supervise.Child{supervise.Worker[testChild]{Name: "a",
			Type: new(actor.Type[testChild])}}},
		`"a": gap.nothing has`: {Children: []supervise.Child{supervise.Worker[gap]{Name: "a",
			Type: gapType}}},
		`"b": gap.nothing has`: {Strategy: supervise.SimpleOneForOne,
			Template: supervise.Worker[gap]{Name: "b", Type: gapType}},
	} {
		t.Run(words, func(t *testing.T) {
			words := strings.TrimSpace(words)
			defer func() {
				v, _ := recover().(string)
				if !strings.HasPrefix(v, "gallop: supervise: Start: ") ||
					!strings.Contains(v, words) {
					t.Errorf("panic %q", v)
				}
				if err := s.Check(); !errors.Is(err, supervise.ErrBadChild) ||
					!strings.Contains(err.Error(), words) {
					t.Errorf("Check returned %v", err)
				}
			}()
			supervise.Start(h.sys, s)
		})
	}
	for i, s := range []fmt.Stringer{supervise.Strategy(9), supervise.Restart(9),
		supervise.State(99)} {
		equal(t, fmt.Sprint(i), s.String(), "unknown")
	}
}

// TestMisuse_StartUnder: the panic over a wrong declaration names the call that is wrong.
func TestMisuse_StartUnder(t *testing.T) {
	defer func() {
		if v, want := recover(),
			`gallop: supervise: StartUnder: "root": an unknown Strategy`; v != want {
			t.Errorf("panic %v, want %q", v, want)
		}
	}()
	supervise.StartUnder(nil, supervise.Spec{Name: "root", Strategy: 9})
}

// TestMisuse_Zero: "The zero Supervisor is no supervisor, and asking it panics", with the name of
// the call, also with an empty path.
func TestMisuse_Zero(t *testing.T) {
	h := newHarness(t)
	var none supervise.Supervisor
	ctx := h.soon()
	calls := map[string]func(){
		"Find":           func() { _, _ = supervise.Find[testChild](ctx, none) },
		"FindSupervisor": func() { _, _ = supervise.FindSupervisor(ctx, none) },
		"Tree":           func() { _, _ = supervise.Tree(ctx, none) },
		"Wait":           func() { _ = none.Wait(ctx) },
		"Ready":          func() { _ = none.Ready(ctx) },
	}
	for call, f := range calls {
		func() {
			defer func() {
				equal(t, call, recover(),
					any("gallop: supervise: "+call+
						" of a zero Supervisor: get one from Start or FindSupervisor"))
			}()
			f()
		}()
	}
}

// TestFind_NotStarted: "A child that has no actor yet, because it waits for older siblings, is not
// found", and the error says why.
func TestFind_NotStarted(t *testing.T) {
	h := newHarness(t)
	a := h.child("a")
	a.Backoff = supervise.Backoff{First: second}
	a.Init = func(y *testChild) { y.fail = errUser }
	h.run(supervise.Spec{Name: "root", Intensity: often,
		Children: []supervise.Child{a, h.child("b")}})
	_, err := supervise.Find[testChild](h.soon(), h.root, "b")
	wants(t, err, supervise.ErrNoChild)
	equal(t, "error", err.Error(), `gallop: supervise: no such child: "b" has not started yet`)
}

// gap is a type with a behaviour that has no method.
type gap struct{}

var (
	gapType = actor.NewType[gap]("gap")
	_       = actor.Declare[struct{}](gapType, "nothing")
)

// TestStartChild_BadType: "the errors are … ErrBadChild": a caller that declares a child whose type
// cannot be spawned is told so, and the supervisor and its children do not notice.
func TestStartChild_BadType(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Children: h.workers("a")})
	for words, ch := range map[string]supervise.Child{
		"a nil Child":    nil,
		"a nil Child ":   (*supervise.Worker[testChild])(nil),
		"a nil Child  ":  (*supervise.Spec)(nil),
		"without a Type": supervise.Worker[testChild]{Name: "x"},
		"zero Type": supervise.Worker[testChild]{Name: "x",
			Type: new(actor.Type[testChild])},
		"gap.nothing has no": supervise.Worker[gap]{Name: "x", Type: gapType},
		`"y": gap.nothing`: supervise.Spec{Name: "x",
			Children: []supervise.Child{supervise.Worker[gap]{Name: "y", Type: gapType}}},
	} {
		_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, ch)
		h.quiet()
		wants(t, err, supervise.ErrBadChild)
		if words = strings.TrimSpace(words); !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want %q", err, words)
		}
		equal(t, "states", h.states(), "a running")
	}
}

// BenchmarkReplace is the end of a child by order and the start of the new one in its place. That
// takes the same time however many siblings there are.
func BenchmarkReplace(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := newHarness(b, actor.WithWorkers(1))
			h.run(supervise.Spec{Name: "root",
				Intensity: supervise.Intensity{Restarts: 1 << 30, Within: 1}})
			for i := range n {
				_, err := supervise.StartChild.Ask(h.soonOnce(), h.root.Ref,
					supervise.Worker[testChild]{Name: fmt.Sprint(i), Type: testChildType})
				h.must(err)
			}
			for b.Loop() {
				r, err := supervise.Find[testChild](h.soonOnce(), h.root, "1")
				h.must(err)
				actor.Kill(h.sys, r)
				h.must(h.sys.Wait(h.soonOnce()))
				h.clock.Jump(1)
			}
		})
	}
}

// BenchmarkStart is the start of a child of a declared row, which takes the same time however
// long that is.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			spec := supervise.Spec{Name: "root"}
			for i := range n {
				spec.Children = append(spec.Children,
					supervise.Worker[testChild]{Name: fmt.Sprint(i), Type: testChildType})
			}
			for b.Loop() {
				h := newHarness(b, actor.WithWorkers(1))
				h.run(spec)
				h.sys.Stop()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/child")
		})
	}
}

// starter starts children from inside, and passes on the outcomes.
type starter chan error

var (
	starterType = actor.NewType[starter]("starter")
	starterDo   = actor.Declare[func(*actor.Context)](starterType, "do")
	starterHear = actor.Declare[actor.Result[actor.AnyRef]](starterType, "hear")

	starterHearNone = actor.Declare[actor.Result[struct{}]](starterType, "hear none")

	_ = starterType.Table(
		starterHearNone.Handle(func(s *starter, _ *actor.Context, r actor.Result[struct{}]) {
			*s <- r.Err
		}),
		starterDo.Handle(func(_ *starter, c *actor.Context, f func(*actor.Context)) { f(c) }),
		starterHear.Handle(func(s *starter, _ *actor.Context, r actor.Result[actor.AnyRef]) {
			*s <- r.Err
		}))
)

// beginRestart calls RestartChild, and returns when that has begun.
func (h *harness) beginRestart(name string) {
	h.Helper()
	up := h.count().Running
	starterDo.Send(h.sys, starterType.Spawn(h.sys, make(starter, 1)), func(c *actor.Context) {
		actor.AskTo(c, supervise.RestartChild, h.root.Ref, name, starterHearNone)
	})
	for h.count().Running == up {
		yield()
	}
}

// TestStartChild_OfOneThatIsRemoved: a child with the name of one that is being removed starts when
// that one has ended, and not before: "StartChild waits until that child has ended". A caller that
// waits while the supervisor ends is told.
func TestStartChild_OfOneThatIsRemoved(t *testing.T) {
	for _, c := range []struct {
		ends          bool
		first, second error
		says          string
	}{{false, nil, supervise.ErrNameTaken, "+ann -ann +ann"},
		{true, actor.ErrStopped, actor.ErrStopped, "+ann -ann"}} {
		h := newHarness(t)
		h.run(h.sessions())
		_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like("ann"))
		h.must(err)
		h.quiet()
		free := h.hold("ann")
		h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "ann"))
		heard := make(starter, 3)
		starterDo.Send(h.sys, starterType.Spawn(h.sys, heard), func(c *actor.Context) {
			actor.AskTo(c, supervise.StartChild, h.root.Ref, h.like("ann"), starterHear)
			actor.AskTo(c, supervise.StartChild, h.root.Ref, h.like("ann"), starterHear)
			actor.AskTo(c, supervise.FindChild, h.root.Ref, "ann", starterHear)
		})
		wants(t, <-heard, supervise.ErrNoChild) // it came last, and is answered first
		if c.ends {
			actor.Stop(h.sys, h.root)
		}
		free()
		h.quiet()
		// In any order: the first is told when the child is up, which another worker may find out
		// before the second request runs.
		if len(heard) != 2 {
			t.Fatalf("heard %d answers, want 2", len(heard))
		}
		one, other := <-heard, <-heard
		if errors.Is(other, c.first) && errors.Is(one, c.second) {
			one, other = other, one
		}
		if !errors.Is(one, c.first) || !errors.Is(other, c.second) {
			t.Errorf("heard %v and %v, want %v and %v", one, other, c.first, c.second)
		}
		h.d.says(t, strings.Fields(c.says)...)
	}
}

// TestStartChild_OfTwoThatAreRemoved: the end of one child does not disturb a caller that waits for
// the name of another.
func TestStartChild_OfTwoThatAreRemoved(t *testing.T) {
	h := newHarness(t)
	h.run(h.sessions())
	free := map[string]func(){}
	heard := make(starter, 3)
	caller := starterType.Spawn(h.sys, heard)
	for _, name := range []string{"ann", "bob"} {
		_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like(name))
		h.must(err)
		free[name] = h.hold(name)
	}
	for _, name := range []string{"ann", "bob"} {
		h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, name))
		starterDo.Send(h.sys, caller,
			func(c *actor.Context) { actor.AskTo(c, supervise.StartChild, h.root.Ref, h.like(name), starterHear) })
	}
	starterDo.Send(h.sys, caller,
		func(c *actor.Context) { actor.AskTo(c, supervise.FindChild, h.root.Ref, "ann", starterHear) })
	wants(t, <-heard, supervise.ErrNoChild)
	free["bob"]()
	h.must(<-heard)
	h.until("ann stopping, bob running")
	free["ann"]()
	h.must(<-heard)
	h.quiet()
	equal(t, "states", h.states(), "bob running, ann running")
}

// TestStartChild_BehindJoin: "Join waits for the end". Then the name is free, even if the
// supervisor has not heard of it yet.
func TestStartChild_BehindJoin(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.SimpleOneForOne, supervise.OneForOne,
		supervise.OneForAll} {
		h := newHarness(t, actor.WithWorkers(4))
		spec, child := supervise.Spec{Name: "root", Strategy: s}, supervise.Child(h.child("a"))
		if s == supervise.SimpleOneForOne {
			spec, child = h.sessions(), h.like("a")
		}
		h.run(spec)
		for range 1000 {
			r, err := supervise.StartChild.Ask(h.soonOnce(), h.root.Ref, child)
			h.must(err)
			if r.IsZero() { // it has not had its turn yet
				h.quiet()
				r = h.find("a").Any()
			}
			h.must(did(supervise.RemoveChild, h.soonOnce(), h.root.Ref, "a"))
			_, err = actor.Join(h.soonOnce(), r)
			h.must(err)
		}
	}
}
