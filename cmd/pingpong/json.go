package main

import (
	"encoding/json"
	"runtime"

	"github.com/gallop-go/gallop/actor"
)

// jsonReport is what -json prints of a scenario, on one line. A figure that there is
// not is null. The counters are those of the turn whose time is the median.
type jsonReport struct {
	Scenario            string       `json:"scenario"`
	N                   int          `json:"n"`
	Asked               int          `json:"n_asked"`
	Op                  string       `json:"op"`
	Workers             int          `json:"workers"`
	Seed                uint64       `json:"seed"`
	Rounds              int          `json:"rounds"`
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
	PerWorker           []jsonWorker `json:"per_worker"`
	Go                  string       `json:"go"`
	OS                  string       `json:"os"`
	Arch                string       `json:"arch"`
	CPUs                int          `json:"cpus"`
	Interrupted         bool         `json:"interrupted"`
	OK                  bool         `json:"ok"`
	Error               string       `json:"error,omitempty"`
}

// jsonWorker is what one worker did.
type jsonWorker struct {
	Turns       uint64 `json:"turns"`
	Messages    uint64 `json:"messages"`
	Steals      uint64 `json:"steals"`
	StealMisses uint64 `json:"steal_misses"`
	Parks       uint64 `json:"parks"`
	Wakes       uint64 `json:"wakes"`
	Yields      uint64 `json:"yields"`
}

// json is the report as one line.
func (r *report) json() ([]byte, error) {
	t := r.shown()
	out := jsonReport{
		Scenario: r.scenario.name, N: r.n, Asked: r.asked, Op: r.scenario.op,
		Workers: t.workers, Seed: r.seed, Rounds: len(r.gallop),
		NsPerOp: known(r.nsPerOp(r.gallop)), BaselineNsPerOp: known(r.nsPerOp(r.channels)), Ratio: known(r.ratio()),
		WallMs:   float64(t.wall.Nanoseconds()) / 1e6,
		Messages: t.stats.Messages, Spawned: t.stats.Spawned, Turns: t.stats.Turns,
		Steals: t.stats.Steals, Parks: t.stats.Parks, Mutes: t.stats.Mutes, Unmutes: t.stats.Unmutes,
		DeadLetters: t.stats.DeadLetters, Panics: t.stats.Panics,
		AllocsPerOp: r.allocsPerOp(r.gallop), BaselineAllocsPerOp: r.allocsPerOp(r.channels), PeakRSSKB: r.peakKB, PerWorker: perWorker(t.stats.Workers),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Interrupted: r.interrupted, OK: r.ok(),
	}
	if r.err != nil {
		out.Error = r.err.Error()
	}
	line, err := json.Marshal(out)
	return append(line, '\n'), err
}

// known is a figure, or nothing for one that there is not.
func known(figure float64) *float64 {
	if figure == 0 {
		return nil
	}
	return &figure
}

func perWorker(workers []actor.WorkerStats) []jsonWorker {
	out := make([]jsonWorker, len(workers))
	for i, w := range workers {
		out[i] = jsonWorker{Turns: w.Turns, Messages: w.Messages, Steals: w.Steals,
			StealMisses: w.StealMisses, Parks: w.Parks, Wakes: w.Wakes, Yields: w.Yields}
	}
	return out
}
