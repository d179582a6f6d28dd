package browsertest

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// A person on call opens the page of a system in trouble: the page of the actor that is stuck shows
// what it runs, its mail and who waits for it, and goes on doing so. All links of all pages lead to
// something. The title says which process of which program it is.
func TestOnCall(t *testing.T) {
	sys := quietly(t)
	free := make(chan bool)
	t.Cleanup(func() { close(free) }) // before the system is stopped
	typ, do := itemType("ledger")
	stuck := named(sys, typ, "the one that is stuck with a long name, which is cut where it is too long")
	do.Send(sys, stuck, func(*item, *actor.Context) { waitAtChannel(free) })
	for range 40 {
		do.Send(sys, stuck, func(*item, *actor.Context) {})
	}
	ps := actors.Join(sys)
	asked := actor.NewType[item]("warehouse")
	get := actor.DeclareAsk[int, int](asked, "get")
	asked.Table(get.Handle(func(_ *item, c *actor.Context, _ int) (int, error) {
		actor.Defer(c, get)
		return 0, nil
	}))
	slow := asked.Spawn(sys, item{})
	for range 3 {
		process.Go(ps, func(p *process.Proc) { _, _ = actors.Call(p, get, slow, 1) })
	}
	process.Spawn(ps, func(s *process.Self[int]) { s.Sleep(time.Hour) }, process.WithType("sleeper"))
	pool := group.NewPoolOf(group.RoundRobin[deed](), 3, do, group.MemberSpec[item]{Type: typ}).Start(sys)
	failing, _ := itemType("failing")
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[item]{Name: "kept", Type: failing},
		supervise.Spec{Name: "below", Children: []supervise.Child{supervise.Worker[item]{Name: "deep", Type: failing}}}}})
	b := open(t, sys)
	b.goTo("")
	b.wait(`document.querySelector('.lint.warn')?.innerText.includes('waitAtChannel')`)
	host, err := os.Hostname()
	b.must(err)
	title := eval[string](b, `document.title`)
	for _, want := range []string{"warning", "browsertest.test", "/ops/gallop", host, fmt.Sprint(os.Getpid())} {
		if !strings.Contains(title, want) {
			t.Errorf("the title %q does not say %q", title, want)
		}
	}
	for _, s := range []struct {
		name, scheme  string
		width, height int64
	}{{"light", "light", 1360, 900}, {"dark", "dark", 1360, 900}, {"phone", "light", 390, 844}} {
		b.screen(s.width, s.height, s.scheme)
		b.goTo("")
		b.wait(`document.querySelector('[aria-label^="Busiest actors"]')?.innerText.includes('ledger')`)
		b.shoot("overview-" + s.name)
		if wide := eval[int](b, `(() => { const e = document.querySelector('[aria-label^="Busiest actors"]'); return e.scrollWidth - e.clientWidth; })()`); wide > 0 {
			t.Errorf("%s: a long name pushes %d pixels of the table out", s.name, wide)
		}
		b.goTo(fmt.Sprint("actor/", stuck.ID()))
		b.wait(`document.querySelector('.turn pre')?.innerText.includes('waitAtChannel')`)
		b.run(`window.was = document.querySelector('.turn .strong').innerText`)
		b.wait(`document.querySelector('.turn .strong').innerText !== window.was`)
		text := b.text()
		for _, want := range []string{"ITS MAIL", "do\t41", "its turn is long", "What it runs", "at work"} {
			if !strings.Contains(strings.ToUpper(text), strings.ToUpper(want)) {
				t.Errorf("%q is not on the page of the actor:\n%s", want, text)
			}
		}
		b.shoot("stuck-" + s.name)
		b.goTo("longturns")
		b.shoot("longturns-" + s.name)
		if !eval[bool](b, `(() => { const a = document.querySelector('[aria-current]').getBoundingClientRect(); return a.left >= 0 && a.right <= innerWidth; })()`) {
			t.Errorf("%s: the page that is shown is not seen in the row of pages", s.name)
		}
		for _, page := range []string{"tree", "why", "processes", "workers"} {
			b.goTo(page)
			b.shoot(page + "-" + s.name)
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s on %s is %d pixels too wide", page, s.name, wide)
			}
		}
	}
	b.screen(1360, 900, "light")
	opened := map[string]bool{}
	for _, page := range pages {
		b.goTo(page)
		for _, link := range eval[[]string](b, `[...document.querySelectorAll('main a')].map((a) => a.hash ?? a.getAttribute('href'))`) {
			opened[link] = true
		}
	}
	for link := range opened {
		b.goTo(strings.TrimPrefix(link, "#/"))
		if problem := eval[string](b, `document.querySelector('.problem')?.innerText ?? ''`); problem != "" {
			t.Errorf("%s leads to: %s", link, problem)
		}
		for _, fault := range eval[[]string](b, accessibility) {
			t.Errorf("%s: %s", link, fault)
		}
	}
	b.goTo(fmt.Sprint("actor/", slow.ID()))
	if n := strings.Count(b.text(), "reply of"); n != 3 {
		t.Errorf("%d processes wait for the warehouse:\n%s", n, b.text())
	}
	b.shoot("asked")
	for _, kind := range []string{"#/actor/", "#/process/"} {
		if !slices.ContainsFunc(slices.Collect(func(yield func(string) bool) {
			for l := range opened {
				if !yield(l) {
					return
				}
			}
		}), func(l string) bool { return strings.HasPrefix(l, kind) }) {
			t.Errorf("no link to %s: %v", kind, opened)
		}
	}
	for link := range opened {
		if strings.HasPrefix(link, "#/process/") {
			b.goTo(strings.TrimPrefix(link, "#/"))
			b.shoot("process")
			break
		}
	}
	runtime.KeepAlive([]any{pool, root})
}

//go:noinline
func waitAtChannel(c chan bool) { <-c }
