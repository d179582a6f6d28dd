package alertstest

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/util/teststorage"
)

const (
	// hurry is how many times faster the clock of the rules goes: 5 minutes are 5 seconds.
	hurry = 60
	// scrapes is the time between two scrapes: half a minute by that clock.
	scrapes = time.Minute / 2 / hurry
	// scrapedFirst is how long the service is scraped before the incident begins.
	scrapedFirst = 5 * time.Second
	// fireWithin is how long a rule may take, besides the time that it looks back.
	fireWithin = 30 * time.Second
	// silentFor is how long no rule may fire in the healthy service, besides the time that they look back.
	silentFor = time.Minute
)

// played is the incident of the command incidents in which a rule is to fire, by the rule, and the type
// or the kind that the alert names.
var played = map[string]struct {
	incident, names string
	alone           bool // the incident takes the processors
}{
	"GallopPanics":        {incident: "panics"},
	"GallopErrorRestarts": {incident: "error-loop"},
	"GallopDeadLetters":   {incident: "misrouted"},
	// An actor has one probe at a time. Where mail waits for 10 s, 5 s are too few for a result.
	"GallopMailWaits":        {incident: "full-bound", names: "encoder"},
	"GallopWorkersSaturated": {incident: "type-takes-all", alone: true},
	"GallopTurnStuck":        {incident: "stuck-with-mail"},
	"GallopLongTurns":        {incident: "one-slow-clerk"},
	"GallopMuted":            {incident: "pressure-for-ever"},
	"GallopPressureDeadlock": {incident: "mute-circle"},
	"GallopTooManyBlocked":   {incident: "too-many-blocked"},
	"GallopHoldersGrow":      {incident: "pipes-leak", names: "Pipe"},
	"GallopActorsGrow":       {incident: "actors-leak", names: "visitor"},
}

// TestAlertsFire plays the incident of each rule in a service in a process of its own, and scrapes it. The
// rule fires, and names the culprit. No rule fires for the healthy service under full load.
func TestAlertsFire(t *testing.T) {
	if testing.Short() {
		t.Skip("for minutes it takes the processors") // the second ring has them alone
	}
	program := filepath.Join(t.TempDir(), "incidents")
	if out, err := exec.Command("go", "-C", "../../observe/incidents", "build", "-o", program, ".").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := alerts(t)
	t.Run("Healthy", func(t *testing.T) { healthyPlayed(t, program, all) })
	for _, alone := range []bool{true, false} {
		t.Run(map[bool]string{true: "Alone", false: "Together"}[alone], func(t *testing.T) {
			for _, r := range all {
				if played[r.Alert].alone != alone {
					continue
				}
				t.Run(r.Alert, func(t *testing.T) {
					if !alone {
						t.Parallel()
					}
					fires(t, program, r)
				})
			}
		})
	}
}

// fires plays the incident of a rule until the alert fires.
func fires(t *testing.T, program string, r rulefmt.Rule) {
	in := played[r.Alert]
	if in.incident == "" {
		t.Fatal("no incident")
	}
	w := newWatch(t, serve(t, program, "-incident="+in.incident, "-after="+scrapedFirst.String()),
		[]rulefmt.Rule{r})
	begin := time.Now().Add(scrapedFirst)
	w.look(scrapedFirst+w.back+fireWithin, func(a *rules.Alert) bool {
		if got := cmp.Or(a.Labels.Get("type"), a.Labels.Get("kind")); got != in.names {
			t.Errorf("%s names %q, not %q", a.Labels, got, in.names)
		}
		t.Logf("%s: fires after %.1f s: %s", in.incident, time.Since(begin).Seconds(),
			a.Annotations.Get("summary"))
		return false
	})
	if w.fired == nil {
		t.Errorf("%s: silent for %.0f s", in.incident, time.Since(begin).Seconds())
	}
}

// healthyPlayed looks at the service without an incident.
func healthyPlayed(t *testing.T, program string, all []rulefmt.Rule) {
	w := newWatch(t, serve(t, program, "-load=100000"), all)
	begin := time.Now()
	w.look(silentFor+w.back, func(a *rules.Alert) bool {
		t.Errorf("after %.1f s: %s: %s", time.Since(begin).Seconds(), a.Labels, a.Annotations.Get("summary"))
		return true
	})
}

