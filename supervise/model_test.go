package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// The simple model of the rules: everything happens at once, in plain recursion. It leaves out the
// difficulty of the real code: that ends and starts take time, and that messages report them.

// modelChild is a child, and msup a supervisor.
type modelChild struct {
	name        string
	kind        supervise.Restart
	delay       time.Duration // the first; twice as long each time
	longest     time.Duration
	parent      *modelSupervisor
	sub         *modelSupervisor // nil: a worker
	state       supervise.State
	due         time.Time
	since       time.Time
	consecutive int
	failures    int

	own      supervise.Intensity // zero: that of the supervisor counts
	restarts []time.Time         // that count for own
	excluded bool                // it stays down in a group restart
	refuses  bool                // it does not start
	asked    bool                // and is forgotten then: StartChild waits for it
}

type modelSupervisor struct {
	strategy supervise.Strategy
	limit    supervise.Intensity
	declared []*modelChild
	children []*modelChild
	restarts []time.Time
	me       *modelChild // nil: the root
}

// model is the tree beside the real one.
type model struct {
	root  *modelSupervisor
	now   time.Time
	notes []string
	dead  bool // the root has given up
}

func (m *model) note(s string) { m.notes = append(m.notes, s) }

// begin starts a supervisor with its declared children.
func (m *model) begin(s *modelSupervisor) {
	s.children, s.restarts = nil, nil
	for _, d := range s.declared {
		ch := *d
		ch.parent, ch.state = s, supervise.Pending
		if ch.sub != nil {
			sub := *ch.sub
			ch.sub, sub.me = &sub, &ch
		}
		s.children = append(s.children, &ch)
	}
	m.startPending(s)
}

// startPending starts the pending children whose turn it is.
func (m *model) startPending(s *modelSupervisor) {
	for _, ch := range slices.Clone(s.children) {
		if ch.state == supervise.Pending {
			m.up(ch)
		}
		if ch.state != supervise.Running && ch.state != supervise.Stopped {
			return
		}
	}
	if s.me != nil && s.me.state == supervise.Starting {
		s.me.state, s.me.since = supervise.Running, m.now
		m.startPending(s.me.parent)
	}
}

func (m *model) up(ch *modelChild) {
	if ch.sub != nil {
		ch.state = supervise.Starting
		m.begin(ch.sub)
		return
	}
	if m.note("+" + ch.name); ch.refuses { // the caller is told
		if ch.state, ch.excluded = supervise.Stopped, true; ch.asked {
			ch.parent.drop(ch)
		}
		return
	}
	ch.state, ch.since = supervise.Running, m.now
}

// down ends a child and all below it, the youngest first. A killed one says nothing.
func (m *model) down(ch *modelChild, killed bool) {
	switch {
	case ch.state != supervise.Running && ch.state != supervise.Starting:
	case ch.sub != nil:
		m.downAll(ch.sub, killed)
	case !killed:
		m.note("-" + ch.name)
	}
}

func (m *model) downAll(s *modelSupervisor, killed bool) {
	for _, ch := range slices.Backward(s.children) {
		m.down(ch, killed)
	}
	s.children = nil
}

// childDown is for a child that has ended, or is down.
func (m *model) childDown(ch *modelChild, normal bool) {
	s := ch.parent
	if ch.kind == supervise.Temporary || ch.kind == supervise.Transient && normal {
		m.rests(ch)
		m.gone(ch)
		m.startPending(s)
		return
	}
	if ch.own.Within > 0 {
		if m.tooMany(&ch.restarts, ch.own) {
			m.rests(ch)
			ch.state, ch.excluded = supervise.Stopped, true
			m.startPending(s)
			return
		}
	} else if m.tooMany(&s.restarts, s.limit) {
		ch.state = supervise.Stopped
		m.downAll(s, false)
		if s.me == nil {
			m.dead = true
		} else {
			m.childDown(s.me, false)
		}
		return
	}
	ch.failures++
	m.rests(ch)
	ch.consecutive++
	ch.state = supervise.Pending
	m.takeAlong(s, ch)
	if ch.delay > 0 {
		ch.state = supervise.BackingOff
		ch.due = m.now.Add(min(ch.delay<<(ch.consecutive-1), ch.longest))
	} else if !isGroup(s) {
		m.up(ch)
	}
	m.startPending(s)
}

// tooMany counts a restart.
func (m *model) tooMany(at *[]time.Time, limit supervise.Intensity) bool {
	*at = slices.DeleteFunc(*at,
		func(t time.Time) bool { return t.Add(limit.Within).Before(m.now) })
	*at = append(*at, m.now)
	return len(*at) > limit.Restarts
}

