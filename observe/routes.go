package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// A route is a page of the API that is made from the latest view.
type route struct {
	name, about string
	params      []string // parameters of the query
	answer      func(p present, q url.Values) (any, error)
}

func (h *handler) routes() []route {
	of := func(f func(p present) any) func(present, url.Values) (any, error) {
		return func(p present, _ url.Values) (any, error) { return f(p), nil }
	}
	return []route{
		{"overview", "everything at a glance, as the stream sends it", nil,
			of(func(p present) any { return p.overview(h.settings) })},
		{"system", "health in one line, figures, rates", nil,
			of(func(p present) any { return p.system(h.settings) })},
		{"lints", "what seems to be wrong, in words", nil,
			of(func(p present) any { return p.lints() })},
		{"workers", "what each worker does, and how busy it is", nil,
			of(func(p present) any { return p.workers() })},
		{"top", "the busiest actors and behaviours", nil,
			of(func(p present) any { return p.busy(mostActors) })},
		{"types", "types: busy, living, mailbox delay", nil,
			of(func(p present) any { return p.types() })},
		{"actors", "actors: those that stand out, and a sample; ?q= ?type= ?sort= ?limit=",
			[]string{"q", "type", "sort", "limit"}, present.find},
		{"names", "registered names", nil, of(func(p present) any { return p.names() })},
		{"tree", "supervisors and their children", nil, of(func(p present) any { return p.tree() })},
		{"groups", "pools, topics and registries, and how many members they have", nil,
			of(func(p present) any { return p.groups() })},
		{"processes", "processes, and what they wait for", nil,
			of(func(p present) any { return p.processes() })},
		{"mutes", "who is muted, and waits for whom", nil,
			of(func(p present) any { return p.mutes() })},
		{"asks", "who asks, and waits for whom", nil, of(func(p present) any { return p.asks() })},
		{"why", "why the system is not quiescent", nil, of(func(p present) any { return p.why() })},
		{"deadletters", "messages that did not run", nil,
			of(func(p present) any { return p.deadLetters() })},
		{"panics", "the last panics, with stacks", nil, of(func(p present) any { return p.panics() })},
		{"longturns", "the last long turns, with stacks", nil,
			of(func(p present) any { return p.longTurns() })},
		{"metrics", "all figures, flat", nil, of(func(p present) any { return p.metrics() })},
		{"history", "the charts; ?seconds=", []string{"seconds"}, present.history},
	}
}

// index is the text that curl receives for the page.
func index() []byte {
	var h handler
	text := []byte("gallop: what a running system does. " +
		"Text here, JSON with 'Accept: application/json'.\n\n")
	for _, r := range h.routes() {
		text = fmt.Appendf(text, "api/v1/%-12s %s\n", r.name, r.about)
	}
	text = fmt.Appendf(text, "api/v1/%-12s %s\n", "actor/ID", "one actor: what it runs, its mail, who waits for it, its state")
	text = fmt.Appendf(text, "api/v1/%-12s %s\n", "process/ID", "one process, and its stack")
	text = fmt.Appendf(text, "api/v1/%-12s %s\n", "stream",
		"the overview, each second (server-sent events)")
	return fmt.Appendf(text, "%-19s %s\n", "flight",
		"the last things each worker did, if a flight recorder is on; ?as=text or json")
}

func (h *handler) serveAPI() {
	h.mux.HandleFunc("GET /api/v1/{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, index())
	})
	for _, r := range h.routes() {
		h.mux.HandleFunc("GET /api/v1/"+r.name, func(w http.ResponseWriter, req *http.Request) {
			h.serveRoute(w, req, r)
		})
	}
	h.mux.HandleFunc("GET /api/v1/actor/{id}", h.serveActor)
	h.mux.HandleFunc("GET /api/v1/process/{id}", h.serveProcess)
	h.mux.HandleFunc("POST /api/v1/actor/{id}/stop", h.serveStop)
	h.mux.HandleFunc("GET /api/v1/stream", h.serveStream)
	h.mux.HandleFunc("GET /flight", h.serveFlight)
}

// firstSample is how long a request waits for the first sample.
const firstSample = 5 * time.Second

func (h *handler) serveRoute(w http.ResponseWriter, r *http.Request, to route) {
	if !h.clients.take(clientOf(r)) {
		tooMany(w)
		return
	}
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains(to.params, name) {
			http.Error(w, "gallop: observe: an unknown parameter", http.StatusBadRequest)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), firstSample)
	defer cancel()
	v, _, err := h.look.current(ctx)
	if err != nil {
		http.Error(w, "gallop: observe: no sample yet", http.StatusServiceUnavailable)
		return
	}
	if to.name == "overview" && !wantsText(r) { // each window of the page asks for it once a second
		writeData(w, v.overview())
		return
	}
	answer, err := to.answer(present{v, h.redact}, q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	write(w, r, v, answer)
}

// write writes an answer as JSON or text, as the client prefers.
func write(w http.ResponseWriter, r *http.Request, v *view, answer any) {
	if wantsText(r) {
		head := fmt.Sprintf("looked at for %.0f s, since %s\n", v.seconds(),
			v.since.Format(time.TimeOnly))
		if v.before == nil {
			head += "begun just now: rates and shares come with the next request, in a second\n"
		}
		writeText(w, appendText([]byte(head+"\n"), answer))
		return
	}
	writeJSON(w, answer)
}

func writeText(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(text) // the connection is the client's concern
}

func writeJSON(w http.ResponseWriter, answer any) {
	data, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, "gallop: observe: "+err.Error(), http.StatusInternalServerError)
		return
	}
	writeData(w, append(data, '\n'))
}

func writeData(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the connection is the client's concern
}

func tooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "gallop: observe: too many requests", http.StatusTooManyRequests)
}

var errParameter = errors.New("gallop: observe: a parameter that is no number, or out of range")

// number reads a parameter from 1 to most.
func number(q url.Values, name string, most, otherwise int) (int, error) {
	if !q.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < 1 || n > most {
		return 0, errParameter
	}
	return n, nil
}

func (p present) history(q url.Values) (any, error) {
	n, err := number(q, "seconds", historyKept, historyKept)
	return p.v.past.api(p.v.since, n), err
}

// metrics returns the figures under the names that package prom gives them.
func (p present) metrics() map[string]float64 {
	s := p.v.stats
	return map[string]float64{
		"gallop_messages_total":            float64(s.Messages),
		"gallop_spawned_total":             float64(s.Spawned),
		"gallop_stopped_total":             float64(s.Stopped),
		"gallop_panics_total":              float64(s.Panics),
		"gallop_dead_letters_total":        float64(s.DeadLetters),
		"gallop_mutes_total":               float64(s.Mutes),
		"gallop_unmutes_total":             float64(s.Unmutes),
		"gallop_pressure_deadlocks_total":  float64(s.PressureDeadlocks),
		"gallop_too_many_blocked_total":    float64(s.TooManyBlocked),
		"gallop_turns_total":               float64(s.Turns),
		"gallop_steals_total":              float64(s.Steals),
		"gallop_parks_total":               float64(s.Parks),
		"gallop_injected_total":            float64(s.Injected),
		"gallop_workers":                   float64(p.v.slots),
		"gallop_actors_estimate":           float64(p.v.census.Total.Living),
		"gallop_workers_utilisation_ratio": p.v.utilisation(),
		"gallop_muted_actors":              float64(p.v.muted()),
	}
}

// byNumber sorts by a figure, the largest first.
func byNumber[T any, N cmp.Ordered](of func(T) N) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(of(b), of(a)) }
}
