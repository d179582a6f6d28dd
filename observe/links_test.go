package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

// All that is shown can be opened: supervisors, their children, groups, their members, and processes.
func TestAllThatIsShownCanBeOpened(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	h := Handler(sys).(*handler)
	pool := group.NewPoolOf(group.RoundRobin[int](), 3, again, playerSpec()).Start(sys)
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		group.NewTopic[bool]().Child("news"),
		supervise.Worker[player]{Name: "one", Type: playerType}}})
	if err := root.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	processes := joinProcesses(sys)
	process.Spawn(processes, func(s *process.Self[int]) { _ = s.Receive() })
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools := running{sys}.begin()
	defer tools.close()
	_ = page(h, tools)
	get := func(path string, to any) (code int) {
		t.Helper()
		w := ask(h, "GET", "/api/v1/"+path)
		if err := json.Unmarshal(w.Body.Bytes(), to); err != nil && w.Code == 200 {
			t.Fatal(path, err)
		}
		return w.Code
	}
	links := 0
	open := func(id uint64) {
		t.Helper()
		links++
		var one apiOne
		if code := get(fmt.Sprint("actor/", id), &one); code != 200 || one.Actor.ID != id {
			t.Errorf("actor %d: status %d, %+v", id, code, one.Actor)
		}
	}
	var trees []apiNode
	get("tree", &trees)
	var walk func([]apiNode)
	walk = func(all []apiNode) {
		for _, n := range all {
			open(n.ID)
			walk(n.Children)
		}
	}
	walk(trees)
	var groups apiGroups
	get("groups", &groups)
	for _, g := range groups.Groups {
		open(g.Actor.ID)
	}
	if links != 9 { // two supervisors, their five children, and two groups
		t.Errorf("%d links", links)
	}
	var list apiProcesses
	get("processes", &list)
	for _, p := range list.Processes {
		var one apiOneProcess
		if code := get(fmt.Sprint("process/", p.ID), &one); code != 200 || one.Process.ID != p.ID || one.Stack == "" {
			t.Errorf("process %d: status %d, %+v", p.ID, code, one)
		}
	}
	if len(list.Processes) != 1 {
		t.Errorf("%d processes", len(list.Processes))
	}
	runtime.KeepAlive([]any{pool, root}) // nothing else refers to them
}

type asker struct{}

var (
	askerType = actor.NewType[asker]("asker")
	askOn     = actor.DeclareAsk[[]actor.Ref[asker], int](askerType, "ask on")
	_         = askerType.Table(askOn.Handle((*asker).askOn))
)

// askOn asks the first of some actors, which asks the next one.
func (*asker) askOn(c *actor.Context, next []actor.Ref[asker]) (int, error) {
	if len(next) == 0 {
		return 0, nil
	}
	return askOn.Ask(c.Context(), next[0], next[1:])
}

// The subject of a finding can be opened although it is idle and in no list: the runtime has
// refused an ask of a circle, and only the dead letter tells of the subject. The page lets go of it
// a minute after it was shown.
func TestAnIdleActorOfAnAskCircleCanBeOpened(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	a, b := askerType.Spawn(sys, asker{}), askerType.Spawn(sys, asker{}) // before Handler: not in the sample
	h := Handler(sys).(*handler)
	h.look.on = true // without a goroutine: looks are made here
	tools := h.src.begin()
	defer tools.close()
	// If b asks before a waits, the ask of a is refused, and b has the message already.
	for sys.Stats().DeadLetters == 0 {
		if _, err := askOn.Ask(t.Context(), a, []actor.Ref[asker]{b, a}); !errors.Is(err, actor.ErrDeadlock) {
			t.Fatal(err)
		}
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	page(h, tools)
	id := a.ID()
	if _, ok := h.src.find(id); ok {
		t.Error("a list has the actor")
	}
	v := h.look.latest
	i := slices.IndexFunc(v.lints, func(l lint) bool { return l.rule == "ask-circle" })
	if i < 0 || v.lints[i].about[0].ID != id {
		t.Fatalf("found %+v", v.lints)
	}
	var one apiOne
	w := ask(h, "GET", fmt.Sprint("/api/v1/actor/", id))
	if err := json.Unmarshal(w.Body.Bytes(), &one); err != nil || one.Actor.ID != id || one.Actor.Status != "idle" {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	letter := v.recent[len(v.recent)-1]
	h.look.show(&view{sample: &sample{at: v.at.Add(2 * shownFor)}})
	runtime.KeepAlive([]any{a, b})
	runtime.GC()
	if !letter.Ref().IsZero() {
		t.Error("it is kept")
	}
}

// An actor that a page has shown can be opened for a minute.
func TestAnActorThatWasShownCanBeOpened(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	a := inspect.Describe(playerType.Spawn(sys, player{}).Any())
	l := newLook(nil, nil, settings{})
	at := time.Now()
	for _, s := range []*sample{{graph: inspect.WaitGraph{Mutes: []inspect.Edge{{From: a}}}}, {}} {
		s.at = at
		v := &view{sample: s}
		l.show(v)
		if _, ok := l.open(v, a.ID); !ok {
			t.Errorf("not found at %v", s.at)
		}
		at = at.Add(shownFor)
	}
	v := &view{sample: &sample{at: at}}
	l.show(v)
	if _, ok := l.open(v, a.ID); ok || len(l.seen) != 0 {
		t.Error("it is kept")
	}
}
