package alertstest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/prom"
)

const file = "../../docs/alerts.yml"

// alerts reads the rules, as "promtool check rules" does.
func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}),
		slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	var all []rulefmt.Rule
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// metrics returns the names of all metrics of package prom, with all options.
func metrics(t *testing.T) []string {
	sys := actor.Start()
	t.Cleanup(sys.Stop)
	p := observe.Profile(sys, time.Hour)
	t.Cleanup(p.Stop)
	delays := prom.NewMailboxDelays(sys)
	t.Cleanup(delays.Stop)
	descs := make(chan *prometheus.Desc, 1000)
	prom.NewCollector(sys, prom.WithPopulation(), prom.WithWhy(), prom.WithProfiler(p)).Describe(descs)
	delays.Describe(descs)
	close(descs)
	var names []string
	for d := range descs {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
		names = append(names, name)
	}
	return names
}

// incidents has, for each alert, the figures of a service in which one thing is wrong, as far as
// they differ from the healthy service. Each figure is an initial value and then values a minute
// apart, in the notation of promtool's tests.
var incidents = map[string]map[string]string{
	"GallopPanics":        {`gallop_panics_total`: "0x70 1x170"},
	"GallopErrorRestarts": {`gallop_error_restarts_total`: "0+4x240"},
	"GallopDeadLetters":   {`gallop_dead_letters_total`: "0+1320x240"},
	"GallopMailWaits": {
		`gallop_mailbox_delay_seconds_bucket{type="session",le="1"}`:    "0+100x240",
		`gallop_mailbox_delay_seconds_bucket{type="session",le="2.5"}`:  "0+110x240",
		`gallop_mailbox_delay_seconds_bucket{type="session",le="5"}`:    "0+500x240",
		`gallop_mailbox_delay_seconds_bucket{type="session",le="+Inf"}`: "0+600x240",
	},
	"GallopWorkersSaturated": {`gallop_busy_looks_total`: "0+11500x240"},
	"GallopTurnStuck":        {`gallop_long_turns_now`: "0x60 1x180"},
	"GallopLongTurns":        {`gallop_long_turns_total`: "0+30x240"},
	"GallopMuted":            {`gallop_mutes_total`: "5+3000x240"},
	"GallopPressureDeadlock": {`gallop_pressure_deadlocks_total`: "0x70 1x170"},
	"GallopTooManyBlocked":   {`gallop_too_many_blocked_total`: "0x70 5x170"},
	"GallopHoldersGrow":      {`gallop_holders{kind="timer"}`: "100+100x240"},
	"GallopActorsGrow":       {`gallop_type_actors_estimate{type="session"}`: "9000+18000x240"},
}

// healthy are the figures of a service under full load that has nothing to complain of: long turns,
// restarts by panics of one actor a day, dead letters of clients that leave, and mutes that end.
var healthy = map[string]string{
	`gallop_messages_total`:                                          "0+30000000x240",
	`gallop_spawned_total`:                                           "0+600000x240",
	`gallop_stopped_total`:                                           "0+600000x240",
	`gallop_panics_total`:                                            "3x240",
	`gallop_restarts_total`:                                          "0+10x240",
	`gallop_error_restarts_total`:                                    "0+1x240",
	`gallop_dead_letters_total`:                                      "0+1230x240",
	`gallop_best_effort_dead_letters_total`:                          "0+1200x240",
	`gallop_mutes_total`:                                             "0+3000x240",
	`gallop_unmutes_total`:                                           "0+3000x240",
	`gallop_exempted_total`:                                          "0+1x240",
	`gallop_pressure_deadlocks_total`:                                "0x240",
	`gallop_too_many_blocked_total`:                                  "0x240",
	`gallop_long_turns_total`:                                        "0+2x240",
	`gallop_long_turns_now`:                                          "0 1 0 0 1 0x236",
	`gallop_workers`:                                                 "2x240",
	`gallop_looks_total`:                                             "0+12000x240",
	`gallop_busy_looks_total`:                                        "0+10200x240", // 85 %
	`gallop_actors_estimate`:                                         "20000x240",
	`gallop_type_busy_looks_total{type="session"}`:                   "0+10000x240",
	`gallop_type_actors_estimate{type="session"}`:                    "9000+20x240",
	`gallop_holders{kind="timer"}`:                                   "10000+20x240",
	`gallop_holders{kind="running turn"}`:                            "0 2000 40000x238",
	`gallop_mailbox_delay_seconds_bucket{type="session",le="0.001"}`: "0+550x240",
	`gallop_mailbox_delay_seconds_bucket{type="session",le="1"}`:     "0+599x240",
	`gallop_mailbox_delay_seconds_bucket{type="session",le="2.5"}`:   "0+600x240",
	`gallop_mailbox_delay_seconds_bucket{type="session",le="5"}`:     "0+600x240",
	`gallop_mailbox_delay_seconds_bucket{type="session",le="+Inf"}`:  "0+600x240",
}

