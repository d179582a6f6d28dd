package observe

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gallop-go/gallop/internal/inspect"
)

type apiActors struct {
	// Known is the number of actors found, out of about Living. Matched is how many of them match
	// the query.
	Known   int        `json:"known"`
	Living  uint64     `json:"living_estimate"`
	OneIn   int        `json:"one_in"`
	Matched int        `json:"matched"`
	Actors  []apiActor `json:"actors"`
}

const (
	actorsShown = 50
	actorsMost  = 500
)

// find returns the known actors whose type, name, path or number contains a text.
func (p present) find(q url.Values) (any, error) {
	limit, err := number(q, "limit", actorsMost, actorsShown)
	if err != nil {
		return nil, err
	}
	busy, workers := map[uint64]float64{}, map[uint64]float64{}
	for _, b := range p.v.busy {
		busy[b.Actor] += b.Share
		workers[b.Actor] += p.v.workersFor(b)
	}
	waits := map[uint64]float64{}
	for _, w := range p.v.waits {
		waits[w.actor.ID] = max(waits[w.actor.ID], w.delay.Seconds())
	}
	a := apiActors{Known: len(p.v.actors), Living: p.v.census.Total.Living, OneIn: inspect.OneIn}
	text := strings.ToLower(q.Get("q"))
	var all []apiActor
	for _, x := range p.v.actors {
		b := p.actor(x)
		b.Busy, b.Workers, b.Waits = busy[x.ID], workers[x.ID], waits[x.ID]
		if b.has(text) && (!q.Has("type") || q.Get("type") == b.Type) {
			all = append(all, b)
		}
	}
	if err := sortActors(all, q.Get("sort")); err != nil {
		return nil, err
	}
	a.Matched, a.Actors = len(all), append([]apiActor{}, all[:min(len(all), limit)]...)
	return a, nil
}

// has reports whether the actor's type, number, name or path contains text, which is in lower case.
func (a apiActor) has(text string) bool {
	if text == "" {
		return true
	}
	all := fmt.Sprintf("%s#%d\n%s\n%s", a.Type, a.ID, a.Name, a.Path)
	return strings.Contains(strings.ToLower(all), text)
}

func sortActors(all []apiActor, by string) error {
	switch by {
	case "", "queued":
		slices.SortStableFunc(all, byNumber(func(a apiActor) int { return a.Queued }))
	case "busy":
		slices.SortStableFunc(all, byNumber(func(a apiActor) float64 { return a.Busy }))
	case "type":
		slices.SortStableFunc(all, func(a, b apiActor) int { return strings.Compare(a.Type, b.Type) })
	case "id": // the list is sorted by number already
	default:
		return errors.New("gallop: observe: sort by queued, busy, type or id")
	}
	return nil
}