// rests ends the time that k was up.
func (m *model) rests(ch *modelChild) {
	if !ch.since.IsZero() && m.now.Sub(ch.since) >= ch.longest {
		ch.consecutive = 0
	}
	ch.since = time.Time{}
}

func isGroup(s *modelSupervisor) bool {
	return s.strategy == supervise.OneForAll || s.strategy == supervise.RestForOne
}

// gone forgets a temporary child, and remembers others.
func (m *model) gone(ch *modelChild) {
	if ch.state = supervise.Stopped; ch.kind == supervise.Temporary {
		ch.parent.drop(ch)
	}
}

func (s *modelSupervisor) drop(ch *modelChild) {
	s.children = slices.DeleteFunc(s.children, func(o *modelChild) bool { return o == ch })
}

// takeAlong suspends the children that are restarted with ch.
func (m *model) takeAlong(s *modelSupervisor, ch *modelChild) {
	if !isGroup(s) {
		return
	}
	for _, o := range slices.Backward(slices.Clone(s.children)) {
		if o == ch && s.strategy == supervise.RestForOne {
			return
		}
		if o == ch || o.state == supervise.BackingOff || o.excluded {
			continue
		}
		m.down(o, false)
		m.rests(o)
		if o.kind == supervise.Temporary && o.state != supervise.Pending {
			s.drop(o)
		} else {
			o.state = supervise.Pending
		}
	}
}

// restart is RestartChild.
func (m *model) restart(ch *modelChild) {
	ch.excluded = false
	switch ch.state {
	case supervise.Running, supervise.Starting:
		m.down(ch, false)
		m.rests(ch)
		m.up(ch)
	case supervise.BackingOff, supervise.Stopped:
		if ch.state == supervise.Stopped {
			ch.consecutive, ch.restarts = 0, nil
		}
		m.dueNow(ch)
	}
	m.startPending(ch.parent)
}

// stop is StopChild.
func (m *model) stop(ch *modelChild) {
	m.down(ch, false)
	m.rests(ch)
	ch.excluded, ch.asked = true, false
	m.gone(ch)
	m.startPending(ch.parent)
}

func (m *model) dueNow(ch *modelChild) {
	if ch.state = supervise.Pending; !isGroup(ch.parent) {
		m.up(ch)
	}
	m.startPending(ch.parent)
}

// all lists the children with their paths, the root's children first.
func (m *model) all() (children []*modelChild, paths [][]string) {
	var walk func(s *modelSupervisor, at []string)
	walk = func(s *modelSupervisor, at []string) {
		for _, ch := range s.children {
			path := append(slices.Clone(at), ch.name)
			children, paths = append(children, ch), append(paths, path)
			if ch.sub != nil {
				walk(ch.sub, path)
			}
		}
	}
	walk(m.root, nil)
	return children, paths
}

func (m *model) advance(d time.Duration) {
	for end := m.now.Add(d); ; {
		var next *modelChild
		children, _ := m.all()
		for _, ch := range children {
			if ch.state == supervise.BackingOff && !ch.due.After(end) &&
				(next == nil || ch.due.Before(next.due)) {
				next = ch
			}
		}
		if next == nil {
			m.now = end
			return
		}
		m.now = next.due
		m.dueNow(next)
	}
}

// lines draws the model as linesOf draws the real tree.
func (m *model) lines() string {
	children, paths := m.all()
	var b strings.Builder
	for i, ch := range children {
		fmt.Fprintln(&b, paths[i], ch.state, ch.failures)
	}
	return b.String()
}

func linesOf(n supervise.Node, at []string, b *strings.Builder) {
	for _, k := range n.Children {
		path := append(slices.Clone(at), k.Name)
		fmt.Fprintln(b, path, k.State, k.Restarts)
		linesOf(k, path, b)
	}
}

// modelTest is a model and the real thing.
type modelTest struct {
	*model
	t      *rapid.T
	ctx    context.Context
	h      *harness
	names  int
	caller actor.Ref[starter]
	heard  starter // outcomes of StartChild and RestartChild
}

// draw draws a supervisor and all below it, for both.
func (v *modelTest) draw(depth int) (*modelSupervisor, supervise.Spec) {
	s := &modelSupervisor{
		strategy: rapid.SampledFrom([]supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
			supervise.RestForOne}).Draw(v.t, "strategy"),
		limit: supervise.Intensity{Restarts: rapid.IntRange(0, 4).Draw(v.t, "restarts"),
			Within: time.Duration(rapid.IntRange(1, 20).Draw(v.t, "within")) * second},
	}
	spec := supervise.Spec{Strategy: s.strategy, Intensity: s.limit}
	for range rapid.IntRange(0, 4).Draw(v.t, "children") {
		k, ch := v.drawChild(depth)
		s.declared, spec.Children = append(s.declared, k), append(spec.Children, ch)
	}
	return s, spec
}