var name = regexp.MustCompile(`gallop_\w+`)

// base is the name of a metric without the endings of a histogram.
func base(metric string) string { return strings.TrimSuffix(metric, "_bucket") }

// TestAlerts_Names: the rules, and the figures of these tests, name only metrics that package prom has.
// Each rule has a summary, a place to look, and a severity.
func TestAlerts_Names(t *testing.T) {
	known := metrics(t)
	uses := func(what, text string) {
		found := name.FindAllString(text, -1)
		if len(found) == 0 {
			t.Errorf("%s names no metric", what)
		}
		for _, n := range found {
			if !slices.Contains(known, base(n)) {
				t.Errorf("%s: there is no metric %s", what, n)
			}
		}
	}
	for _, r := range alerts(t) {
		uses(r.Alert, r.Expr)
		if r.Annotations["summary"] == "" || r.Annotations["look"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s: no summary, look or severity", r.Alert)
		}
	}
	for n := range healthy {
		uses(n, n)
	}
}

// TestAlerts_Series: each rule fires for the figures of its incident, which raise no other alert, and none
// fires for those of the healthy service.
func TestAlerts_Series(t *testing.T) {
	all := alerts(t)
	if got := firing(t, all, nil); len(got) != 0 {
		t.Errorf("in the healthy service: %v", got)
	}
	for _, r := range all {
		t.Run(r.Alert, func(t *testing.T) {
			if incidents[r.Alert] == nil {
				t.Fatal("no incident")
			}
			if got := firing(t, all, incidents[r.Alert]); !slices.Equal(got, []string{r.Alert}) {
				t.Errorf("%v fire", got)
			}
		})
	}
	if len(incidents) != len(all) {
		t.Errorf("%d incidents for %d rules", len(incidents), len(all))
	}
}

const minutes = 150

// firing evaluates the rules each minute for two and a half hours, and returns the alerts that have fired.
func firing(t *testing.T, all []rulefmt.Rule, incident map[string]string) (names []string) {
	t.Helper()
	var load strings.Builder
	load.WriteString("load 1m\n")
	for series, values := range healthy {
		if other, ok := incident[series]; ok {
			values = other
		}
		fmt.Fprintf(&load, "  %s %s\n", withInstance(series), values)
	}
	for series := range incident {
		if _, ok := healthy[series]; !ok {
			t.Errorf("the healthy service has no %s", series)
		}
	}
	storage := promqltest.LoadedStorage(t, load.String())
	query := rules.EngineQueryFunc(promqltest.NewTestEngine(t, false, 0, 10_000_000), storage)
	parse := parser.NewParser(parser.Options{})
	for _, r := range all {
		expr, err := parse.ParseExpr(r.Expr)
		if err != nil {
			t.Fatal(err)
		}
		rule := newRule(r, expr, time.Duration(r.For))
		fires := false
		for minute := range minutes {
			at := time.Unix(int64(minute)*60, 0)
			if _, err := rule.Eval(t.Context(), 0, at, query, &url.URL{}, 0); err != nil {
				t.Fatalf("%s: %v", r.Alert, err)
			}
			for _, a := range rule.ActiveAlerts() {
				fires = fires || a.State == rules.StateFiring
				if text := a.Annotations.String(); strings.Contains(text, "error") &&
					strings.Contains(text, "template") {
					t.Errorf("%s: %s", r.Alert, text)
				}
			}
		}
		if fires {
			names = append(names, r.Alert)
		}
	}
	return names
}

// withInstance adds the labels that a server adds.
func withInstance(series string) string {
	const more = `job="shop",instance="a:1"`
	if n, rest, ok := strings.Cut(series, "{"); ok {
		return n + "{" + more + "," + rest
	}
	return series + "{" + more + "}"
}

// TestDashboard_Queries: the queries of docs/dashboard.json can be parsed.
func TestDashboard_Queries(t *testing.T) {
	text, err := os.ReadFile("../../docs/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	parse, n := parser.NewParser(parser.Options{}), 0
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			n++
			if _, err := parse.ParseExpr(strings.ReplaceAll(q.Expr, "$__rate_interval", "5m")); err != nil {
				t.Errorf("%s: %v", p.Title, err)
			}
		}
	}
	if n == 0 {
		t.Error("no queries")
	}
}
