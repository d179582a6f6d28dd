package main

import (
	"fmt"
	"strings"
)

const (
	longestBar  = 40 // cells
	shortestBar = 10 // a chart leaves something out before its bars are shorter
)

// A side is a row of the chart.
type side struct {
	name      string
	ns, speed float64
}

// chart draws the speed of both sides: the longer, the faster.
func (b *summary) chart() {
	var sides []side
	fastest := 0.0
	for _, s := range []side{{name: "gallop", ns: or0(b.NsPerOp)},
		{name: "channels", ns: or0(b.BaselineNsPerOp)}} {
		if s.ns > 0 {
			s.speed = 1e9 / s.ns
			fastest = max(fastest, s.speed)
			sides = append(sides, s)
		}
	}
	if len(sides) > 0 {
		b.WriteByte('\n')
	}
	texts, room := b.chartTexts(sides)
	for i, s := range sides {
		row := strings.TrimRight(fmt.Sprintf("%-8s  %s%s", s.name, bar(s.speed, fastest, room),
			texts[i]), " ")
		if width(row) > b.columns {
			row = flow(b.columns, 0, " ", s.name, strings.TrimSpace(texts[i]))
		}
		b.WriteString(row + "\n")
	}
	b.compare()
}

// chartTexts returns the texts behind the bars, all of one width, and the room that is left for the
// bars. Where there is too little room the speed goes, since it says the same as the time.
func (b *summary) chartTexts(sides []side) (texts []string, room int) {
	var rows [][]string
	for _, s := range sides {
		rows = append(rows, []string{shortFigure(s.ns) + " ns each", commas(uint64(s.speed)) + " " +
			b.scenario.ops + "/s"})
	}
	if len(rows) == 0 {
		return nil, 0
	}
	const name = 10
	widths, _ := fitColumns(0, rows)
	fit := 1
	if b.columns-name-widths[0]-widths[1] >= shortestBar {
		fit = 2
	}
	room = b.columns - name
	for _, w := range widths[:fit] {
		room -= w
	}
	for _, row := range rows {
		text := ""
		for i := fit - 1; i >= 0; i-- {
			text += fmt.Sprintf("%*s", widths[i], row[i])
		}
		texts = append(texts, text)
	}
	return texts, min(max(room, 0), longestBar)
}

// compare describes the chart in words.
func (b *summary) compare() {
	ahead, behind, ratio := "gallop is", "goroutines and channels", or0(b.Ratio)
	if ratio == 0 {
		return
	}
	if ratio < 1 {
		ahead, behind, ratio = "goroutines and channels are", "gallop", 1/ratio
	}
	says := fmt.Sprintf("%s %.1f times as fast as %s", ahead, ratio, behind)
	if ratio < 1.05 { // 1.0 times, as it is written
		says = "gallop is about as fast as goroutines and channels"
	}
	indent := 0
	if b.columns >= 60 {
		indent = 10 // under the bars
	}
	text := flow(b.columns, indent, " ", says,
		fmt.Sprintf("(median of %s, alternating)", b.turns()))
	b.WriteString(strings.Repeat(" ", indent) + text + "\n")
}

// turns says how many turns each side had: gallop one more if the channels' last one was cut short.
func (b *summary) turns() string {
	if b.Rounds == b.BaselineRounds {
		return plural(uint64(b.Rounds), "turn", "turns") + " each"
	}
	return fmt.Sprintf("%s of gallop and %s of the channels",
		plural(uint64(b.Rounds), "turn", "turns"), commas(uint64(b.BaselineRounds)))
}

// overview puts all scenarios under each other: the longer, the further ahead.
func overview(all []figures, columns int) []byte {
	const name = 10
	first, rows := "scenario", [][]string{{"gallop ns", "channels ns", "times as fast"}}
	if columns < 60 {
		first, rows = "ns each", [][]string{{"gallop", "channels", "times"}}
	}
	best := 1.0
	for _, f := range all {
		best = max(best, or0(f.Ratio))
		rows = append(rows, f.overviewRow())
	}
	lines := strings.Split(alignTable(columns-name, rows), "\n")
	room := min(columns-name-width(lines[0])-2, longestBar)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-*s%s\n", name, first, lines[0])
	for i, f := range all {
		line := fmt.Sprintf("%-*s%s", name, f.Scenario, lines[i+1])
		if f.OK && room >= shortestBar/2 {
			line += "  " + bar(or0(f.Ratio), best, room)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return []byte(b.String())
}

func (f *figures) overviewRow() []string {
	ratio := shortFigure(or0(f.Ratio))
	if !f.OK {
		ratio = "WRONG"
	}
	return []string{shortFigure(or0(f.NsPerOp)), shortFigure(or0(f.BaselineNsPerOp)), ratio}
}
