package observe

import (
	"net/http"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Handler returns the page of a system, its API and its text. It is mounted with the prefix
// stripped, as the package comment shows. It panics if sys is not what [actor.Start] has returned.
//
// Handler begins with the sample of [Population], so call it before the actors are spawned. While no
// client looks it costs nothing else; while one does, it takes some hundred samples a second of the workers and
// one of everything else. It never keeps the system from being quiescent, and answers after the
// system's end as well.
func Handler(sys *actor.System, opts ...Option) http.Handler {
	inspect.Begin(sys)
	return newHandler(running{sys}, opts...)
}

// handler answers all requests.
type handler struct {
	settings
	src  source
	look *look
	mux  *http.ServeMux
	dear *bucket
}

func newHandler(src source, opts ...Option) *handler {
	s := settingsOf(opts)
	h := &handler{
		settings: s, src: src, look: newLook(src, allRules, s),
		mux: http.NewServeMux(), dear: newBucket(dearPerSecond),
	}
	h.servePage()
	h.serveAPI()
	return h
}

// ServeHTTP answers a request, unless it is refused.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	if status, why := h.refuses(r); status != 0 {
		http.Error(w, "gallop: observe: "+why, status)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/") { // a prefix was stripped together with its slash
		u := *r.URL
		u.Path = "/" + u.Path
		r = r.Clone(r.Context())
		r.URL = &u
	}
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			http.Error(w, "gallop: observe: the page panicked: "+guard.Text(v),
				http.StatusInternalServerError)
		}
	}()
	h.mux.ServeHTTP(w, r)
}
