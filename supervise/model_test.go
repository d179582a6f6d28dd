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

// The dumb model of the rules: everything happens at once, in plain recursion. It leaves out what
// the real thing is about: that ends and starts take time, and that messages tell of them.

// mkid is a child, and msup a supervisor.
type mkid struct {
	name   string
	kind   supervise.Restart
	delay  time.Duration // the first; twice as long each time
	boss   *msup
	sub    *msup // nil: a worker
	state  supervise.State
	due    time.Time
	since  time.Time
	inRow  int
	fallen int

	own      supervise.Intensity // zero: that of the supervisor counts
	restarts []time.Time         // that count for own
	halted   bool                // it stays down when its group comes up
	refuses  bool                // it does not start
	asked    bool                // and is forgotten then: StartChild waits for it
}

type msup struct {
	strategy supervise.Strategy
	limit    supervise.Intensity
	declared []*mkid
	kids     []*mkid
	restarts []time.Time
	me       *mkid // nil: the root
}

// model is the tree beside the real one.
type model struct {
	root  *msup
	now   time.Time
	notes []string
	dead  bool // the root has given up
}

func (m *model) note(s string) { m.notes = append(m.notes, s) }

// begin starts a supervisor with its declared children.
func (m *model) begin(s *msup) {
	s.kids, s.restarts = nil, nil
	for _, d := range s.declared {
		k := *d
		k.boss, k.state = s, supervise.Pending
		if k.sub != nil {
			sub := *k.sub
			k.sub, sub.me = &sub, &k
		}
		s.kids = append(s.kids, &k)
	}
	m.settle(s)
}

// settle starts the pending children whose turn it is.
func (m *model) settle(s *msup) {
	for _, k := range slices.Clone(s.kids) {
		if k.state == supervise.Pending {
			m.up(k)
		}
		if k.state != supervise.Running && k.state != supervise.Stopped {
			return
		}
	}
	if s.me != nil && s.me.state == supervise.Starting {
		s.me.state, s.me.since = supervise.Running, m.now
		m.settle(s.me.boss)
	}
}

func (m *model) up(k *mkid) {
	if k.sub != nil {
		k.state = supervise.Starting
		m.begin(k.sub)
		return
	}
	if m.note("+" + k.name); k.refuses { // the caller is told
		if k.state, k.halted = supervise.Stopped, true; k.asked {
			k.boss.drop(k)
		}
		return
	}
	k.state, k.since = supervise.Running, m.now
}

// down ends a child and all below it, the youngest first. A killed one says nothing.
func (m *model) down(k *mkid, killed bool) {
	switch {
	case k.state != supervise.Running && k.state != supervise.Starting:
	case k.sub != nil:
		m.downAll(k.sub, killed)
	case !killed:
		m.note("-" + k.name)
	}
}

func (m *model) downAll(s *msup, killed bool) {
	for _, k := range slices.Backward(s.kids) {
		m.down(k, killed)
	}
	s.kids = nil
}

// fell is for a child that has ended, or is down.
func (m *model) fell(k *mkid, normal bool) {
	s := k.boss
	if k.kind == supervise.Temporary || k.kind == supervise.Transient && normal {
		m.rests(k)
		m.gone(k)
		m.settle(s)
		return
	}
	if k.own.Within > 0 {
		if m.tooMany(&k.restarts, k.own) {
			m.rests(k)
			k.state, k.halted = supervise.Stopped, true
			m.settle(s)
			return
		}
	} else if m.tooMany(&s.restarts, s.limit) {
		k.state = supervise.Stopped
		m.downAll(s, false)
		if s.me == nil {
			m.dead = true
		} else {
			m.fell(s.me, false)
		}
		return
	}
	k.fallen++
	m.rests(k)
	k.inRow++
	k.state = supervise.Pending
	m.takeAlong(s, k)
	if k.delay > 0 {
		k.state = supervise.BackingOff
		k.due = m.now.Add(min(k.delay<<(k.inRow-1), time.Minute))
	} else if !isGroup(s) {
		m.up(k)
	}
	m.settle(s)
}