func (v *modelTest) drawChild(depth int) (*modelChild, supervise.Child) {
	v.names++
	ch := &modelChild{name: fmt.Sprint("k", v.names),
		kind: supervise.Restart(rapid.IntRange(0, 2).Draw(v.t, "kind"))}
	if rapid.Bool().Draw(v.t, "backs off") {
		// Children that are due at the same moment start in any order, which the notes would
		// show. The fraction of a second keeps the moments apart: no odd number of microseconds
		// becomes that of another child by doubling, and every failure is at a full second.
		apart := time.Duration(2*v.names+1) * time.Microsecond
		ch.delay = time.Duration(rapid.IntRange(1, 10).Draw(v.t, "delay"))*second + apart
		ch.longest = time.Minute + apart
	}
	if depth > 0 && rapid.IntRange(0, 2).Draw(v.t, "supervisor") == 0 {
		sub, spec := v.draw(depth - 1)
		ch.sub = sub
		spec.Name, spec.Restart, spec.Backoff = ch.name, ch.kind, ch.backoff()
		return ch, spec
	}
	w := v.h.child(ch.name)
	w.Restart, w.Backoff = ch.kind, ch.backoff()
	if rapid.IntRange(0, 3).Draw(v.t, "has an intensity") == 0 {
		ch.own = supervise.Intensity{Restarts: rapid.IntRange(0, 2).Draw(v.t, "own"),
			Within: 5 * second}
		w.Intensity = ch.own
	}
	return ch, w
}

func (ch *modelChild) backoff() supervise.Backoff {
	if ch.delay == 0 {
		return supervise.NoBackoff
	}
	return supervise.Backoff{First: ch.delay, Max: ch.longest}
}

// pick chooses a child; nil if there is none.
func (v *modelTest) pick() (*modelChild, []string) {
	children, paths := v.all()
	if len(children) == 0 || v.dead {
		return nil, nil
	}
	i := rapid.IntRange(0, len(children)-1).Draw(v.t, "who")
	return children[i], paths[i]
}

func (v *modelTest) must(err error) {
	if err != nil {
		v.t.Fatal(err)
	}
}

// supervisorOf returns the supervisor of the child at a path.
func (v *modelTest) supervisorOf(path []string) supervise.Supervisor {
	s, err := supervise.FindSupervisor(v.ctx, v.h.root, path[:len(path)-1]...)
	v.must(err)
	return s
}

// does makes a worker that is up do f.
func (v *modelTest) does(f act, normal bool) func(*rapid.T) {
	return func(t *rapid.T) {
		v.t = t
		ch, path := v.pick()
		if ch == nil || ch.sub != nil || ch.state != supervise.Running {
			return
		}
		r, err := supervise.Find[testChild](v.ctx, v.h.root, path...)
		v.must(err)
		do.Send(v.h.sys, r, f)
		v.note("-" + ch.name)
		v.childDown(ch, normal)
	}
}

// order ends a child by order, whichever pick chooses.
func (v *modelTest) order(f func(actor.Sender, actor.Target), killed bool) func(*rapid.T) {
	return func(t *rapid.T) {
		v.t = t
		ch, path := v.pick()
		if ch == nil {
			return
		}
		for _, n := range v.h.treeOf(v.ctx, v.supervisorOf(path)).Children {
			if n.Name == ch.name && !n.Ref.IsZero() {
				f(v.h.sys, n.Ref)
			}
		}
		if ch.state == supervise.Running || ch.state == supervise.Starting {
			v.down(ch, killed)
			v.childDown(ch, !killed)
		}
	}
}

func (h *harness) treeOf(ctx context.Context, s supervise.Supervisor) supervise.Node {
	n, err := supervise.Tree(ctx, s)
	h.must(err)
	return n
}

