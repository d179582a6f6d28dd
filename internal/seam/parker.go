//go:build !gallop_explore

package seam

// Parker suspends one goroutine until it is granted a token. It holds at most
// one token; granting a second before the first is taken is a bug of the caller
// and panics, because the idle word gives out exactly one token per announced
// sleeper. The zero value is not ready: use NewParker.
type Parker struct{ token chan struct{} }

// NewParker returns a parker without a token.
func NewParker() Parker { return Parker{token: make(chan struct{}, 1)} }

// Park blocks until a token is granted and takes it. Owner only. What the
// granter wrote before Unpark synchronizes before Park returns.
func (p *Parker) Park() { <-p.token }

// Granted tells whether Park would return at once. Owner only; advisory.
func (p *Parker) Granted() bool { return len(p.token) > 0 }

// Unpark grants the token. Any goroutine, once per token owed.
func (p *Parker) Unpark() {
	select {
	case p.token <- struct{}{}:
	default:
		panic("gallop: invariant: second wake token for one sleeper")
	}
}
