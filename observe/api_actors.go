package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
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

// apiOne is one actor in detail, with its state.
type apiOne struct {
	Actor  apiActor  `json:"actor"`
	Busy   []apiBusy `json:"busy"`
	Waits  []apiEdge `json:"waits_for"`
	Waited []apiEdge `json:"is_waited_for_by"`
	GoType string    `json:"state_type,omitempty"`
	Bytes  int       `json:"state_bytes,omitempty"`
	State  string    `json:"state,omitempty"` // as JSON
	Error  string    `json:"state_error,omitempty"`
}

const (
	stateTimeout = time.Second
	stateMost    = 16 << 10
)

// serveActor serves the page of one actor. The request is dear, since the actor has to take a turn.
func (h *handler) serveActor(w http.ResponseWriter, r *http.Request) {
	v, a, ok := h.actorOf(w, r)
	if !ok {
		return
	}
	p := present{v, h.redact}
	one := apiOne{Actor: p.actor(a), Busy: []apiBusy{}, Waits: []apiEdge{}, Waited: []apiEdge{}}
	for _, b := range p.busy(len(v.busy)) {
		if b.Actor == a.ID {
			one.Busy = append(one.Busy, b)
		}
	}
	for _, e := range slices.Concat(v.graph.Mutes, v.graph.Asks) {
		edge := apiEdge{p.actor(e.From), p.actor(e.To), e.Behaviour, e.AtLeast.Seconds()}
		if e.From.ID == a.ID && len(one.Waits) < mostRecent {
			one.Waits = append(one.Waits, edge)
		}
		if e.To.ID == a.ID && len(one.Waited) < mostRecent {
			one.Waited = append(one.Waited, edge)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), stateTimeout)
	defer cancel()
	s, err := h.src.state(ctx, a)
	one.GoType, one.Bytes, one.State = s.GoType, s.Bytes, h.stateText(ctx, s.Value)
	if err != nil {
		one.Error = guard.Text(err)
		if guard.Is(err, context.DeadlineExceeded) {
			one.Error = fmt.Sprintf("it has not come to it within %s: its turn is long",
				short(stateTimeout))
		}
	}
	write(w, r, v, one)
}

// stateText returns a state as JSON, redacted and clipped. value is a copy made by the state. Its
// JSON methods are the user's code, so they run apart: when ctx ends first, they are left running.
func (h *handler) stateText(ctx context.Context, value any) (text string) {
	if value == nil {
		return ""
	}
	var data []byte
	var err error
	done := make(chan *guard.Fault, 1)
	guard.Go(func() {
		done <- guard.Apart(func() { data, err = json.MarshalIndent(value, "", "  ") })
	})
	select {
	case f := <-done:
		if f != nil {
			return "it cannot be shown: " + f.String()
		}
	case <-ctx.Done():
		return "it cannot be shown: that takes longer than " + short(stateTimeout)
	}
	if err != nil {
		return "it cannot be shown: " + guard.Text(err)
	}
	text = h.redact("state", string(data))
	if len(text) > stateMost {
		text = strings.ToValidUTF8(text[:stateMost], "") + "…"
	}
	return text
}

// actorOf finds the actor of a request. If there is none, it has answered the request.
func (h *handler) actorOf(w http.ResponseWriter, r *http.Request) (*view, inspect.Actor, bool) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil || len(r.URL.RawQuery) > 0 {
		http.Error(w, "gallop: observe: an actor's number is wanted", http.StatusBadRequest)
		return nil, inspect.Actor{}, false
	}
	if !h.dear.take() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "gallop: observe: too many requests", http.StatusTooManyRequests)
		return nil, inspect.Actor{}, false
	}
	ctx, cancel := context.WithTimeout(r.Context(), firstSample)
	defer cancel()
	v, _, err := h.look.current(ctx)
	if err != nil {
		http.Error(w, "gallop: observe: no sample yet", http.StatusServiceUnavailable)
		return nil, inspect.Actor{}, false
	}
	a, ok := h.src.find(id)
	if !ok {
		http.Error(w, "gallop: observe: this actor has ended, or is none of those that can be found",
			http.StatusNotFound)
	}
	return v, a, ok
}

// serveStop stops an actor. Without WithActions, refuses turns the request away before.
func (h *handler) serveStop(w http.ResponseWriter, r *http.Request) {
	if _, a, ok := h.actorOf(w, r); ok {
		h.src.stop(a)
		w.WriteHeader(http.StatusNoContent)
	}
}
