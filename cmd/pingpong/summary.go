package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gallop-go/gallop/actor"
)

// summary is the report for a person.
func (r *report) summary() []byte {
	var b bytes.Buffer
	r.head(&b)
	r.chart(&b)
	workerTable(&b, r.shown().stats)
	r.totals(&b)
	r.verdict(&b)
	return b.Bytes()
}

// head says what was run.
func (r *report) head(b *bytes.Buffer) {
	workers := uint64(r.shown().workers)
	fmt.Fprintf(b, "\n%s: %s\n", r.scenario.name, r.scenario.about)
	fmt.Fprintf(b, "%s a turn · %s · seed %d\n", many(uint64(r.n), r.scenario.op, r.scenario.ops),
		many(workers, "worker", "workers"), r.seed)
	if r.n != r.asked {
		fmt.Fprintf(b, "(%s asked for, which is not a size this work can have)\n", commas(uint64(r.asked)))
	}
}

// chart draws the speed of both sides: the longer, the faster.
func (r *report) chart(b *bytes.Buffer) {
	sides := []struct {
		name  string
		turns []turn
	}{{"gallop", r.gallop}, {"channels", r.channels}}
	fastest := 0.0
	for _, s := range sides {
		fastest = max(fastest, r.perSecond(s.turns))
	}
	if fastest > 0 {
		b.WriteByte('\n')
	}
	for _, s := range sides {
		if len(s.turns) > 0 {
			speed := r.perSecond(s.turns)
			fmt.Fprintf(b, "%-8s  %s %12s %s/s %10s ns each\n", s.name, bar(speed, fastest, 30),
				commas(uint64(speed)), r.scenario.ops, short(r.nsPerOp(s.turns)))
		}
	}
	r.compare(b)
}

// compare says in words what the chart shows.
func (r *report) compare(b *bytes.Buffer) {
	ahead, behind, ratio := "gallop is", "goroutines and channels", r.ratio()
	if ratio == 0 {
		return
	}
	if ratio < 1 {
		ahead, behind, ratio = "goroutines and channels are", "gallop", 1/ratio
	}
	fmt.Fprintf(b, "%10s%s %.1f times as fast as %s (median of %s each, alternating)\n",
		"", ahead, ratio, behind, many(uint64(len(r.channels)), "turn", "turns"))
}

// workerTable shows who did the work of the median turn.
func workerTable(b *bytes.Buffer, st actor.Stats) {
	b.WriteByte('\n')
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "worker\tturns\tmessages\tsteals\tmisses\tparks\twakes\t")
	var all actor.WorkerStats
	for i, s := range st.Workers {
		workerRow(w, fmt.Sprint(i), s)
		all.Turns += s.Turns
		all.Messages += s.Messages
		all.Steals += s.Steals
		all.StealMisses += s.StealMisses
		all.Parks += s.Parks
		all.Wakes += s.Wakes
	}
	if len(st.Workers) > 1 {
		workerRow(w, "all", all)
	}
	w.Flush()
}

func workerRow(w io.Writer, name string, s actor.WorkerStats) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, commas(s.Turns), commas(s.Messages),
		commas(s.Steals), commas(s.StealMisses), commas(s.Parks), commas(s.Wakes))
}

// totals shows what belongs to no single worker.
func (r *report) totals(b *bytes.Buffer) {
	t := r.shown()
	fmt.Fprintf(b, "\n%s · %s · %s · %.1f ms\n", many(t.stats.Mutes, "mute", "mutes"),
		many(t.stats.DeadLetters, "dead letter", "dead letters"),
		many(t.stats.Spawned, "actor spawned", "actors spawned"), float64(t.wall.Nanoseconds())/1e6)
	if allocs := r.allocsPerOp(r.gallop); allocs != nil {
		fmt.Fprintf(b, "%.2f allocations per %s", *allocs, r.scenario.op)
		if allocs = r.allocsPerOp(r.channels); allocs != nil {
			fmt.Fprintf(b, " (channels: %.2f)", *allocs)
		}
		b.WriteString(" · ")
	}
	fmt.Fprintf(b, "%.1f MB of memory at most\n", float64(r.peakKB)/1024)
}

func (r *report) verdict(b *bytes.Buffer) {
	switch {
	case r.interrupted:
		fmt.Fprintf(b, "interrupted after %s: these are the figures so far\n",
			many(uint64(len(r.gallop)), "complete turn", "complete turns"))
	case r.err != nil:
		fmt.Fprintf(b, "WRONG: %v\n", r.err)
	default:
		fmt.Fprintf(b, "every count was right (%s)\n", commas(r.shown().got))
	}
}

// perSecond is how many operations a side does in a second, or 0 if that is unknown.
func (r *report) perSecond(turns []turn) float64 {
	if len(turns) == 0 {
		return 0
	}
	return 1e9 / r.nsPerOp(turns)
}

// printOverview puts all scenarios under each other: the longer, the further ahead.
func printOverview(out io.Writer, all []report) error {
	var b bytes.Buffer
	best := 1.0
	for _, r := range all {
		best = max(best, r.ratio())
	}
	fmt.Fprintf(&b, "\n%-10s %12s %12s %14s\n", "scenario", "gallop ns", "channels ns", "times as fast")
	for _, r := range all {
		fmt.Fprintf(&b, "%-10s %12s %12s %14s  %s\n", r.scenario.name, short(r.nsPerOp(r.gallop)),
			short(r.nsPerOp(r.channels)), short(r.ratio()), r.mark(best))
	}
	_, err := out.Write(b.Bytes())
	return err
}

func (r *report) mark(best float64) string {
	if !r.ok() {
		return "WRONG"
	}
	return strings.TrimRight(bar(r.ratio(), best, 30), " ")
}
