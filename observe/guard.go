package observe

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	maxQuery      = 512 // bytes
	dearPerSecond = 10  // of all clients
)

const policyOfContent = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"form-action 'none'"

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policyOfContent)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuses returns the status and the reason with which a request is refused. Status 0 means: not
// refused.
func (h *handler) refuses(r *http.Request) (status int, why string) {
	switch {
	case !h.allows(r.Host):
		return http.StatusForbidden, "this host is not allowed; the program can allow it by " +
			"observe.WithHosts"
	case !ofSameSite(r):
		return http.StatusForbidden, "a request made for another site"
	case len(r.URL.RawQuery) > maxQuery:
		return http.StatusRequestURITooLong, "the query is too long"
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return 0, ""
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "only GET, HEAD and POST"
	case !h.actions:
		return http.StatusForbidden, "the page only reads; the program can change that by " +
			"observe.WithActions"
	}
	return 0, ""
}

// ofSameSite reports whether a request comes from the page itself, from an address or link that the
// user opened, or from a program that is no browser.
func ofSameSite(r *http.Request) bool {
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		return err == nil && u.Host != "" && u.Host == r.Host
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// A bucket lets perSecond calls pass each second, with a burst of as many.
type bucket struct {
	perSecond float64

	mu     sync.Mutex
	tokens float64
	at     time.Time
}

func newBucket(perSecond float64) *bucket {
	return &bucket{perSecond: perSecond, tokens: perSecond, at: time.Now()}
}

// fill adds the tokens since the last call. Caller holds mu.
func (b *bucket) fill() {
	now := time.Now()
	b.tokens = min(b.perSecond, b.tokens+b.perSecond*now.Sub(b.at).Seconds())
	b.at = now
}

// isFull reports whether no call was made of late.
func (b *bucket) isFull() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	return b.tokens == b.perSecond
}

// take reports whether one more call may pass.
func (b *bucket) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
