package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// "The summary a person enjoys": its shape, on figures that never change, in a terminal of
// the usual width, a narrow and a wide one.
func TestSummary_Golden(t *testing.T) {
	for golden, columns := range map[string]int{
		"testdata/summary.golden": defaultColumns, "testdata/narrow.golden": 39,
		"testdata/wide.golden": maxColumns,
	} {
		checkGolden(t, golden, sampleSummaries(columns))
	}
}

func sampleSummaries(columns int) []byte {
	rep := sampleReport()
	ahead := rep.figures()
	rep = sampleReport()
	rep.gallop, rep.channels = rep.channels, rep.gallop
	rep.scenario, rep.n, rep.asked = skynet, 1_000_000, 999_999
	for i := range rep.gallop {
		rep.gallop[i].workers, rep.gallop[i].stats = 1,
			actor.Stats{Workers: make([]actor.WorkerStats, 1)}
	}
	rep.err = nil // the counts belong to the other scenario
	behind := rep.figures()
	rep = sampleReport()
	rep.gallop, rep.channels, rep.n, rep.asked, rep.scenario = nil, nil, chameneos.n, chameneos.n,
		chameneos
	withSurplus := surplusTurn()
	withSurplus.got--
	rep.addGallop(withSurplus)
	wrong := rep.figures()
	return bytes.Join([][]byte{
		summarize(pingpong, ahead, columns), summarize(skynet, behind, columns),
		summarize(chameneos, wrong, columns),
		overview([]figures{ahead, behind, wrong}, columns),
	}, nil)
}

// TestSummary_Comparison: the side that is ahead is named first, and neither is 1.0 times as fast.
func TestSummary_Comparison(t *testing.T) {
	for ratio, want := range map[float64]string{
		2.04: "gallop is 2.0 times as fast as goroutines and channels",
		0.5:  "goroutines and channels are 2.0 times as fast as gallop",
		1.06: "gallop is 1.1 times as fast", 0.9: "goroutines and channels are 1.1 times as fast",
		1.04: "gallop is about as fast as goroutines and channels",
		0.96: "gallop is about as fast as goroutines and channels",
	} {
		rep := sampleReport()
		f := rep.figures()
		f.Ratio = &ratio
		if got := string(summarize(pingpong, f, defaultColumns)); !strings.Contains(got, want) {
			t.Errorf("%v: not %q in\n%s", ratio, want, got)
		}
	}
}

// The comparison says how many turns the medians are taken from, also when the channels' last one
// was cut short.
func TestSummary_CountsTheTurns(t *testing.T) {
	rep := sampleReport()
	rep.channels = rep.channels[:2]
	rep.fail(errInterrupted)
	want := "(median of 3 turns of gallop and 2 of the channels, alternating)"
	if got := string(summarize(pingpong, rep.figures(), defaultColumns)); !strings.Contains(got,
		want) {
		t.Errorf("not %q in\n%s", want, got)
	}
}

// surplusTurn is a turn in which surplus workers stepped in for a worker.
func surplusTurn() turn {
	t := sampleReport().gallop[0]
	t.stats.Workers = append(t.stats.Workers,
		actor.WorkerStats{Turns: 5_000, Messages: 1_440_000, Parks: 3})
	return t
}

func checkGolden(t *testing.T, golden string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the summary is not %s (UPDATE_GOLDEN=1 rewrites it):\n%s", golden, got)
	}
}

// No line of any scenario's summary is wider than the terminal, from 26 columns on; figures are as
// long as they get.
func TestSummary_FitsTheTerminal(t *testing.T) {
	for _, columns := range []int{25, 39, 50, 60, 70, defaultColumns, maxColumns} {
		var all []figures
		for _, s := range registry {
			f := largeFigures(s)
			all = append(all, f)
			for _, f.Interrupted = range []bool{false, true} {
				f.OK = !f.Interrupted
				checkWidth(t, columns, summarize(s, f, columns))
			}
			f.Error = "gallop counted 123456789, but 987654321 is right"
			f.Interrupted = false
			checkWidth(t, columns, summarize(s, f, columns))
		}
		all[0].OK = false
		checkWidth(t, columns, overview(all, columns))
	}
}

// largeFigures are the figures of a long run on a slow machine, with surplus workers.
func largeFigures(s scenario) figures {
	rep := newReport(s, options{n: 100_000_000, seed: 12345, workers: 2})
	rep.peakKB = 20_000_000
	stats := actor.Stats{Messages: 1 << 29, Spawned: 1 << 28, Mutes: 1 << 22, DeadLetters: 0}
	for range 3 {
		stats.Workers = append(stats.Workers,
			actor.WorkerStats{Turns: 1 << 28, Messages: 1 << 28, Steals: 1 << 20,
				StealMisses: 1 << 22, Parks: 1 << 20, Wakes: 1 << 20})
	}
	for range 3 {
		rep.addGallop(turn{wall: time.Minute, got: s.expected(rep.n), allocs: 1 << 30, stats: stats,
			workers: 2})
		rep.addChannels(turn{wall: 20 * time.Minute, got: s.expected(rep.n), allocs: 1 << 31})
	}
	f := rep.figures()
	f.DeadLetters = 1 << 22
	return f
}

