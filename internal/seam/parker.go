package seam

import "github.com/gallop-go/gallop/internal/nocmp"

// Parker suspends one goroutine until it is granted a token. It holds at most
// one token; granting a second before the first is taken is a bug of the caller
// and panics, because the idle word gives out exactly one token per announced
// sleeper. The zero value is not ready: use NewParker.
//
// The token is a word. The channel is used only if the owner waits: most tokens are granted before
// Park is called, and a channel costs four times as much.
//
//	            Unpark                      Unpark, and a wake-up through the channel
//	EMPTY ─────────────────▶ GRANTED ◀────────────────── PARKED
//	 │ ▲      Park              │                          ▲
//	 │ └────────────────────────┘                          │
//	 └─────────────────────────────────────────────────────┘ Park
type Parker struct {
	_     nocmp.Field
	state Flag
	wake  chan struct{}
}

const (
	parkerEmpty = iota
	parkerGranted
	parkerParked
)

// NewParker returns a parker without a token.
func NewParker() Parker { return Parker{wake: make(chan struct{}, 1)} }

// Park blocks until a token is granted and takes it. Owner only. The granter's writes before Unpark
// synchronize before Park returns.
func (p *Parker) Park() {
	if p.state.Load() == parkerEmpty && p.state.CompareAndSwap(parkerEmpty, parkerParked) {
		Await(p.woken)
		<-p.wake
	}
	// The token was granted, so no other goroutine touches the state before the owner announces its
	// next sleep. The announcement publishes this store, which needs no fence. It is made in
	// idleWord.announce or retire, in idleWorkers.park, in Pin.sleep, or in retakeSlot, which takes
	// the owner's slot back.
	p.state.StoreRelease(parkerEmpty)
}

func (p *Parker) woken() bool { return len(p.wake) > 0 }

// Granted reports whether Park would return at once. Owner only; advisory. It is for an owner that
// spins before it parks. In an exploration it is always true, since spinning adds only steps there.
func (p *Parker) Granted() bool { return Explored || p.state.Load() == parkerGranted }

// Unpark grants the token. Any goroutine, once per token owed.
func (p *Parker) Unpark() {
	switch p.state.Swap(parkerGranted) {
	case parkerParked:
		p.wake <- struct{}{} // has room: Park takes it before it parks again
	case parkerGranted:
		panic("gallop: invariant: second wake token for one sleeper")
	}
}
