package kernel

import (
	"context"
	"reflect"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/seam"
)

// MadeAsk returns d, the descriptor of an AskBehaviour. It panics if d is nil. Any goroutine.
func (d *Descriptor) MadeAsk() *Descriptor {
	if d == nil {
		panic("gallop: a zero AskBehaviour: use DeclareAsk")
	}
	return d
}

// MustAsk panics if d is nil, if d does not suit the actor, or if ctx is nil. It returns ctx in a
// form whose methods cannot panic in the runtime: see MustHave. Any goroutine.
func (d *Descriptor) MustAsk(ctx context.Context, to *Cell) context.Context {
	d.MadeAsk().MustSuit(to)
	return MustHave(ctx, "Ask")
}

// CallState is the part of a call that does not depend on the type of the reply. Its methods are
// compiled once.
type CallState struct {
	State seam.Flag
	wait  askWait
	Later seam.Bool // the reply was put off: any actor may give it
	// Owned by the caller. The receiver reads it while it has the request.
	Ctx  context.Context
	Node *Message // of a timedAsk: the message for the outcome, if it was made already
	By   *Cell    // of a timedAsk: the actor that asks
	Over *bool    // of a timedAsk: By has had its outcome. Owner of By only
	// Of one of several calls: the caller has left. nil: the call is the only one.
	Left  *seam.Bool
	Tells bool // a Handler gets the result: the runtime does not know who waits
	Waits bool // Ctx has the mark of WaitForRestart; false if the receiver is not supervised
	// Not nil: the reply was put off. The deferral has the address of the caller; this call leads
	// nowhere.
	PutOff *Deferral
	// Has room for one token, which is sent if the state was WAITING. nil until MakeDone.
	Done  chan struct{}
	owner <-chan struct{} // Closing of the system for which Done was made
}

// MakeDone makes k.Done, unless it was made for sys already. The caller owns the call, which is
// PENDING. Calls are reused by any caller. Their channels are reused only within a system: a
// channel that was made in a bubble of testing/synctest must not be used outside, and a wait for a
// channel that was made outside does not let the bubble's time pass.
func MakeDone(k *CallState, sys *System) {
	if k.owner != sys.Closing {
		k.Done, k.owner = make(chan struct{}, 1), sys.Closing
	}
}

// DiscardReply discards the regions and parcels of a reply that reaches no caller. The caller of
// DiscardReply owns the reply.
func DiscardReply[R any](v *R) {
	if o := heap.OwnedIn(reflect.TypeFor[R]()); o.Any() {
		heap.DiscardIn(v, o)
	}
}

// The states of a call.
const (
	CallPending = iota
	CallWaiting
	CallAnswered
	CallAbandoned // the reply goes nowhere
	CallRefused   // the reply goes nowhere, and the request does not run: ErrDeadlock
	CallUnhelped  // as CallRefused, with ErrTooManyBlocked
)

// SpinLimit is how often a caller yields before it parks. With each yield it goes through the queue
// that all of Go's threads share. An idle thread may take it from there to another processor, so
// more yields cost more than parking (decision 10).
const SpinLimit = 2

// LetsOthers reports whether a caller yields before it parks. It does not if the scheduler is
// crowded, nor in a deterministic run. Any goroutine.
func (s *System) LetsOthers() bool { return s.Sim == nil && !s.Sched.Crowded() }

// Park waits for the token. If ctx ends or over is closed first, it abandons the call and returns
// ctx's error or ErrSystemStopped.
func (k *CallState) Park(ctx context.Context, over <-chan struct{}) (err error) {
	ended := ctx.Done()
	if ended == nil && over == nil {
		<-k.Done // a select costs more
		return nil
	}
	select {
	case <-k.Done:
		return nil
	case <-ended:
		err = ctx.Err()
	case <-over:
		err = ErrSystemStopped
	}
	if !k.State.CompareAndSwap(CallWaiting, CallAbandoned) {
		<-k.Done
		return nil
	}
	return err
}

// drive lets a deterministic system go on until the reply has come, and returns nil. It returns
// ctx's error if ctx ends first, and ErrSystemStopped if the system stops first. If nothing can
// happen any more before the reply, it returns nil too, and the caller parks.
func (k *CallState) drive(ctx context.Context, me, to *Cell, d *Descriptor) error {
	s := to.Shared().Sys.Sim
	defer s.leave(s.enter(openCall{call: k, by: me, to: to, d: d}))
	switch {
	case to.Shared().Sys.Sched.Await(ctx, func() bool { return k.State.Load() == CallAnswered }):
		return nil
	case ctx.Err() != nil || !to.Shared().Sys.Sched.Stopping():
		return ctx.Err()
	}
	return ErrSystemStopped
}