func (v *modelTest) operations() map[string]func(*rapid.T) {
	one := func(f func(ch *modelChild, path []string)) func(*rapid.T) {
		return func(t *rapid.T) {
			v.t = t
			if ch, path := v.pick(); ch != nil {
				f(ch, path)
			}
		}
	}
	return map[string]func(*rapid.T){
		"crash":    v.does(crash, false),
		"error":    v.does(exitWithError, false),
		"finish":   v.does(finish, true),
		"shutdown": v.does(exitShutdown, true),
		"stop":     v.order(actor.Stop, false),
		"kill":     v.order(actor.Kill, true),
		"remove": one(func(ch *modelChild, path []string) {
			v.must(did(supervise.RemoveChild, v.ctx, v.supervisorOf(path).Ref, ch.name))
			v.down(ch, false)
			ch.parent.drop(ch)
			v.startPending(ch.parent)
		}),
		"restart": one(func(ch *modelChild, path []string) {
			parent := v.supervisorOf(path)
			v.asks(func(c *actor.Context) {
				actor.AskTo(c, supervise.RestartChild, parent.Ref, ch.name, starterHearNone)
			})
			v.restart(ch)
		}),
		"halt": one(func(ch *modelChild, path []string) {
			v.must(did(supervise.StopChild, v.ctx, v.supervisorOf(path).Ref, ch.name))
			v.stop(ch)
		}),
		"add": one(func(k *modelChild, path []string) {
			added, ch := v.drawChild(1)
			parent := v.supervisorOf(path)
			v.asks(func(c *actor.Context) { actor.AskTo(c, supervise.StartChild, parent.Ref, ch, starterHear) })
			v.add(k.parent, added)
		}),
		"add what does not start": one(func(ch *modelChild, path []string) {
			v.names++
			added := &modelChild{name: fmt.Sprint("k", v.names), refuses: true, asked: true}
			w := v.h.child(added.name)
			w.Init = func(y *testChild) { y.name, y.d, y.fail = added.name, &v.h.d, errUser }
			parent := v.supervisorOf(path)
			v.asks(func(c *actor.Context) {
				actor.AskTo(c, supervise.StartChild, parent.Ref, supervise.Child(w), starterHear)
			})
			v.add(ch.parent, added)
		}),
		"advance": func(t *rapid.T) {
			v.t = t
			d := time.Duration(rapid.IntRange(1, 70).Draw(t, "seconds")) * second
			v.must(v.h.clock.Advance(v.ctx, d))
			v.advance(d)
		},
		"": func(t *rapid.T) { v.t = t; v.check() },
	}
}

// asks asks for a start, which may have to wait for a back-off, from a behaviour.
func (v *modelTest) asks(f func(*actor.Context)) {
	starterDo.Send(v.h.sys, v.caller, f)
	v.must(v.h.sys.Wait(v.ctx))
}

func (v *modelTest) add(s *modelSupervisor, ch *modelChild) {
	ch.parent, ch.state = s, supervise.Pending
	if ch.sub != nil {
		ch.sub.me = ch
	}
	if s.children = append(s.children, ch); !isGroup(s) {
		v.up(ch)
	}
	v.startPending(s)
}

// check compares the notes, in order, and the states of all children.
func (v *modelTest) check() {
	v.must(v.h.sys.Wait(v.ctx))
	if got, want := v.h.d.take(), strings.Join(v.notes, ", "); got != want {
		v.t.Fatalf("what happened: %s\nwant: %s", got, want)
	}
	v.notes = nil
	v.checkHeard()
	if v.dead {
		if v.h.root.Status() != actor.StatusEnded {
			v.t.Fatal("the root goes on")
		}
		return
	}
	var got strings.Builder
	linesOf(v.h.treeOf(v.ctx, v.h.root), nil, &got)
	if want := v.lines(); got.String() != want {
		v.t.Fatalf("the tree is\n%swant\n%s", got.String(), want)
	}
}

// checkHeard: a start succeeds, is refused, or its child or supervisor has ended meanwhile.
func (v *modelTest) checkHeard() {
	for len(v.heard) > 0 {
		err := <-v.heard
		if err != nil && !errors.Is(err, errUser) && !errors.Is(err, supervise.ErrNoChild) &&
			!errors.Is(err, actor.ErrStopped) {
			v.t.Fatalf("heard %v", err)
		}
	}
}

// TestSupervisorModel: random trees under random crashes, ends, orders, requests and advances of
// the clock follow the rules: which children go down and come up, in which order and when, and
// which supervisors give up.
func TestSupervisorModel(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		h := &harness{TB: t, clock: actor.NewVirtualClock(epoch)}
		h.sys = actor.Start(actor.WithWorkers(2), actor.WithLogger(silent), actor.WithClock(h.clock))
		defer h.sys.Stop()
		v := &modelTest{model: &model{now: epoch}, t: rt, ctx: ctx, h: h,
			heard: make(starter, 1000)}
		v.caller = starterType.Spawn(h.sys, v.heard)
		root, spec := v.draw(2)
		v.root = root
		h.root = supervise.Start(h.sys, spec)
		v.begin(root)
		rt.Repeat(v.operations())
		if !v.dead {
			v.must(actor.StopWait(ctx, h.root))
			v.downAll(v.root, false)
			v.dead = true
			v.check()
		}
		v.must(actor.StopWait(ctx, v.caller))
		st := h.sys.Stats()
		if st.Spawned != st.Stopped {
			rt.Fatalf("%d actors are left", st.Spawned-st.Stopped)
		}
	})
}
