package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestIncidents plays each incident, opens the page after afterBegin, and looks for the culprit.
func TestIncidents(t *testing.T) {
	var mu sync.Mutex
	rows := map[string]string{}
	for _, alone := range []bool{true, false} {
		t.Run(map[bool]string{true: "Alone", false: "Together"}[alone], func(t *testing.T) {
			for _, in := range incidents() {
				if in.alone != alone || testing.Short() && !in.short {
					continue
				}
				t.Run(in.name, func(t *testing.T) {
					if !alone {
						t.Parallel()
					}
					r := playIncident(t, in)
					mu.Lock()
					rows[in.name] = r.row(in)
					mu.Unlock()
				})
			}
		})
	}
	if *tableFile == "" {
		return
	}
	table := "| incident | verdict | after | culprit | first finding | more |\n|---|---|---|---|---|---|\n"
	for _, in := range incidents() {
		table += rows[in.name]
	}
	if err := os.WriteFile(*tableFile, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A result is the judgement of an incident.
type result struct {
	verdict string // right, named, wrong, green, or late
	after   time.Duration
	first   string // the first finding, at last
	more    int    // findings besides it
	faults  []string
}

func (r *result) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *result) row(in incident) string {
	first := r.first
	for _, f := range r.faults {
		first += "; **" + f + "**"
	}
	return fmt.Sprintf("| %s | %s | %.1f s | %s | %s | %d |\n", in.name, r.verdict, r.after.Seconds(),
		strings.Join(in.culprits, " or "), strings.ReplaceAll(first, "|", "/"), r.more)
}

// stays is how many looks long a finding must stay when it is there.
const stays = 3

func playIncident(t *testing.T, in incident) *result {
	p := play(t, in)
	<-time.After(afterBegin) // people open the page late
	within := findWithin
	if testing.Short() {
		within = hang // beside other tests times count for nothing
	}
	ctx, cancel := context.WithTimeout(t.Context(), within+stays*time.Second+hang)
	defer cancel()
	r, begin, right := &result{verdict: "green"}, time.Now(), 0
	p.stream(ctx, func(o overview) bool {
		found := findings(in, o)
		verdict, first := p.judge(found), o.System.Headline
		if len(found) > 0 {
			first = found[0].Rule + ": " + found[0].Text
		}
		if verdict == "right" && right == 0 && !p.inText(ctx) {
			verdict = "not in the text"
		}
		switch {
		case right == 0:
			r.verdict, r.first, r.more, r.after = verdict, first, max(0, len(found)-1), time.Since(begin)
		case verdict != "right":
			r.fault("then %s: %s", verdict, first)
			return false
		case found[0].Advice == "" || found[0].Since.IsZero():
			r.fault("no advice, or no age")
			return false
		}
		if verdict == "right" {
			right++
		}
		return right > stays || right == 0 && r.after < within
	})
	if r.verdict == "right" && r.after > within {
		r.verdict = "late"
	}
	if in.inShutdown {
		if err := p.awaitShutdown(); !p.names(err) {
			r.fault("the error of Shutdown: %s", err)
		}
	}
	if r.verdict != "right" || r.faults != nil {
		t.Errorf("%s after %.1f s: %s %q", r.verdict, r.after.Seconds(), r.first, r.faults)
	}
	return r
}

// findings returns the findings that make the page yellow or red, in their order.
func findings(in incident, o overview) []finding {
	return slices.DeleteFunc(slices.Clone(o.Lints), func(f finding) bool {
		// Other programs may really starve the service, on the machine of the tests.
		return f.Severity == "info" || f.Rule == "no-processor" && !strings.HasPrefix(in.name, "starved")
	})
}

// judge says how well the first finding names the culprit.
func (p *played) judge(found []finding) string {
	switch {
	case len(found) == 0:
		return "green"
	case p.names(found[0].subject()):
		return "right"
	case p.names(found[0].Text):
		return "named"
	}
	return "wrong"
}

// inText reports whether the text form names the culprit: the headline, and the first finding.
func (p *played) inText(ctx context.Context) bool {
	rows := strings.Split(p.text(ctx, "lints"), "\n")
	heading := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, "RULE") })
	for _, row := range rows[heading+1:] {
		if !strings.HasPrefix(row, "no-processor") || p.names(row) {
			return p.names(row) // the first
		}
	}
	return false
}

func (p *played) awaitShutdown() string {
	select {
	case err := <-p.shutdown:
		return err
	case <-time.After(shutdownGrace + hang):
		return "Shutdown does not return"
	}
}
