package observe

import (
	"net/http"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
)

// Handler returns the page of a system, its API and its text. Mount it with the prefix stripped, as
// the package comment shows. Handler panics if an option is nil, or if sys was not returned by
// [actor.Start].
//
// Handler begins the sample of [Population], so call it before the actors are spawned. The sample
// is the only cost while no client looks. While a client looks, the workers are sampled some
// hundred times a second and everything else once. The handler never keeps the system from being
// quiescent. It answers after the end of the system too.
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
	// clients has the limits of each client.
	clients *clients
	states  *states
}

func newHandler(src source, opts ...Option) *handler {
	s := settingsOf(opts)
	h := &handler{
		settings: s, src: src, look: newLook(src, allRules, s),
		mux: http.NewServeMux(), dear: newBucket(dearPerSecond), clients: newClients(),
	}
	h.states = &states{h: h, by: map[uint64]*asked{}}
	h.servePage()
	h.serveAPI()
	return h
}

// ServeHTTP answers a request or refuses it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	if status, why := h.refuses(r); status != 0 {
		http.Error(w, "gallop: observe: "+why, status)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/") { // StripPrefix has removed the slash together with the prefix
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
