package observe

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// standardError returns the largest standard error of a share that was measured by so many looks.
func standardError(looks uint64) float64 { return 0.5 / math.Sqrt(float64(max(looks, 1))) }

// types returns the types, the busiest first. Types that are equally busy are sorted by their
// actors.
func (p present) types() []apiType {
	busy, workers := map[string]float64{}, map[string]float64{}
	for _, b := range p.v.behaviours {
		busy[b.Type] += b.Share
		workers[b.Type] += p.v.workersFor(b)
	}
	most := p.v.stats.Spawned - p.v.stats.Stopped
	living := map[string]inspect.Estimate{}
	for _, e := range p.v.census.Types {
		living[e.Type] = e
	}
	delays := map[string]typeDelay{}
	for _, d := range p.v.delays {
		delays[d.typ] = d
	}
	all := []apiType{}
	seen := map[string]bool{}
	for _, t := range p.v.types {
		if seen[t.Name] { // types that share a name are shown as one
			continue
		}
		seen[t.Name] = true
		e, d := living[t.Name], delays[t.Name]
		a := apiType{
			Name: t.Name, Busy: busy[t.Name], Workers: workers[t.Name], Seen: e.Seen,
			Living: min(e.Living, most), Low: min(e.Low, most), High: min(e.High, most),
			Bytes: t.StateBytes, Pinned: t.Pinned, Behaviours: append([]string{}, t.Behaviours...),
			Probes: d.probes, Waits: d.waits.Seconds(),
		}
		if d.probes > 0 {
			a.DelayP50, a.DelayP99 = seconds(d.p50), seconds(d.p99)
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b apiType) int {
		return cmp.Or(cmp.Compare(b.Busy, a.Busy), cmp.Compare(b.Living, a.Living),
			cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), mostTypes)]
}

const mostTypes = 200

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}
