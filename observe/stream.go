package observe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// streamWrite is how long a client may take to read an event before its stream ends.
const streamWrite = 10 * time.Second

// serveStream sends the overview each second, as server-sent events. A slow client misses events
// and costs nothing.
func (h *handler) serveStream(w http.ResponseWriter, r *http.Request) {
	if !h.clients.join(clientOf(r)) {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "gallop: observe: too many streams", http.StatusServiceUnavailable)
		return
	}
	defer h.clients.leave(clientOf(r))
	h.look.join()
	defer h.look.leave()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not buffer events
	for {
		v, next, err := h.look.current(r.Context())
		if err != nil {
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(streamWrite)) // some writers have no deadline
		if _, err := fmt.Fprintf(w, "event: overview\ndata: %s\n\n", v.overview()); err != nil {
			return
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}

// overviewOf returns a function that makes the overview of a view, as JSON, once for all clients.
func overviewOf(v *view, s settings) func() []byte {
	return sync.OnceValue(func() []byte {
		data, err := json.Marshal(present{v, s.redact}.overview(s))
		if err != nil {
			panic(err) // a struct of figures and texts always marshals
		}
		return data
	})
}
