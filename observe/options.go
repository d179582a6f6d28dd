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
	flight  *flight.Recorder // nil: none
}

// WithHosts allows requests for these hosts, as they stand in the address of the page, without a
// port: names behind which a reverse proxy serves it. localhost and all IP addresses are allowed
// without it. WithHosts panics if a host is empty.
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

// WithActions lets the page stop an actor, as [actor.Stop] does, by a POST of the page itself or
// of a program that is no browser. Without it the page only reads.
func WithActions() Option { return func(s *settings) { s.actions = true } }

// WithFlightRecorder serves what a recorder has, at flight below the address of the page, as JSON
// or as text. Without it such requests are refused. It panics if r is nil.
func WithFlightRecorder(r *flight.Recorder) Option {
	if r == nil {
		panic("gallop: observe.WithFlightRecorder: a nil Recorder")
	}
	return func(s *settings) { s.flight = r }
}

// WithRedact has f look at each text that may have data of the program's users in it, before it is
// shown: what is "name", "path", "panic", "stack" or "state" (as JSON). What f returns is shown
// in its place. f is called by several goroutines at a time. If it panics, nothing of the text is
// shown. WithRedact panics if f is nil.
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
