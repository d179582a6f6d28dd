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
	Before   uint64 `json:"spawned_before,omitempty"` // actors spawned before the sample began; none of them is counted
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
	Flight      bool       `json:"flight"` // a flight recorder can be read
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
	v, e := p.v, p.v.census.Total
	s := apiSystem{
		At: v.at, Since: v.since, Seconds: v.seconds(),
		Workers: v.slots, Utilisation: v.utilisation(),
		PerSecond: figures(v.rate),
		Total:     figures(func(f func(*sample) uint64) float64 { return float64(f(v.sample)) }),
		Living:    apiLiving{e.Living, e.Low, e.High, e.Seen, inspect.OneIn, v.census.Before},
		Muted:     v.muted(), Asking: len(v.graph.Asks), Looks: v.looks, Running: v.ran,
		Actions: of.actions, Flight: of.flight != nil,
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
