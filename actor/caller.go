package actor

import "context"

// caller is what a reply address says of the one that waits for the reply, whatever the reply. The
// receiver of the request only, before it replies: then the call is used again.
type caller struct {
	call *callState // nil: an actor waits for a message
	by   *cell      // that actor
	node *message   // the message for it, if it was made already: see prepare
}

// callerOf takes the address apart. It is a function, as settleIn is.
func callerOf[R any](to *replyTo[R]) caller {
	if k := to.call; k != nil {
		return caller{&k.callState, k.by, k.node}
	}
	return caller{nil, to.asker, to.node}
}

// context returns the context of the caller; nil: it has none. sys is the system of the receiver.
func (a caller) context(sys *System) context.Context {
	if a.call != nil && a.node == nil {
		return askedUnder(sys, a.call.ctx)
	}
	return a.carries()
}

// carries returns the context that a caller in a behaviour has sent along; nil: none.
func (a caller) carries() context.Context {
	if a.node != nil && a.node.id == carriedID {
		return payloadOf[carried](a.node).ctx
	}
	return nil
}

// callerState is how a caller stands.
type callerState uint8

const (
	callerThere callerState = iota
	callerWaits             // it waits for a restart as well
	callerGone              // it has given up
)

// state says how the caller stands.
func (a caller) state() callerState {
	switch k := a.call; {
	case k != nil && (k.state.Load() == callAbandoned || k.left != nil && k.left.Load()):
		return callerGone
	case k != nil && a.node == nil && waitsForRestart(k.ctx), waitsForRestart(a.carries()):
		return callerWaits
	}
	return callerThere
}

// awaits returns the actor that waits for a message, or the call of the goroutine that waits; nil
// and nil if the caller waits no more. In deterministic systems only, while nothing runs.
func (a caller) awaits() (by *cell, k *callState) {
	by = a.by
	switch k := a.call; {
	case k == nil, k.tells:
	case k.by != nil:
		if *k.sysDone {
			by = nil
		}
	case k.left != nil && !k.left.Load(), k.left == nil && k.state.Load() <= callWaiting:
		return nil, k
	}
	if by != nil && by.status() == Ended {
		by = nil
	}
	return by, nil
}
