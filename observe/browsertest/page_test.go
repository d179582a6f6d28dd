package browsertest

import (
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/supervise"
)

var pages = []string{"", "lints", "busiest", "workers", "types", "actors", "tree", "names",
	"groups", "processes", "mutes", "asks", "why", "deadletters", "panics", "longturns"}

// hostile are names that a careless page would run, break at, or turn around.
var hostile = []string{
	`<script>document.title='owned'</script>`,
	`"><img src=x onerror="document.title='owned'">`,
	`' onmouseover='document.title="owned"' x='`,
	strings.Repeat("ab ", 100),
	strings.Repeat("W", 300),
	"\u202eevil \u2066RTL\u0000\n\x1b[31m",
	`javascript:document.title='owned'`, `${document.title='owned'}`, "&lt;b&gt;", "",
}

// An item runs the functions that it is sent.
type item struct{ done int }

type deed = func(*item, *actor.Context)

func itemType(name string) (*actor.Type[item], actor.Behaviour[item, deed]) {
	typ := actor.NewType[item](name)
	do := actor.Declare[deed](typ, "do")
	typ.Table(do.Handle(func(i *item, c *actor.Context, d deed) {
		i.done++
		d(i, c)
	}))
	return typ, do
}

// named spawns an actor with a name, or without one if that is empty.
func named(sys *actor.System, typ *actor.Type[item], name string) actor.Ref[item] {
	ref, err := typ.SpawnNamed(sys, name, item{})
	if err != nil {
		panic(err)
	}
	return ref
}

func quietly(t *testing.T, opts ...actor.Option) *actor.System {
	sys := actor.Start(append(opts, actor.WithLogger(slog.New(slog.DiscardHandler)))...)
	t.Cleanup(sys.Stop)
	return sys
}

// "all pages render at 0 and 1 M actors, CSP violations 0, console errors 0"; with 10 and 10,000 as
// well, while a message flies.
func TestPagesAtAnySize(t *testing.T) {
	for _, n := range []int{0, 10, 10_000, 1_000_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			sys := quietly(t)
			b := open(t, sys)
			refs := spawn(sys, n)
			for _, page := range pages {
				b.goTo(page)
				if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("%s is %d pixels too wide", page, wide)
				}
			}
			b.goTo("")
			b.shoot(fmt.Sprintf("size-%d", n))
			switch text := b.text(); {
			case n == 1_000_000 && !strings.Contains(text, "≈"):
				t.Errorf("no estimate of a million actors:\n%s", text)
			case n == 0 && !strings.Contains(text, "No actor was spawned yet."):
				t.Errorf("nothing is said of nothing:\n%s", text)
			}
			goruntime.KeepAlive(refs)
		})
	}
}

// spawn spawns actors, and has two of them play with a ball.
func spawn(sys *actor.System, n int) []actor.Ref[item] {
	typ, do := itemType("item")
	refs := make([]actor.Ref[item], n)
	for i := range refs {
		refs[i] = typ.Spawn(sys, item{})
	}
	if n < 2 {
		return refs
	}
	var play func(to, from actor.Ref[item]) deed
	play = func(to, from actor.Ref[item]) deed {
		return func(_ *item, c *actor.Context) { do.Send(c, to, play(from, to)) }
	}
	do.Send(sys, refs[0], play(refs[1], refs[0]))
	return refs
}

// Names and types run nothing and break no page, on a screen and on a phone, in both themes.
func TestHostileNames(t *testing.T) {
	sys := quietly(t)
	b := open(t, sys)
	b.goTo("") // panics are seen from now on
	for _, name := range hostile {
		typ, do := itemType("t" + name)
		ref := named(sys, typ, "n"+name)
		do.Send(sys, ref, func(*item, *actor.Context) { panic(name) })
		do.Send(sys, ref, func(*item, *actor.Context) {})
		do.Send(sys, named(sys, typ, "again"+name), func(*item, *actor.Context) {})
	}
	for _, s := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"screen-light", 1360, 900, "light"}, {"phone-dark", 390, 844, "dark"}} {
		b.screen(s.width, s.height, s.scheme)
		for _, page := range pages {
			b.goTo(page)
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s on %s is %d pixels too wide", page, s.name, wide)
			}
			if title := eval[string](b, `document.title`); strings.Contains(title, "owned") {
				t.Errorf("%s: a name was run", page)
			}
			if n := eval[int](b, `document.querySelectorAll('main script, main img, main style, main iframe').length`); n > 0 {
				t.Errorf("%s: a name has become %d elements", page, n)
			}
			b.shoot("hostile-" + s.name + "-" + page)
		}
	}
}