func checkWidth(t *testing.T, columns int, text []byte) {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		if n := width(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns for %d: %s", n, columns, line)
		}
	}
}

// In 80 columns nothing that matters is broken or left out, and the title has one line.
func TestSummary_EightyColumnsAreEnough(t *testing.T) {
	for _, s := range registry {
		text := string(summarize(s, largeFigures(s), defaultColumns))
		for _, want := range []string{"\n" + s.name + ": " + s.about + "\n", "wakes\n", s.ops +
			"/s  ", " ns each\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", s.name, want, text)
			}
		}
	}
}

// The counts of surplus workers are separate in the summary and in the JSON: they are no third
// worker of two.
func TestSurplus_IsCalledSo(t *testing.T) {
	rep := newReport(pingpong, options{n: 2_000_000})
	rep.addGallop(surplusTurn())
	f := rep.figures()
	line, err := f.line()
	if err != nil || f.Workers != 2 {
		t.Fatalf("%d workers, %v", f.Workers, err)
	}
	for i, w := range f.PerWorker {
		if w.Spares != (i == 2) {
			t.Errorf("entry %d of per_worker: spares is %v", i, w.Spares)
		}
	}
	if !strings.Contains(string(line), `{"spares":true,"turns":5000,"messages":1440000,`) {
		t.Errorf("%s", line)
	}
	if text := string(summarize(pingpong, f, defaultColumns)); !strings.Contains(text,
		"\n  spares   5,000  1,440,000 ") || strings.Contains(text, "\n       2 ") {
		t.Errorf("no row of the spares:\n%s", text)
	}
}

// Dead letters of a run that was interrupted are explained, and no others.
func TestSummary_ExplainsDeadLettersOfAnInterruptedRun(t *testing.T) {
	const explained = "what was under way then"
	for _, c := range []struct {
		dead uint64
		err  error
		want bool
	}{{400_000, errInterrupted, true}, {0, errInterrupted, false},
		{3, errors.New("something else"), false}} {
		rep := newReport(pingpong, options{n: 100})
		rep.addGallop(turn{err: c.err, workers: 2, stats: actor.Stats{DeadLetters: c.dead}})
		text := string(summarize(pingpong, rep.figures(), defaultColumns))
		if strings.Contains(text, explained) != c.want {
			t.Errorf("%d dead letters, %v:\n%s", c.dead, c.err, text)
		}
	}
}

// The words in the summary and the time of an operation come from the same median.
func TestFigures_EvenRounds(t *testing.T) {
	rep := newReport(pingpong, options{n: 1000})
	for _, ms := range []int{40, 10, 30, 20} {
		rep.addGallop(turn{wall: time.Duration(ms) * time.Millisecond, got: 1000,
			stats: actor.Stats{Messages: uint64(ms)}})
	}
	f := rep.figures()
	if *f.NsPerOp != 25_000 || f.WallMs != 25 || f.Messages != 20 {
		t.Errorf("%v ns, %v ms, counters of the turn with %d ms; want 25000, 25 and 20", *f.NsPerOp,
			f.WallMs, f.Messages)
	}
}

func TestFlow(t *testing.T) {
	for _, c := range []struct {
		columns, indent int
		parts           []string
		want            string
	}{
		{20, 0, []string{"one", "two"}, "one · two"},
		{8, 0, []string{"one", "two"}, "one\ntwo"},
		{9, 2, []string{"one", "two"}, "one\n  two"},
		{9, 0, []string{"one", "two three four", "five"}, "one\ntwo three\nfour\nfive"},
		{4, 0, []string{"longer", "x"}, "longer\nx"},
	} {
		if got := flow(c.columns, c.indent, " · ", c.parts...); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}

func TestUnder_LeavesOutWhatDoesNotFit(t *testing.T) {
	rows := [][]string{{"a", "bb", "c"}, {"10", "2", "3"}}
	for columns, want := range map[int]string{
		11: "   a  bb  c\n  10   2  3\n", 10: "   a  bb\n  10   2\n", 3: "\n\n",
	} {
		if got := alignTable(columns, rows); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	if got := fmt.Sprint(columns(&bytes.Buffer{})); got != fmt.Sprint(defaultColumns) {
		t.Errorf("a buffer has %s columns", got)
	}
}