// serve starts the service, and returns the address of its metrics when it is at work.
func serve(t *testing.T, program string, args ...string) string {
	cmd := exec.Command(program, append(args, "-child", "-metrics")...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if page, ok := strings.CutPrefix(lines.Text(), "page "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until it is killed
			return strings.Replace(page, "/gallop/", "/metrics", 1)
		}
	}
	t.Fatal("the program has ended")
	return ""
}

// A watch is a Prometheus with one target, whose clock is fast.
type watch struct {
	*testing.T
	address string
	storage *teststorage.TestStorage
	query   rules.QueryFunc
	rules   []*rules.AlertingRule
	back    time.Duration // how far the rules look back, with their "for"
	fired   []string      // alerts
}

func newWatch(t *testing.T, address string, all []rulefmt.Rule) *watch {
	w := &watch{T: t, address: address, storage: teststorage.New(t)}
	w.query = rules.EngineQueryFunc(promqltest.NewTestEngineWithOpts(t, promql.EngineOpts{
		MaxSamples: 10_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute / hurry,
		NoStepSubqueryIntervalFn: func(int64) int64 { return (time.Minute / hurry).Milliseconds() },
		Parser:                   parser.NewParser(parser.Options{}),
	}), w.storage)
	for _, r := range all {
		expr, back := hurried(t, r.Expr)
		wait := time.Duration(r.For) / hurry
		w.rules = append(w.rules, newRule(r, expr, wait))
		w.back = max(w.back, back+wait)
	}
	return w
}

// hurried divides all durations of an expression, and returns their sum too: it looks back no further.
func hurried(t *testing.T, text string) (expr parser.Expr, sum time.Duration) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	divide := func(ds ...*time.Duration) {
		for _, d := range ds {
			*d /= hurry
			sum += *d
		}
	}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			divide(&n.OriginalOffset)
		case *parser.MatrixSelector:
			divide(&n.Range)
		case *parser.SubqueryExpr:
			divide(&n.Range, &n.Step, &n.OriginalOffset)
		}
		return nil
	})
	return expr, sum
}

// TestHurried: all durations of an expression are divided.
func TestHurried(t *testing.T) {
	expr, back := hurried(t, "rate(a[5m]) + b offset 1h > max_over_time(a[10m:2m] offset 30m)")
	if got := expr.String(); got != "rate(a[5s]) + b offset 1m > max_over_time(a[10s:2s] offset 30s)" {
		t.Error(got)
	}
	if back != 107*time.Second {
		t.Error(back)
	}
}

// look scrapes and evaluates for a while, or until f returns false for an alert that fires. It calls f once
// for each.
func (w *watch) look(during time.Duration, f func(*rules.Alert) bool) {
	tick := time.NewTicker(scrapes)
	defer tick.Stop()
	for end := time.Now().Add(during); time.Now().Before(end); <-tick.C {
		at := time.Now()
		w.scrape(at)
		for _, r := range w.rules {
			if _, err := r.Eval(w.Context(), 0, at, w.query, &url.URL{}, 0); err != nil {
				w.Fatalf("%s: %v", r.Name(), err)
			}
			for _, a := range r.ActiveAlerts() {
				if a.State != rules.StateFiring || slices.Contains(w.fired, a.Labels.String()) {
					continue
				}
				w.fired = append(w.fired, a.Labels.String())
				if !f(a) {
					return
				}
			}
		}
	}
}

// scrape stores the metrics of the service.
func (w *watch) scrape(at time.Time) {
	r, err := http.Get(w.address)
	if err != nil {
		w.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		w.Fatalf("%s: %v\n%s", r.Status, err, text)
	}
	to := w.storage.Appender(w.Context())
	for p := textparse.NewPromParser(text, labels.NewSymbolTable(), false); ; {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		p.Labels(&series)
		_, _, value := p.Series()
		series = labels.NewBuilder(series).Set(model.InstanceLabel, "shop:80").Set(model.JobLabel, "shop").Labels()
		if _, err := to.Append(0, series, at.UnixMilli(), value); err != nil {
			w.Fatal(err)
		}
	}
	if err := to.Commit(); err != nil {
		w.Fatal(err)
	}
}

// newRule returns a rule as the server makes it.
func newRule(r rulefmt.Rule, expr parser.Expr, wait time.Duration) *rules.AlertingRule {
	return rules.NewAlertingRule(r.Alert, expr, wait, time.Duration(r.KeepFiringFor), labels.FromMap(r.Labels),
		labels.FromMap(r.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
}