// "each page's data equals the API's": where nothing moves.
func TestPagesShowWhatTheAPIAnswers(t *testing.T) {
	sys := quietly(t)
	b := open(t, sys)
	typ, do := itemType("item")
	for i := range 7 {
		do.Send(sys, named(sys, typ, fmt.Sprint("name-", i)), func(*item, *actor.Context) {})
	}
	root := supervise.Start(sys, supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[item]{Name: "kept", Type: typ}}})
	b.must(root.Ready(b.Context()))
	type row = map[string]any
	for _, page := range []string{"names", "types"} {
		b.goTo(page)
		var want []string
		for _, r := range api[[]row](b, page) {
			want = append(want, r["name"].(string))
		}
		got := eval[[]string](b, `[...document.querySelectorAll('tbody tr td:first-child')].map((e) => e.innerText.trim())`)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %q, the API %q", page, got, want)
		}
	}
	b.goTo("actors")
	answer := api[struct{ Actors []row }](b, "actors?limit=100")
	if n := eval[int](b, `document.querySelectorAll('tbody tr').length`); n != len(answer.Actors) || n < 7 {
		t.Errorf("%d actors are shown, the API has %d", n, len(answer.Actors))
	}
	b.goTo("tree")
	b.wait(`document.querySelectorAll('.tree .node').length === 2`)
	if text := b.text(); !strings.Contains(text, "app") || !strings.Contains(text, "kept") {
		t.Errorf("the tree is\n%s", text)
	}
	b.shoot("tree")
	goruntime.KeepAlive(root) // nothing else refers to the tree
}

// A person without a mouse comes everywhere, and sees where the focus is.
func TestKeyboard(t *testing.T) {
	sys := quietly(t)
	b := open(t, sys)
	typ, do := itemType("item")
	for i := range 3 {
		do.Send(sys, named(sys, typ, fmt.Sprint("name-", i)), func(*item, *actor.Context) {})
	}
	b.goTo("")
	press := func(keys string) {
		t.Helper()
		for _, k := range keys {
			b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(string(k))))
		}
	}
	press("gl")
	b.wait(`document.getElementById('main').dataset.ready === 'lints'`)
	press("/")
	b.wait(`document.activeElement.id === 'q'`)
	press("NAME-2")
	b.wait(`document.querySelectorAll('tbody tr').length === 1`)
	if got := eval[string](b, `document.activeElement.id`); got != "q" {
		t.Errorf("the focus has gone to %q", got)
	}
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent("\t")))
	seen := map[string]bool{}
	for range 40 {
		seen[eval[string](b, `document.activeElement.innerText || document.activeElement.getAttribute('aria-label') || ''`)] = true
		if width := eval[string](b, `document.activeElement === document.body ? 'x' : getComputedStyle(document.activeElement).outlineStyle`); width == "none" {
			t.Errorf("the focus is not seen on %q", eval[string](b, `document.activeElement.outerHTML`))
		}
		b.must(chromedp.Do(b.ctx, chromedp.KeyEvent("\t")))
	}
	for _, want := range []string{"Overview", "Panics", "Pause"} {
		if !seen[want] {
			t.Errorf("the tabulator does not come to %s: %v", want, seen)
		}
	}
}

