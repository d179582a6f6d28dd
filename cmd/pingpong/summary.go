package main

import (
	"fmt"
	"strings"
)

// A summary prints the figures of a scenario for people, in that many columns.
type summary struct {
	strings.Builder
	figures
	scenario scenario
	columns  int
}

func summarize(s scenario, f figures, columns int) []byte {
	b := summary{figures: f, scenario: s, columns: columns}
	b.head()
	b.chart()
	b.workers()
	b.totals()
	b.verdict()
	return []byte(b.String())
}

// say writes parts on a line, or on several if they do not fit.
func (b *summary) say(parts ...string) { b.WriteString(flow(b.columns, 0, " · ", parts...) + "\n") }

// head prints the scenario and its settings.
func (b *summary) head() {
	b.WriteByte('\n')
	b.say(b.Scenario + ": " + b.scenario.about)
	b.say(plural(uint64(b.N), b.Op, b.scenario.ops)+" a turn",
		plural(uint64(b.Workers), "worker", "workers"),
		fmt.Sprint("seed ", b.Seed))
	if b.N != b.Asked {
		b.say(fmt.Sprintf("(%s asked for, which is not a size this work can have)",
			commas(uint64(b.Asked))))
	}
}

// workers prints the work of each worker in the median turn.
func (b *summary) workers() {
	rows := [][]string{{"worker", "turns", "messages", "steals", "misses", "parks", "wakes"}}
	for i, w := range b.PerWorker {
		name := fmt.Sprint(i)
		if w.Spares {
			name = "spares"
		}
		rows = append(rows, workerRow(name, w))
	}
	if len(b.PerWorker) > 1 {
		rows = append(rows, workerRow("all", sum(b.PerWorker)))
	}
	b.WriteString("\n" + alignTable(b.columns, rows))
	if len(b.PerWorker) > b.Workers {
		b.say("(spares step in for a worker whose behaviour keeps it for long)")
	}
	b.WriteByte('\n')
}

func workerRow(name string, w jsonWorker) []string {
	return []string{name, commas(w.Turns), commas(w.Messages), commas(w.Steals),
		commas(w.StealMisses),
		commas(w.Parks), commas(w.Wakes)}
}

// totals prints the figures of all workers together.
func (b *summary) totals() {
	b.say(plural(b.Mutes, "mute", "mutes"), plural(b.DeadLetters, "dead letter", "dead letters"),
		plural(b.Spawned, "actor spawned", "actors spawned"), fmt.Sprintf("%.1f ms", b.WallMs))
	if b.AllocsPerOp != nil {
		allocs := []string{fmt.Sprintf("%.2f allocations per %s", *b.AllocsPerOp, b.Op)}
		if b.BaselineAllocsPerOp != nil {
			allocs = append(allocs, fmt.Sprintf("(channels: %.2f)", *b.BaselineAllocsPerOp))
		}
		b.WriteString(flow(b.columns, 0, " ", allocs...) + "\n")
	}
	setting := "GC at GOGC=off"
	if b.GOGC != nil {
		setting = fmt.Sprintf("GC at GOGC=%d", *b.GOGC)
	}
	if b.PeakRSSKB > 0 {
		b.say(fmt.Sprintf("%.1f MB of memory at most in gallop's turns", float64(b.PeakRSSKB)/1024),
			setting)
	} else {
		b.say(setting)
	}
}

func (b *summary) verdict() {
	switch {
	case b.Interrupted:
		b.say(fmt.Sprintf("interrupted after %s: these are the figures so far",
			plural(uint64(b.Rounds), "complete turn", "complete turns")))
		if b.DeadLetters > 0 {
			b.say("the dead letters are what was under way then: nothing is wrong")
		}
	case !b.OK:
		b.say("WRONG: " + b.Error)
	default:
		b.say(fmt.Sprintf("every count was right (%s)", commas(b.scenario.expected(b.N))))
	}
}
