package browsertest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// Pools, topics and registries show their members. Processes show the object they wait for. The
// page is tried on a screen and on a phone, in both themes.
func TestGroupsAndProcesses(t *testing.T) {
	sys := quietly(t)
	b := open(t, sys)
	typ, do := itemType("item")
	pool := group.NewPoolOf(group.RoundRobin[deed](), 8, do, group.MemberSpec[item]{Type: typ}).Start(sys)
	topic := group.NewTopic[deed]().Start(sys)
	topic.Subscribe(sys, pool)
	keys := group.NewRegistry[string, actor.Ref[item]]().Start(sys)
	ref := named(sys, typ, "asked")
	keys.Join(sys, "one", ref)
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		group.NewTopic[int]().Child("news")}})
	b.must(root.Ready(b.Context()))
	busy := group.NewPool(group.RoundRobin[deed]()).Start(sys)
	busy.Send(sys, func(*item, *actor.Context) {}) // a dead letter: there is no member

	ps := actors.Join(sys)
	ch := process.NewChan[int](0)
	for range 40 {
		process.Go(ps, func(p *process.Proc) { ch.Recv(p) })
	}
	for i := range 3 {
		r := process.Spawn(ps, func(s *process.Self[int]) { _ = s.Receive() })
		b.must(process.Register(fmt.Sprint("depot-", i), r))
	}
	answer := actor.NewType[item]("warehouse")
	get := actor.DeclareAsk[int, int](answer, "get")
	answer.Table(get.Handle(func(_ *item, c *actor.Context, _ int) (int, error) {
		actor.Defer(c, get)
		return 0, nil
	}))
	slow := answer.Spawn(sys, item{})
	process.Go(ps, func(p *process.Proc) { _, _ = actors.Call(p, get, slow, 1) })

	for _, s := range []struct {
		name, scheme  string
		width, height int64
	}{{"light", "light", 1360, 900}, {"dark", "dark", 1360, 900}, {"phone", "dark", 390, 844}} {
		b.screen(s.width, s.height, s.scheme)
		b.goTo("groups")
		b.wait(`document.querySelectorAll('tbody tr').length === 5`)
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("groups on %s is %d pixels too wide", s.name, wide)
		}
		b.shoot("groups-" + s.name)
		b.goTo("processes")
		b.wait(`document.querySelector('main').innerText.includes('reply of warehouse#')`)
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("processes on %s is %d pixels too wide", s.name, wide)
		}
		b.shoot("processes-" + s.name)
		for _, fault := range eval[[]string](b, accessibility) {
			t.Errorf("processes, %s: %s", s.name, fault)
		}
	}
	b.screen(1360, 900, "light")
	b.goTo("groups")
	got := eval[[]string](b, `[...document.querySelectorAll('tbody tr')].map((e) => e.cells[0].innerText + ' ' + e.cells[3].innerText)`)
	slices.Sort(got)
	want := []string{"pool 0", "pool 8", "registry 1", "topic 0", "topic 1"}
	if !slices.Equal(got, want) {
		t.Errorf("the groups are %q, want %q", got, want)
	}
	b.goTo("processes")
	text := b.text()
	for _, want := range []string{"44 processes", "depot-2", "channel receive",
		"reply of warehouse#"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q in\n%s", want, text)
		}
	}
	runtime.KeepAlive([]any{topic, keys, root, busy}) // nothing else refers to them
}