// Labels, landmarks, names of controls, and contrast of at least 4.5 for texts, in both themes.
func TestAccessible(t *testing.T) {
	sys := quietly(t)
	b := open(t, sys)
	spawn(sys, 1000)
	for _, scheme := range []string{"light", "dark"} {
		b.screen(1360, 900, scheme)
		for _, page := range pages {
			b.goTo(page)
			for _, fault := range eval[[]string](b, accessibility) {
				t.Errorf("%s, %s: %s", page, scheme, fault)
			}
		}
	}
}

// accessibility returns the faults of a page.
const accessibility = `(() => {
  const faults = [];
  for (const tag of ['header', 'nav', 'main', 'footer', 'h1']) {
    if (document.querySelectorAll(tag).length !== 1) faults.push('not one ' + tag);
  }
  if (!document.documentElement.lang) faults.push('no language');
  for (const e of document.querySelectorAll('button, a, input, [role=img], svg[role], summary')) {
    const label = e.getAttribute('aria-label') || e.innerText || e.textContent || e.labels?.[0]?.innerText;
    if (!label?.trim()) faults.push('no name: ' + e.outerHTML.slice(0, 120));
  }
  for (const e of document.querySelectorAll('img')) if (!e.hasAttribute('alt')) faults.push('no alt');
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of ids) if (ids.filter((x) => x === id).length > 1) faults.push('twice: ' + id);
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith('color(') ? [255 * m[0], 255 * m[1], 255 * m[2], m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = (top, below) => top.slice(0, 3).map((x, i) => x * top[3] + below[i] * (1 - top[3]));
  const ground = (e) => {
    const layers = [];
    for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (c) => { const [r, g, b] = c.map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || e.closest('noscript, defs, .sr, .skip') || !e.getClientRects().length || e.tagName.toLowerCase() === 'title') continue;
    const style = getComputedStyle(e), svg = Boolean(e.ownerSVGElement);
    const back = ground(svg ? e.ownerSVGElement.parentElement : e), front = over(parse(svg ? style.fill : style.color), back);
    const [a, z] = [light(back), light(front)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (z + 0.05);
    if (contrast < 4.5) faults.push('contrast ' + contrast.toFixed(2) + ': ' + e.outerHTML.slice(0, 100));
  }
  return [...new Set(faults)];
})()`

// The theme that a person picks is kept, and is stronger than the machine's.
func TestThemeToggle(t *testing.T) {
	b := open(t, quietly(t))
	b.screen(1360, 900, "dark")
	b.goTo("")
	ground := func() string { return eval[string](b, `getComputedStyle(document.body).backgroundColor`) }
	dark := ground()
	b.must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("#theme"))))
	light := ground()
	if dark == light {
		t.Errorf("both are %s", dark)
	}
	b.must(chromedp.Do(b.ctx, chromedp.Reload()))
	b.wait(`document.getElementById('main').dataset.ready === 'overview'`)
	if got := ground(); got != light {
		t.Errorf("after a reload it is %s, was %s", got, light)
	}
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
	b.must(err)
}

// The page can stop an actor where that is allowed, and has no button for it elsewhere.
func TestStopButton(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		sys := quietly(t)
		var opts []observe.Option
		if allowed {
			opts = append(opts, observe.WithActions())
		}
		b := open(t, sys, opts...)
		typ, do := itemType("item")
		ref := named(sys, typ, "victim")
		do.Send(sys, ref, func(*item, *actor.Context) {})
		b.goTo(fmt.Sprint("actor/", ref.ID()))
		if n := eval[int](b, `document.querySelectorAll('button[data-act=stop]').length`); (n == 1) != allowed {
			t.Errorf("%d buttons, allowed: %v", n, allowed)
		}
		b.shoot(fmt.Sprintf("actor-%v", allowed))
		if !allowed {
			continue
		}
		_, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](`window.confirm = () => true`))
		b.must(err)
		b.must(chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("button[data-act=stop]"))))
		_, err = actor.Join(b.Context(), ref)
		b.must(err)
		b.wait(`document.body.innerText.includes('has ended')`)
		b.mu.Lock()
		b.faults = slices.DeleteFunc(b.faults, func(f string) bool { // that it is gone
			return strings.Contains(f, "404")
		})
		b.mu.Unlock()
	}
}
