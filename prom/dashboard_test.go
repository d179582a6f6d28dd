package prom

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

var update = flag.Bool("update", false, "write docs/dashboard.json anew")

const dashboardFile = "../docs/dashboard.json"

// panel is a chart of the dashboard.
type panel struct {
	title, unit, expr, legend string
	help                      string
}

// first are the panels that answer questions. The rest of the dashboard has a panel for each metric
// that none of them shows.
var first = []panel{
	{"Workers busy", "percentunit", `rate(gallop_busy_looks_total$of) / rate(gallop_looks_total$of)`, "",
		"The share of the workers' time in use. Near 100 % there is more work than processors."},
	{"Mail waits (p99)", "s",
		`histogram_quantile(0.99, sum by (type, le) (rate(gallop_mailbox_delay_seconds_bucket$of)))`,
		"{{type}}", "How long mail waits, by type. 10 s is that or more."},
	{"Busiest types", "percentunit",
		`topk(10, rate(gallop_type_busy_looks_total$of) / ignoring(type) group_left rate(gallop_looks_total$of))`,
		"{{type}}", "The share of the workers' time that a type takes."},
	{"Long turns now", "short", `gallop_long_turns_now$now`, "",
		"Behaviours that have run or blocked for long, and still do."},
	{"Lost messages", "mps",
		`rate(gallop_dead_letters_total$of) - rate(gallop_best_effort_dead_letters_total$of)`, "",
		"Dead letters a second, those of best-effort behaviours not counted."},
	{"Muted now", "short", `gallop_mutes_total$now - gallop_unmutes_total$now`, "",
		"Actors that wait until another keeps up."},
	{"Why it goes on", "short", `gallop_holders$now`, "{{kind}}", "The holders of System.Why, by kind."},
	{"Actors by type", "short", `topk(10, gallop_type_actors_estimate$now)`, "{{type}}",
		"Living actors, estimated from a sample."},
}

// TestDashboard: docs/dashboard.json is made from the list of metrics. It names no others, and shows
// each of them. With the flag -update it is written anew.
func TestDashboard(t *testing.T) {
	known := described(t)
	panels := slices.Clone(first)
	shown := map[string]bool{}
	for _, p := range panels {
		for _, n := range metricName.FindAllString(p.expr, -1) {
			shown[strings.TrimSuffix(n, "_bucket")] = true
		}
	}
	for _, m := range known {
		if !shown[m.name] {
			shown[m.name] = true
			panels = append(panels, panelOf(m))
		}
	}
	for n := range shown {
		if !slices.ContainsFunc(known, func(m metric) bool { return m.name == n }) {
			t.Errorf("the dashboard shows %s, which is no metric", n)
		}
	}
	want, err := json.MarshalIndent(dashboard(panels), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(dashboardFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(dashboardFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test -run TestDashboard -update", dashboardFile, err)
	}
}

var metricName = regexp.MustCompile(`gallop_\w+`)

// metric is a metric of this package.
type metric struct{ name, help, labels string }

var descText = regexp.MustCompile(`fqName: "([^"]*)", help: "([^"]*)".*variableLabels: \{([^}]*)\}`)

// described returns all metrics, with all options, in the order of their descriptions.
func described(t *testing.T) (all []metric) {
	sys := actor.Start()
	t.Cleanup(sys.Stop)
	p := observe.Profile(sys, time.Hour)
	t.Cleanup(p.Stop)
	d := NewMailboxDelays(sys)
	t.Cleanup(d.Stop)
	descs := make(chan *prometheus.Desc, 1000)
	NewCollector(sys, WithPopulation(), WithWhy(), WithProfiler(p)).Describe(descs)
	d.Describe(descs)
	close(descs)
	for d := range descs {
		m := descText.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("a description of another form: %v", d)
		}
		all = append(all, metric{m[1], m[2], m[3]})
	}
	return all
}

// panelOf returns the panel of a metric that answers no question of its own.
func panelOf(m metric) panel {
	title := strings.TrimPrefix(strings.TrimSuffix(m.name, "_total"), "gallop_")
	p := panel{strings.ReplaceAll(title, "_", " "), "short", m.name + "$now", "", m.help}
	if strings.HasSuffix(m.name, "_total") {
		p.unit, p.expr = "cps", "rate("+m.name+"$of)"
	}
	if m.labels != "" {
		p.legend = "{{" + m.labels + "}}"
	}
	return p
}

// object is a JSON object.
type object = map[string]any

// dashboard returns a dashboard of Grafana, two panels in a row. Its variables are the data source, and
// the labels job and instance, of which all are chosen at first.
func dashboard(panels []panel) object {
	source := object{"type": "prometheus", "uid": "${datasource}"}
	var all []object
	for i, p := range panels {
		const selector = `{job=~"$job",instance=~"$instance"}`
		expr := strings.NewReplacer("$of", selector+"[$__rate_interval]", "$now", selector).Replace(p.expr)
		legend := "{{instance}} {{system}}"
		if p.legend != "" {
			legend = p.legend
			if !strings.Contains(p.expr, "sum by") {
				legend += " {{instance}} {{system}}"
			}
		}
		all = append(all, object{
			"id": i + 1, "type": "timeseries", "title": p.title, "description": p.help,
			"datasource":  source,
			"gridPos":     object{"h": 8, "w": 12, "x": 12 * (i % 2), "y": 8 * (i / 2)},
			"fieldConfig": object{"defaults": object{"unit": p.unit, "min": 0}, "overrides": []object{}},
			"targets": []object{{"refId": "A", "datasource": source, "expr": expr,
				"legendFormat": legend}},
		})
	}
	label := func(name string) object {
		return object{"name": name, "type": "query", "datasource": source, "multi": true,
			"includeAll": true, "allValue": ".*", "refresh": 2,
			"query":   fmt.Sprintf("label_values(gallop_workers, %s)", name),
			"current": object{"text": "All", "value": "$__all"}}
	}
	return object{
		"title": "gallop", "uid": "gallop", "schemaVersion": 39, "editable": true, "refresh": "30s",
		"tags": []string{"gallop"}, "time": object{"from": "now-1h", "to": "now"}, "panels": all,
		"templating": object{"list": []object{
			{"name": "datasource", "type": "datasource", "query": "prometheus"},
			label("job"), label("instance")}},
	}
}
