//go:build gallop_explore

package seam

// Parker suspends one thread until it is granted a token; see the plain build's.
// A virtual thread waits in HookAwait and then finds the token; a goroutine
// outside of an exploration waits for the channel.
type Parker struct{ token chan struct{} }

// NewParker returns a parker without a token.
func NewParker() Parker { return Parker{token: make(chan struct{}, 1)} }

// Park blocks until a token is granted and takes it. Owner only.
func (p *Parker) Park() {
	HookAwait(p.granted)
	<-p.token
}

// Granted is for those who pass the time until a token comes. There is no time here,
// so it says that there is nothing to wait for; Park waits all the same.
func (p *Parker) Granted() bool { return true }

func (p *Parker) granted() bool { return len(p.token) > 0 }

// Unpark grants the token. Any thread, once per token owed.
func (p *Parker) Unpark() {
	Hook()
	select {
	case p.token <- struct{}{}:
	default:
		panic("gallop: invariant: second wake token for one sleeper")
	}
}
