package supervise_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// logged is a log that tests read.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// lines returns the lines of supervisors, without lines about panics.
func (l *logged) lines() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, " child=") {
			all = append(all, line)
		}
	}
	return all
}

// option makes a system log here.
func (l *logged) option() actor.Option {
	return actor.WithLogger(slog.New(slog.NewTextHandler(l,
		nil)))
}

// events collects events.
type events struct {
	mu  sync.Mutex
	all []supervise.Event
}

func (e *events) add(ev supervise.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

// take returns the events since the last call, without refs and times.
func (e *events) take() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for _, ev := range e.all {
		lines = append(lines, ev.String())
	}
	e.all = nil
	return strings.Join(lines, "\n")
}

// TestEvents: failures, back-offs, restarts, ends and give-ups are passed to OnEvent, with the
// child's path, type, reason, restarts and delay. Supervisors "below that have no OnEvent of their
// own" use the OnEvent of their supervisor.
func TestEvents(t *testing.T) {
	h := newHarness(t)
	var seen events
	b := h.child("b")
	b.Backoff = supervise.Backoff{Immediate: 1, First: second}
	trans := h.child("trans")
	trans.Restart = supervise.Transient
	h.run(supervise.Spec{Name: "app", OnEvent: seen.add, Children: []supervise.Child{
		supervise.Spec{Name: "sub",
			Intensity: supervise.Intensity{Restarts: 2, Within: time.Minute},
			Children:  []supervise.Child{b, trans}},
	}})
	equal(t, "a start", seen.take(), "")
	h.tell(crash, "sub", "b")
	equal(t, "a failure", seen.take(),
		"app/sub/b (toy) failed: actor panicked: crash; restarts: 1\napp/sub/b (toy) restarted; "+
			"restarts: 1")
	h.tell(exitWithError, "sub", "b")
	equal(t, "a back-off", seen.take(),
		"app/sub/b (toy) failed: user's own; restarts: 2; restart in 1s")
	h.advance(second)
	equal(t, "a restart", seen.take(), "app/sub/b (toy) restarted; restarts: 2")
	h.tell(finish, "sub", "trans")
	equal(t, "a normal end", seen.take(), "app/sub/trans (toy) ended")
	h.tell(crash, "sub", "b")
	equal(t, "a give-up", seen.take(),
		`app/sub (supervisor) gave up: supervise: too many restarts: "sub" gives up over "b": actor panicked: crash`+"\n"+
			`app/sub (supervisor) failed: supervise: too many restarts: "sub" gives up over "b": actor panicked: crash; restarts: 1`+"\n"+
			"app/sub (supervisor) restarted; restarts: 1")
	h.must(actor.StopWait(h.soon(), h.root))
	equal(t, "the end", seen.take(), "app (supervisor) ended: shut down")
}

// TestEvents_Values: the fields of an Event besides its text.
func TestEvents_Values(t *testing.T) {
	h := newHarness(t)
	var seen events
	a := h.child("a")
	a.Backoff = supervise.Backoff{First: second}
	h.run(supervise.Spec{Name: "app", OnEvent: seen.add, Children: []supervise.Child{a}})
	ref := h.find("a").Any()
	h.advance(time.Hour)
	h.tell(exitWithError, "a")
	e := seen.all[0]
	if !errors.Is(e.Reason, errUser) {
		t.Errorf("reason %v", e.Reason)
	}
	e.Reason = nil
	equal(t, "LastAt", h.tree().Children[0].LastAt, e.Time)
	equal(t, "event", e, supervise.Event{Kind: supervise.ChildFailed, Path: "app/a", Type: "toy",
		Ref:      ref,
		Restarts: 1, Delay: second, Time: epoch.Add(time.Hour)})
}

// TestEvents_HookPanics: "A panic in it is logged", and does the supervisor no harm.
func TestEvents_HookPanics(t *testing.T) {
	var log logged
	h := newHarness(t, log.option())
	h.run(supervise.Spec{Name: "app", OnEvent: func(supervise.Event) { panic("hook") },
		Children: h.workers("a")})
	h.tell(crash, "a")
	equal(t, "states", h.states(), "a running")
	if !strings.Contains(log.b.String(), "panic in a hook") {
		t.Error("the panic was not logged")
	}
}

// TestLog: "Every fall, restart, back-off, give-up, failed start and end of a root is logged by
// default", with the child's path.
func TestLog(t *testing.T) {
	var log logged
	h := newHarness(t, log.option())
	b := h.child("b")
	b.Backoff = supervise.Backoff{First: second}
	h.run(supervise.Spec{Name: "app",
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute},
		Children:  []supervise.Child{b}})
	h.tell(exitWithError, "b")
	h.advance(second)
	h.tell(exitWithError, "b")
	wants(t, h.reason(), supervise.ErrIntensity)
	want := []string{
		`level=WARN msg="gallop: child failed, and backs off" actor=%d type=supervisor child=app/b child_type=toy reason="user's own" restarts=1 delay=1s`,
		`level=WARN msg="gallop: child restarted" actor=%d type=supervisor child=app/b child_type=toy restarts=1`,
		`level=ERROR msg="gallop: supervisor gave up" actor=%d type=supervisor child=app child_type=supervisor reason="gallop: supervise: too many restarts: \"app\" gives up over \"b\": user's own" restarts=0`,
		`level=ERROR msg="gallop: a supervision tree has ended" actor=%d type=supervisor child=app child_type=supervisor reason="gallop: supervise: too many restarts: \"app\" gives up over \"b\": user's own" restarts=0`,
	}
	got := log.lines()
	equal(t, "lines", len(got), len(want))
	for i, line := range got {
		_, line, _ = strings.Cut(strings.TrimSpace(line), " ")
		equal(t, fmt.Sprint("line ", i), line, fmt.Sprintf(want[i], h.root.ID()))
	}
}

