package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// A page serves package observe's page for the system of the running turn. Each turn has a system
// of its own; between two turns there is none to show. A nil page serves nothing.
type page struct {
	srv  *http.Server
	gone chan struct{} // closed when the server has ended

	mu    sync.Mutex
	shown http.Handler    // nil between turns
	turn  context.Context // ends with the turn, and with it the streams of its system
}

// servePage serves at an address until close, and tells stderr where that is.
func servePage(addr string, stderr io.Writer) (*page, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("-observe: %w", err)
	}
	p := &page{gone: make(chan struct{})}
	p.srv = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(stderr, "pingpong: the systems are shown at http://%s/\n", ln.Addr())
	go func() {
		defer close(p.gone)
		if err := p.srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(stderr, "pingpong: -observe:", err)
		}
	}()
	return p, nil
}

// show shows a system until end is called.
func (p *page) show(sys *actor.System) (end func()) {
	if p == nil {
		return func() {}
	}
	turn, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown, p.turn = observe.Handler(sys), turn
	return func() {
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.shown = nil
	}
}

// ServeHTTP hands a request to the page of the system that runs. Browsers try again by themselves.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	shown, turn := p.shown, p.turn
	p.mu.Unlock()
	if shown == nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "pingpong: no turn runs at the moment", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(turn, cancel)()
	shown.ServeHTTP(w, r.WithContext(ctx))
}

// close ends the server and its connections.
func (p *page) close() {
	if p == nil {
		return
	}
	_ = p.srv.Close() // nothing is left to be done about an error
	<-p.gone
}
