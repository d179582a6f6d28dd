package observe

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/access"
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
	processes := access.Join(sys, access.StartOn).(*process.System)
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
