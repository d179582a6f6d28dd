package main

import (
	"encoding/json"
	"runtime"
)

// figures are the published figures of a scenario: -json prints them on one line, and the summary
// has no others. A missing figure is null. The counters belong to the turn with the median time. If
// the number of turns is even, they belong to the faster of the two turns in the middle, and the
// times are the mean of both. The peak of memory covers all of gallop's turns with the program
// around them. It excludes the channels, which have a process of their own.
type figures struct {
	Scenario            string       `json:"scenario"`
	N                   int          `json:"n"`
	Asked               int          `json:"n_asked"`
	Op                  string       `json:"op"`
	Workers             int          `json:"workers"`
	Seed                uint64       `json:"seed"`
	Rounds              int          `json:"rounds"`
	BaselineRounds      int          `json:"baseline_rounds"`
	NsPerOp             *float64     `json:"ns_per_op"`
	BaselineNsPerOp     *float64     `json:"baseline_ns_per_op"`
	Ratio               *float64     `json:"ratio"`
	WallMs              float64      `json:"wall_ms"`
	Messages            uint64       `json:"messages"`
	Spawned             uint64       `json:"spawned"`
	Turns               uint64       `json:"turns"`
	Steals              uint64       `json:"steals"`
	Parks               uint64       `json:"parks"`
	Mutes               uint64       `json:"mutes"`
	Unmutes             uint64       `json:"unmutes"`
	DeadLetters         uint64       `json:"dead_letters"`
	Panics              uint64       `json:"panics"`
	AllocsPerOp         *float64     `json:"allocs_per_op"`
	BaselineAllocsPerOp *float64     `json:"baseline_allocs_per_op"`
	PeakRSSKB           uint64       `json:"peak_rss_kb"`
	GOGC                *uint64      `json:"gogc"`
	PerWorker           []jsonWorker `json:"per_worker"`
	Go                  string       `json:"go"`
	OS                  string       `json:"os"`
	Arch                string       `json:"arch"`
	CPUs                int          `json:"cpus"`
	Interrupted         bool         `json:"interrupted"`
	OK                  bool         `json:"ok"`
	Error               string       `json:"error,omitempty"`
}

// jsonWorker has the counts of one worker, or of all surplus workers together. Surplus workers
// stand in for a worker whose behaviour keeps it for long, and may well do the most.
type jsonWorker struct {
	Spares      bool   `json:"spares"`
	Turns       uint64 `json:"turns"`
	Messages    uint64 `json:"messages"`
	Steals      uint64 `json:"steals"`
	StealMisses uint64 `json:"steal_misses"`
	Parks       uint64 `json:"parks"`
	Wakes       uint64 `json:"wakes"`
	Yields      uint64 `json:"yields"`
}

// figures are the report as it is shown.
func (r *report) figures() figures {
	t := r.shown()
	f := figures{
		Scenario: r.scenario.name, N: r.n, Asked: r.asked, Op: r.scenario.op,
		Workers: t.workers, Seed: r.seed, Rounds: len(r.gallop), BaselineRounds: len(r.channels),
		NsPerOp: known(r.nsPerOp(r.gallop)), BaselineNsPerOp: known(r.nsPerOp(r.channels)),
		Ratio:    known(r.ratio()),
		WallMs:   float64(t.wall.Nanoseconds()) / 1e6,
		Messages: t.stats.Messages, Spawned: t.stats.Spawned, Turns: t.stats.Turns,
		Steals: t.stats.Steals, Parks: t.stats.Parks, Mutes: t.stats.Mutes,
		Unmutes:     t.stats.Unmutes,
		DeadLetters: t.stats.DeadLetters, Panics: t.stats.Panics,
		AllocsPerOp: r.allocsPerOp(r.gallop), BaselineAllocsPerOp: r.allocsPerOp(r.channels),
		PeakRSSKB: r.peakKB, GOGC: r.gogc, PerWorker: perWorker(t),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Interrupted: r.interrupted, OK: r.ok(),
	}
	if r.err != nil {
		f.Error = r.err.Error()
	}
	return f
}

// line is the figures as one line of JSON.
func (f *figures) line() ([]byte, error) {
	line, err := json.Marshal(f)
	return append(line, '\n'), err
}

// known returns a figure, or nil if it is missing.
func known(figure float64) *float64 {
	if figure == 0 {
		return nil
	}
	return &figure
}

// or0 returns a figure, or 0 if it is missing.
func or0(figure *float64) float64 {
	if figure == nil {
		return 0
	}
	return *figure
}

// perWorker lists the counts of the workers, and last of the surplus workers, if there were any.
func perWorker(t turn) []jsonWorker {
	out := make([]jsonWorker, len(t.stats.Workers))
	for i, w := range t.stats.Workers {
		out[i] = jsonWorker{Spares: i >= t.workers, Turns: w.Turns, Messages: w.Messages,
			Steals:      w.Steals,
			StealMisses: w.StealMisses, Parks: w.Parks, Wakes: w.Wakes, Yields: w.Yields}
	}
	return out
}

// sum adds up all of them.
func sum(workers []jsonWorker) (all jsonWorker) {
	for _, w := range workers {
		all.Turns += w.Turns
		all.Messages += w.Messages
		all.Steals += w.Steals
		all.StealMisses += w.StealMisses
		all.Parks += w.Parks
		all.Wakes += w.Wakes
	}
	return all
}