// TestLog_IsNotFlooded: the first, second, fourth, eighth … failure of a child in a minute is
// logged; OnEvent is told of each.
func TestLog_IsNotFlooded(t *testing.T) {
	var log logged
	var seen events
	h := newHarness(t, log.option())
	h.run(supervise.Spec{Name: "app",
		Intensity: supervise.Intensity{Restarts: 1000, Within: time.Hour}, OnEvent: seen.add,
		Children: h.workers("a")})
	for range 100 {
		h.tell(exitWithError, "a")
	}
	equal(t, "lines of 100 failures and restarts", len(log.lines()), 2*7)
	equal(t, "events", len(seen.all), 200)
	h.advance(time.Minute)
	h.tell(exitWithError, "a")
	equal(t, "lines a minute later", len(log.lines()), 2*8)
}

// TestLog_ManyChildren: the failures of children that come and go are counted together for each
// supervisor. So are failures of supervisors that come and go. A declared child counts for itself.
func TestLog_ManyChildren(t *testing.T) {
	const many = 1000
	intensity := supervise.Intensity{Restarts: 2 * many, Within: time.Hour}
	for _, tt := range []struct {
		name    string
		restart supervise.Restart
		nested  bool
		lines   int // 10 each for 1,000
	}{
		{"ended", supervise.Temporary, false, 10},
		{"fell and were restarted", supervise.Permanent, false, 10 + 10},
		{"fell below supervisors that came later", supervise.Permanent, true, 10 + 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log logged
			var seen events
			h := newHarness(t, log.option())
			template := h.child("session")
			template.Restart, template.Backoff = tt.restart, supervise.NoBackoff
			spec := supervise.Spec{Name: "app", Intensity: intensity, OnEvent: seen.add}
			below := []string{"session"}
			if !tt.nested {
				below = nil
				spec.Strategy, spec.Template = supervise.SimpleOneForOne, template
			}
			h.run(spec)
			ctx := h.soon()
			for i := range many {
				name := fmt.Sprint(i)
				child := supervise.FromTemplate[testChild](name, nil)
				if tt.nested {
					child = supervise.Spec{Name: name, Children: []supervise.Child{template}}
				}
				_, err := supervise.StartChild.Ask(ctx, h.root.Ref, child)
				h.must(err)
				h.tell(exitWithError, append([]string{name}, below...)...)
			}
			equal(t, "lines", len(log.lines()), tt.lines)
			if n := len(seen.all); n < many {
				t.Errorf("%d events of %d", n, many)
			}
		})
	}
	t.Run("declared", func(t *testing.T) {
		var log logged
		h := newHarness(t, log.option())
		h.run(supervise.Spec{Name: "app", Intensity: intensity, Children: h.workers("a", "b", "c")})
		for _, name := range []string{"a", "b", "c"} {
			h.tell(exitWithError, name)
		}
		equal(t, "lines", len(log.lines()), 3*2)
	})
}

// TestLog_Start: a failed start is logged, even if a caller waits for it.
func TestLog_Start(t *testing.T) {
	var log logged
	h := newHarness(t, log.option())
	h.run(supervise.Spec{Name: "app", Children: h.workers("a")})
	_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.failing("b", errUser))
	wants(t, err, errUser)
	if got := strings.Join(log.lines(), ""); !strings.Contains(got,
		`level=WARN msg="gallop: child failed to start"`) || !strings.Contains(got, "child=app/b") {
		t.Errorf("the log has %s", got)
	}
}

// failing is a child that does not start.
func (h *harness) failing(name string, err error) supervise.Worker[testChild] {
	w := h.child(name)
	w.Init = func(y *testChild) { y.name, y.d, y.fail = name, &h.d, err }
	return w
}

// TestEvents_Overdue: a child that is killed at the deadline of its Stop is told of by OnEvent and
// in the log, with its path: when it is removed, when its supervisor ends, and in the error of
// Serve. One that ends in time is not.
func TestEvents_Overdue(t *testing.T) {
	var log logged
	var seen events
	const text = "app/%s (toy) was killed at its deadline: supervise: not ended within 1s: killed"
	h := newHarness(t, log.option())
	h.run(supervise.Spec{Name: "app", OnEvent: seen.add, Children: []supervise.Child{
		h.child("good"), h.stubborn("a", supervise.DrainWithin(second)),
		h.stubborn("b", supervise.StopWithin(second)),
	}})
	for _, c := range []struct {
		name string
		end  func()
	}{
		{"b", func() { h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "b")) }},
		{"a", func() { actor.Drain(h.sys, h.root) }},
	} {
		r := h.find(c.name)
		h.stick(c.name)
		c.end()
		h.armed()
		h.clock.Jump(second)
		_, err := actor.Join(h.soon(), r)
		h.must(err)
		h.quiet()
		if got := seen.take(); strings.Count(got, "killed at") != 1 ||
			!strings.Contains(got, fmt.Sprintf(text, c.name)) {
			t.Errorf("events: %s", got)
		}
	}
	if lines := log.lines(); len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") ||
		!strings.Contains(lines[1], "child=app/a") {
		t.Errorf("log: %q", lines)
	}
}
