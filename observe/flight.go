package observe

import (
	"net/http"

	"github.com/gallop-go/gallop/flight"
)

// serveFlight answers with the recording of the flight recorder. The parameter as selects text or
// JSON; without it the client's Accept header does.
func (h *handler) serveFlight(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	as := q.Get("as")
	switch {
	case len(q) > 1 || len(q) == 1 && as != "text" && as != "json":
		http.Error(w, "gallop: observe: an unknown parameter: want ?as=text or ?as=json",
			http.StatusBadRequest)
		return
	case h.flight == nil:
		http.Error(w, "gallop: observe: no flight recorder is on; the program can change that by "+
			"flight.Start and observe.WithFlightRecorder", http.StatusNotFound)
		return
	case !h.dear.take():
		w.Header().Set("Retry-After", "1")
		http.Error(w, "gallop: observe: too many requests", http.StatusTooManyRequests)
		return
	}
	name, mime, write := "gallop-flight.json", "application/json", (*flight.Recording).WriteJSON
	if as == "text" || as == "" && wantsText(r) {
		name, mime = "gallop-flight.txt", "text/plain; charset=utf-8"
		write = (*flight.Recording).WriteText
	}
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Content-Disposition", "attachment; filename="+name)
	s := h.flight.Snapshot()
	s.Reason = "a request"
	_ = write(s, w) // the connection is the client's concern
}