// tooMany counts a restart.
func (m *model) tooMany(at *[]time.Time, limit supervise.Intensity) bool {
	*at = slices.DeleteFunc(*at, func(t time.Time) bool { return t.Add(limit.Within).Before(m.now) })
	*at = append(*at, m.now)
	return len(*at) > limit.Restarts
}

// rests ends the time that k was up.
func (m *model) rests(k *mkid) {
	if !k.since.IsZero() && m.now.Sub(k.since) >= time.Minute {
		k.inRow = 0
	}
	k.since = time.Time{}
}

func isGroup(s *msup) bool {
	return s.strategy == supervise.OneForAll || s.strategy == supervise.RestForOne
}

// gone forgets a temporary child, and remembers others.
func (m *model) gone(k *mkid) {
	if k.state = supervise.Stopped; k.kind == supervise.Temporary {
		k.boss.drop(k)
	}
}

func (s *msup) drop(k *mkid) {
	s.kids = slices.DeleteFunc(s.kids, func(o *mkid) bool { return o == k })
}

// takeAlong takes down the children that have to go down with k.
func (m *model) takeAlong(s *msup, k *mkid) {
	if !isGroup(s) {
		return
	}
	for _, o := range slices.Backward(slices.Clone(s.kids)) {
		if o == k && s.strategy == supervise.RestForOne {
			return
		}
		if o == k || o.state == supervise.BackingOff || o.halted {
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
func (m *model) restart(k *mkid) {
	k.halted = false
	switch k.state {
	case supervise.Running, supervise.Starting:
		m.down(k, false)
		m.rests(k)
		m.up(k)
	case supervise.BackingOff, supervise.Stopped:
		if k.state == supervise.Stopped {
			k.inRow, k.restarts = 0, nil
		}
		m.dueNow(k)
	}
	m.settle(k.boss)
}

// stop is StopChild.
func (m *model) stop(k *mkid) {
	m.down(k, false)
	m.rests(k)
	k.halted, k.asked = true, false
	m.gone(k)
	m.settle(k.boss)
}

func (m *model) dueNow(k *mkid) {
	if k.state = supervise.Pending; !isGroup(k.boss) {
		m.up(k)
	}
	m.settle(k.boss)
}

// all lists the children, those of the root first, with their paths.
func (m *model) all() (kids []*mkid, paths [][]string) {
	var walk func(s *msup, at []string)
	walk = func(s *msup, at []string) {
		for _, k := range s.kids {
			path := append(slices.Clone(at), k.name)
			kids, paths = append(kids, k), append(paths, path)
			if k.sub != nil {
				walk(k.sub, path)
			}
		}
	}
	walk(m.root, nil)
	return kids, paths
}

func (m *model) advance(d time.Duration) {
	for end := m.now.Add(d); ; {
		var next *mkid
		kids, _ := m.all()
		for _, k := range kids {
			if k.state == supervise.BackingOff && !k.due.After(end) && (next == nil || k.due.Before(next.due)) {
				next = k
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
	kids, paths := m.all()
	var b strings.Builder
	for i, k := range kids {
		fmt.Fprintln(&b, paths[i], k.state, k.fallen)
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

// trial is a model and the real thing.
type trial struct {
	*model
	t     *rapid.T
	ctx   context.Context
	h     *house
	names int
	asker actor.Ref[starter]
	heard starter // what StartChildTo and RestartChildTo have brought
}

// draw draws a supervisor and all below it, for both.
func (v *trial) draw(depth int) (*msup, supervise.Spec) {
	s := &msup{
		strategy: rapid.SampledFrom([]supervise.Strategy{supervise.OneForOne, supervise.OneForAll, supervise.RestForOne}).Draw(v.t, "strategy"),
		limit: supervise.Intensity{Restarts: rapid.IntRange(0, 4).Draw(v.t, "restarts"),
			Within: time.Duration(rapid.IntRange(1, 20).Draw(v.t, "within")) * second},
	}
	spec := supervise.Spec{Strategy: s.strategy, Intensity: s.limit}
	for range rapid.IntRange(0, 4).Draw(v.t, "children") {
		k, ch := v.drawKid(depth)
		s.declared, spec.Children = append(s.declared, k), append(spec.Children, ch)
	}
	return s, spec
}

func (v *trial) drawKid(depth int) (*mkid, supervise.Child) {
	v.names++
	k := &mkid{name: fmt.Sprint("k", v.names), kind: supervise.Restart(rapid.IntRange(0, 2).Draw(v.t, "kind"))}
	if rapid.Bool().Draw(v.t, "backs off") { // no two at the same moment
		k.delay = time.Duration(rapid.IntRange(1, 10).Draw(v.t, "delay"))*second + time.Duration(v.names)*time.Millisecond
	}
	if depth > 0 && rapid.IntRange(0, 2).Draw(v.t, "supervisor") == 0 {
		sub, spec := v.draw(depth - 1)
		k.sub = sub
		spec.Name, spec.Restart, spec.Backoff = k.name, k.kind, backoff(k.delay)
		return k, spec
	}
	w := v.h.toy(k.name)
	w.Restart, w.Backoff = k.kind, backoff(k.delay)
	if rapid.IntRange(0, 3).Draw(v.t, "has an intensity") == 0 {
		k.own = supervise.Intensity{Restarts: rapid.IntRange(0, 2).Draw(v.t, "own"), Within: 5 * second}
		w.Intensity = k.own
	}
	return k, w
}

// backoff is the Backoff of a child with that first delay.
func backoff(first time.Duration) supervise.Backoff {
	if first == 0 {
		return supervise.NoBackoff
	}
	return supervise.Backoff{First: first}
}

// pick chooses a child; nil if there is none.
func (v *trial) pick() (*mkid, []string) {
	kids, paths := v.all()
	if len(kids) == 0 || v.dead {
		return nil, nil
	}
	i := rapid.IntRange(0, len(kids)-1).Draw(v.t, "who")
	return kids[i], paths[i]
}

func (v *trial) must(err error) {
	if err != nil {
		v.t.Fatal(err)
	}
}

// boss returns the supervisor of what is at a path.
func (v *trial) boss(path []string) supervise.Supervisor {
	s, err := supervise.Sub(v.ctx, v.h.sys, v.h.root, path[:len(path)-1]...)
	v.must(err)
	return s
}

// does makes a worker that is up do f.
func (v *trial) does(f act, normal bool) func(*rapid.T) {
	return func(t *rapid.T) {
		v.t = t
		k, path := v.pick()
		if k == nil || k.sub != nil || k.state != supervise.Running {
			return
		}
		r, err := supervise.Find[toy](v.ctx, v.h.sys, v.h.root, path...)
		v.must(err)
		do.Send(v.h.sys, r, f)
		v.note("-" + k.name)
		v.fell(k, normal)
	}
}

// order ends a child by order, whichever pick chooses.
func (v *trial) order(f func(actor.Sender, actor.Target), killed bool) func(*rapid.T) {
	return func(t *rapid.T) {
		v.t = t
		k, path := v.pick()
		if k == nil {
			return
		}
		for _, n := range v.h.treeOf(v.ctx, v.boss(path)).Children {
			if n.Name == k.name && !n.Ref.IsZero() {
				f(v.h.sys, n.Ref)
			}
		}
		if k.state == supervise.Running || k.state == supervise.Starting {
			v.down(k, killed)
			v.fell(k, !killed)
		}
	}
}

func (h *house) treeOf(ctx context.Context, s supervise.Supervisor) supervise.Node {
	n, err := supervise.Tree(ctx, h.sys, s)
	h.must(err)
	return n
}

func (v *trial) operations() map[string]func(*rapid.T) {
	one := func(f func(k *mkid, path []string)) func(*rapid.T) {
		return func(t *rapid.T) {
			v.t = t
			if k, path := v.pick(); k != nil {
				f(k, path)
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
		"remove": one(func(k *mkid, path []string) {
			v.must(supervise.RemoveChild(v.ctx, v.h.sys, v.boss(path), k.name))
			v.down(k, false)
			k.boss.drop(k)
			v.settle(k.boss)
		}),
		"restart": one(func(k *mkid, path []string) {
			boss := v.boss(path)
			v.asks(func(c *actor.Context) { supervise.RestartChildTo(c, boss, k.name, starterHearNone) })
			v.restart(k)
		}),
		"halt": one(func(k *mkid, path []string) {
			v.must(supervise.StopChild(v.ctx, v.boss(path), k.name))
			v.stop(k)
		}),
		"add": one(func(k *mkid, path []string) {
			added, ch := v.drawKid(1)
			boss := v.boss(path)
			v.asks(func(c *actor.Context) { supervise.StartChildTo(c, boss, ch, starterHear) })
			v.add(k.boss, added)
		}),
		"add what does not start": one(func(k *mkid, path []string) {
			v.names++
			added := &mkid{name: fmt.Sprint("k", v.names), refuses: true, asked: true}
			w := v.h.toy(added.name)
			w.Init = func(y *toy) { y.name, y.d, y.fail = added.name, &v.h.d, errUser }
			boss := v.boss(path)
			v.asks(func(c *actor.Context) { supervise.StartChildTo(c, boss, w, starterHear) })
			v.add(k.boss, added)
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
func (v *trial) asks(f func(*actor.Context)) {
	starterDo.Send(v.h.sys, v.asker, f)
	v.must(v.h.sys.Wait(v.ctx))
}

func (v *trial) add(s *msup, k *mkid) {
	k.boss, k.state = s, supervise.Pending
	if k.sub != nil {
		k.sub.me = k
	}
	if s.kids = append(s.kids, k); !isGroup(s) {
		v.up(k)
	}
	v.settle(s)
}

// check compares what happened, in order, and how everybody stands.
func (v *trial) check() {
	v.must(v.h.sys.Wait(v.ctx))
	if got, want := v.h.d.take(), strings.Join(v.notes, ", "); got != want {
		v.t.Fatalf("what happened: %s\nwant: %s", got, want)
	}
	v.notes = nil
	v.checkHeard()
	if v.dead {
		if v.h.root.Standing() != actor.Ended {
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
func (v *trial) checkHeard() {
	for len(v.heard) > 0 {
		err := <-v.heard
		if err != nil && !errors.Is(err, errUser) && !errors.Is(err, supervise.ErrNoChild) && !errors.Is(err, actor.ErrStopped) {
			v.t.Fatalf("heard %v", err)
		}
	}
}

// TestSupervisorModel: random trees under random crashes, ends, orders, requests and advances of
// the clock do what the rules say: who goes down and comes up, in which order and when, and who
// gives up.
func TestSupervisorModel(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		h := &house{TB: t, clock: actor.NewVirtualClock(epoch)}
		h.sys = actor.Start(actor.Workers(2), actor.Logger(silent), actor.Clock(h.clock))
		defer h.sys.Stop()
		v := &trial{model: &model{now: epoch}, t: rt, ctx: ctx, h: h, heard: make(starter, 1000)}
		v.asker = starterType.Spawn(h.sys, v.heard)
		root, spec := v.draw(2)
		v.root = root
		h.root = supervise.Start(h.sys, spec)
		v.begin(root)
		rt.Repeat(v.operations())
		if !v.dead {
			v.must(actor.StopWait(ctx, h.sys, h.root))
			v.downAll(v.root, false)
			v.dead = true
			v.check()
		}
		v.must(actor.StopWait(ctx, h.sys, v.asker))
		st := h.sys.Stats()
		if st.Spawned != st.Stopped {
			rt.Fatalf("%d actors are left", st.Spawned-st.Stopped)
		}
	})
}
