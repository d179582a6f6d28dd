package observe

import (
	"net"
	"strings"

	"github.com/gallop-go/gallop/flight"
)

// Option sets a property of a [Handler].
type Option func(*settings)

type settings struct {
	hosts   map[string]bool
	actions bool
	redact  func(what, text string) string
	flight  *flight.Recorder // nil: no recorder
}

// WithHosts allows requests for these hosts: names, without a port, under which a reverse proxy
// serves the page. localhost and all IP addresses are always allowed. WithHosts panics if a host is
// empty.
func WithHosts(hosts ...string) Option {
	return func(s *settings) {
		for _, h := range hosts {
			if h == "" {
				panic("gallop: observe.WithHosts: an empty host")
			}
			s.hosts[strings.ToLower(h)] = true
		}
	}
}

// WithActions lets the page stop an actor, as [actor.Stop] does. The POST must come from the page
// itself or from a program that is no browser. Without WithActions the page only reads.
func WithActions() Option { return func(s *settings) { s.actions = true } }

// WithFlightRecorder serves the recording of r, as JSON or as text, at flight below the address of
// the page. Without it such requests are refused. It panics if r is nil.
func WithFlightRecorder(r *flight.Recorder) Option {
	if r == nil {
		panic("gallop: observe.WithFlightRecorder: a nil Recorder")
	}
	return func(s *settings) { s.flight = r }
}

// WithRedact passes each text that may contain data of the program's users to f and shows the
// result of f instead. what is the kind of text: "name", "path", "panic", "stack" or "state" (as
// JSON). f is called by several goroutines at a time. If f panics, the text is left out. WithRedact
// panics if f is nil.
func WithRedact(f func(what, text string) string) Option {
	if f == nil {
		panic("gallop: observe.WithRedact: a nil function")
	}
	return func(s *settings) {
		s.redact = func(what, text string) (shown string) {
			defer func() {
				if recover() != nil {
					shown = "(WithRedact panicked)"
				}
			}()
			return f(what, text)
		}
	}
}

func settingsOf(opts []Option) settings {
	s := settings{
		hosts:  map[string]bool{},
		redact: func(_, text string) string { return text },
	}
	for _, o := range opts {
		if o == nil {
			panic("gallop: observe.Handler: a nil option")
		}
		o(&s)
	}
	return s
}

// allows reports whether a request may be for a host, given as in the Host header.
func (s *settings) allows(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || s.hosts[host] ||
		net.ParseIP(host) != nil
}
