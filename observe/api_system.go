package observe

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

type apiFigures struct {
	Messages    float64 `json:"messages"`
	Spawned     float64 `json:"spawned"`
	Stopped     float64 `json:"stopped"`
	Panics      float64 `json:"panics"`
	DeadLetters float64 `json:"dead_letters"`
	BestEffort  float64 `json:"dead_letters_best_effort"`
	Mutes       float64 `json:"mutes"`
	Turns       float64 `json:"turns"`
}

type apiLiving struct {
	Estimate uint64 `json:"estimate"`
	Low      uint64 `json:"low"`
	High     uint64 `json:"high"`
	Seen     int    `json:"seen"`
	OneIn    int    `json:"one_in"`
	// Most is the number of actors that were spawned and have not stopped. Some of them may have been
	// collected.
	Most   uint64 `json:"most"`
	Before uint64 `json:"spawned_before,omitempty"` // actors spawned before the sample began; none of them is counted
}

type apiSystem struct {
	Health      string     `json:"health"` // ok, check or warn
	Headline    string     `json:"headline"`
	At          time.Time  `json:"at"`
	Since       time.Time  `json:"since"` // when the looks began
	Seconds     float64    `json:"seconds"`
	Workers     int        `json:"workers"`
	Utilisation float64    `json:"utilisation"`
	PerSecond   apiFigures `json:"per_second"`
	Total       apiFigures `json:"total"`
	Living      apiLiving  `json:"living"`
	Muted       int        `json:"muted"`
	Asking      int        `json:"asking"`
	Looks       uint64     `json:"profile_looks"`
	Running     uint64     `json:"profile_looks_running"`
	Actions     bool       `json:"actions"`
	Flight      bool       `json:"flight"`          // a flight recorder can be read
	Ended       bool       `json:"ended,omitempty"` // the figures are the last ones

	apiProgram
	Pinned  float64    `json:"pinned_busy"` // the threads of pinned types that are busy, on average; not in Utilisation
	Machine apiMachine `json:"machine"`
}

// apiMachine has figures of the Go program and of the processors.
type apiMachine struct {
	Heap       float64 `json:"heap_bytes"` // of living objects, as of the last collection
	Allocates  float64 `json:"allocated_bytes_per_second"`
	Collects   float64 `json:"collector"` // share of the processors
	Goroutines uint64  `json:"goroutines"`
	Starved    float64 `json:"threads_without_processor"`         // on average
	Lacked     float64 `json:"longest_without_processor_seconds"` // of one thread, in a second
}

func (p present) machine() apiMachine {
	m := p.v.machine
	a := apiMachine{Heap: float64(m.heap), Collects: p.v.collects(), Goroutines: m.goroutines,
		Allocates: p.v.rate(func(s *sample) uint64 { return s.machine.allocated }), Starved: p.v.starved()}
	if len(m.lacked) > 0 {
		a.Lacked = m.lacked[0].Seconds()
	}
	return a
}

// living returns the estimate of the number of actors. The number of actors that have not stopped
// bounds it, and is the estimate if it is within the range of the sample: then the GC has probably
// collected none.
func (p present) living() apiLiving {
	e, most := p.v.census.Total, p.v.stats.Spawned-p.v.stats.Stopped
	l := apiLiving{Estimate: min(e.Living, most), Low: min(e.Low, most), High: min(e.High, most), Seen: e.Seen,
		OneIn: inspect.OneIn, Before: p.v.census.Before, Most: most}
	if e.Low <= most && most <= e.High {
		l.Estimate = most
	}
	return l
}

// apiOverview is the event that a stream sends each second.
type apiOverview struct {
	System  apiSystem   `json:"system"`
	Lints   []apiLint   `json:"lints"`
	Workers []apiWorker `json:"workers"`
	Top     []apiBusy   `json:"top"`
	Types   []apiType   `json:"types"`
}

func (p present) overview(of settings) apiOverview {
	t := p.types()
	return apiOverview{p.system(of), p.lints(), p.workers(), p.busy(10), t[:min(len(t), 10)]}
}

func figures(of func(total func(*sample) uint64) float64) apiFigures {
	return apiFigures{
		Messages:    of(totalMessages),
		Spawned:     of(func(s *sample) uint64 { return s.stats.Spawned }),
		Stopped:     of(func(s *sample) uint64 { return s.stats.Stopped }),
		Panics:      of(totalPanics),
		DeadLetters: of(totalDeadLetters),
		BestEffort:  of(func(s *sample) uint64 { return s.stats.BestEffort }),
		Mutes:       of(func(s *sample) uint64 { return s.stats.Mutes }),
		Turns:       of(func(s *sample) uint64 { return s.stats.Turns }),
	}
}

func (p present) system(of settings) apiSystem {
	v := p.v
	s := apiSystem{
		At: v.at, Since: v.since, Seconds: v.seconds(),
		Workers: v.slots, Utilisation: v.utilisation(),
		PerSecond: figures(v.rate),
		Total:     figures(func(f func(*sample) uint64) float64 { return float64(f(v.sample)) }),
		Living:    p.living(), Pinned: v.pinnedBusy(), Machine: p.machine(),
		Muted: v.muted(), Asking: len(v.graph.Asks), Looks: v.looks, Running: v.ran,
		Actions: of.actions, Flight: of.flight != nil, Ended: v.over, apiProgram: thisProgram(),
	}
	s.Health, s.Headline = p.headline(s)
	return s
}

// headline describes the system in one line: the worst finding first, then the activity.
func (p present) headline(s apiSystem) (health, text string) {
	health = "ok"
	var first *lint
	found := 0
	for i := range p.v.lints {
		l := &p.v.lints[i]
		if l.severity == info {
			continue
		}
		found++
		if first == nil {
			first, health = l, l.severity.String()
		}
	}
	work := fmt.Sprintf("%s messages/s, workers %.0f %% busy", count(s.PerSecond.Messages),
		100*s.Utilisation)
	switch found {
	case 0:
		return health, "nothing found; " + work
	case 1:
		return health, p.sentence(first) + "; " + work
	}
	return health, fmt.Sprintf("%s, and %d more; %s", p.sentence(first), found-1, work)
}

// count formats a number with few digits.
func count(n float64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3gG", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3gM", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.3gk", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}
