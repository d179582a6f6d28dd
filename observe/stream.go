package observe

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// streamWrite is how long a client may take to read an event before its stream ends.
const streamWrite = 10 * time.Second

// serveStream sends the overview each second, as server-sent events. A slow client misses events
// and costs nothing.
func (h *handler) serveStream(w http.ResponseWriter, r *http.Request) {
	if !h.look.join() {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "gallop: observe: too many streams", http.StatusServiceUnavailable)
		return
	}
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
		if _, err := w.Write(v.text()); err != nil {
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

// eventOf returns a function that makes the event of a view once for all streams.
func eventOf(v *view, s settings) func() []byte {
	return sync.OnceValue(func() []byte {
		data, err := json.Marshal(present{v, s.redact}.overview(s))
		if err != nil {
			panic(err) // a struct of figures and texts always marshals
		}
		return append(append([]byte("event: overview\ndata: "), data...), "\n\n"...)
	})
}
