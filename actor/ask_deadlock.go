package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/waitgraph"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// An Ask in a turn follows the waits of its system and fails if they lead back to its own turn.
// Package waitgraph has the proof that the answer is exact.

// waitGraph returns the graph of the asks in turns. The first call makes it. The linker drops the
// graph from programs without Ask. Any goroutine.
func (s *kernelSystem) waitGraph() *waitgraph.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.asks.(*waitgraph.Graph)
	if !ok {
		g = new(waitgraph.Graph)
		s.asks = g
	}
	return g
}

// oneAtATime returns the node of a in the graph, which runs one turn at a time: the actor itself,
// or all actors of its pinned type together. Any goroutine.
func oneAtATime(a *cell) any {
	if a.typ().pinned {
		return a.shared()
	}
	return a
}

// IsOpen implements waitgraph.Call. The graph's lock is held, so the caller of k has not left the
// graph.
func (k *callState) IsOpen() bool {
	return k.state.Load() <= callWaiting && !k.later.Load()
}

// mayWait reports whether me may wait for k, its request to to, without waiting for itself. If in
// is not nil, me is in that graph, and has to leave it: see leaveGraph. me may be nil. Owner only,
// in a turn.
func mayWait(me *cell, k *callState, to *cell) (in *waitgraph.Graph, may bool) {
	switch {
	case sameThread(me, to):
		return nil, false
	case me == nil || me.sys() != to.sys():
		return nil, true
	}
	g := me.sys().waitGraph()
	if !g.Enter(oneAtATime(me), oneAtATime(to), k) {
		return nil, false
	}
	return g, true
}

// leaveGraph removes me from the graph that mayWait has returned. Owner only, in a turn.
func leaveGraph(me *cell, g *waitgraph.Graph) {
	if g != nil {
		g.Leave(oneAtATime(me))
	}
}

// A behaviour that waits for a reply may itself keep the reply from coming. It may wait for itself,
// or for actors that are muted for it. If its system stops, the stop waits for its turn.

// callerHere returns the env of the calling goroutine, in any system, and the actor whose behaviour
// it runs; outside of behaviours the actor is nil. For the costs see sched.Here.
func callerHere() (e env, me *cell) {
	w := sched.Here()
	if w == nil {
		return outsideOfAll, nil
	}
	c, ok := w.Local().(*kernelTurn)
	if !ok {
		return outsideOfAll, nil // a scheduler without actors
	}
	me = cellOrNil(w.Task())
	if me == nil {
		return outsideOfAll, nil
	}
	return c, me
}

// outsideOfAll is the outside of no system in particular.
var outsideOfAll = new(kernelSystem)

// awaitReply waits until the call is answered, or gives it up and returns the reason. Like makeDone
// it is a function, since a method would be compiled for each call[R].
func awaitReply(ctx context.Context, k *callState, to *cell, d *descriptor) (err error) {
	e, me := callerHere()
	waited := waitIn(e, func() { err = waitFor(ctx, k, me, to, d) })
	if !waited && k.state.CompareAndSwap(callPending, callUnhelped) {
		return ErrTooManyBlocked
	}
	return err
}

// waitFor is awaitReply once other workers serve the actors that are queued after me. me is nil if
// the caller is outside. Like makeDone it is a function.
func waitFor(ctx context.Context, k *callState, me, to *cell, d *descriptor) error {
	asks, may := mayWait(me, k, to)
	if !may && k.state.CompareAndSwap(callPending, callRefused) {
		return ErrDeadlock
	}
	defer leaveGraph(me, asks)
	defer hasWaited(me, prepareWait(me))
	if me != nil {
		k.wait.begin(me, to)
		defer k.wait.end()
	}
	if to.shared().sys.sim != nil {
		if err := k.drive(ctx, me, to, d); err != nil &&
			k.state.CompareAndSwap(callPending, callAbandoned) {
			return err
		}
	}
	makeDone(k, to.shared().sys)
	if !k.state.CompareAndSwap(callPending, callWaiting) {
		return nil
	}
	return k.park(ctx, systemDone(me))
}

// sameThread reports whether to cannot run before the turn of me has ended: to is me, or has the
// same thread. me may be nil.
func sameThread(me *cell, to *cell) bool {
	return me != nil && (me == to || me.shared() == to.shared() && me.typ().pinned)
}

// prepareWait is called before me waits for a reply in its turn. It releases the actors that are
// muted for me, as if me had recovered, and keeps others from being muted for me: the actor that
// has to reply may be among them, may wait for one of them, or may send to me before it comes to
// the request. If me is muted itself, and runs urgent mail, prepareWait opens its gate and returns
// true; then hasWaited shuts the gate again. me may be nil.
func prepareWait(me *cell) (opened bool) {
	if me == nil {
		return false
	}
	if invariant.On {
		verifyCaller(me)
	}
	switch {
	case me.shared().bounded:
	case me.load&backpressure.Overloaded != 0:
		me.setLoad(me.sys(), me.load&^backpressure.Overloaded)
	// The gate of an actor that drains may be open.
	case me.load&(backpressure.Muted|backpressure.Pressed) == backpressure.Muted && !me.gate.IsOpen():
		release(me.sys(), me.openGate())
		return true
	}
	return false
}

// hasWaited is called after the wait, also if the wait, or the code that gets the replies, panics.
// A turn that begins finds the gate in agreement with the load. The gates for which me is muted are
// settled by now, as when it parked: see backpressure/README.md.
func hasWaited(me *cell, opened bool) {
	if opened {
		me.shutGate()
	}
}

// systemDone returns a channel that is closed when the system of the caller stops. From then on,
// requests that are queued there are answered only after the turn of the caller has ended. The
// caller is me or, if me is nil, a process or a goroutine outside. The channel is nil for a
// goroutine outside, and for a process whose system has no actors: the stop does not wait for
// these.
func systemDone(me *cell) <-chan struct{} {
	if me != nil {
		return me.sys().done.done
	}
	if _, w := processHere(); w != nil {
		if c, ok := w.Local().(*kernelTurn); ok {
			return c.sys.done.done
		}
	}
	return nil
}

// caller describes the party that waits for a reply, for all types of replies. Only the receiver of
// the request may use it, and only before it replies: after that the call is used again.
type caller struct {
	call *callState // nil: an actor waits for a message
	by   *cell      // the actor that waits for a message
	node *message   // the message for it, if it was made already: see prepare
}

// callerOf returns the caller in an address. Like makeDone it is a function.
func callerOf[R any](to *replyTo[R]) caller {
	if k := to.call; k != nil {
		return caller{&k.callState, k.by, k.node}
	}
	return caller{nil, to.caller, to.node}
}

// context returns the context of the caller; nil: it has none.
func (a caller) context() context.Context {
	if a.call != nil && a.node == nil {
		if isEmpty(a.call.ctx) {
			return nil
		}
		return a.call.ctx
	}
	return a.carries()
}

// carriesWait reports whether the message for the outcome has the mark of WaitForRestart.
func (a caller) carriesWait() bool {
	return a.node != nil && a.node.ID == carriedID && payloadOf[carried](a.node).waits
}

// carries returns the context in the message for the outcome, which a caller in a behaviour has
// set; nil: there is none.
func (a caller) carries() context.Context {
	if a.node != nil && a.node.ID == carriedID {
		return payloadOf[carried](a.node).ctx
	}
	return nil
}

// callerState says whether a caller still waits.
type callerState uint8

const (
	callerThere callerState = iota
	callerWaits             // it waits for a restart of the receiver as well
	callerGone              // it has given up
)

// state returns the state of the caller. It calls no method of a context: state is called in the
// middle of a walk through mail, where no user code may run.
func (a caller) state() callerState {
	switch k := a.call; {
	case k != nil && (k.state.Load() == callAbandoned || k.left != nil && k.left.Load()):
		return callerGone
	case k != nil && a.node == nil && k.waits, a.carriesWait():
		return callerWaits
	}
	return callerThere
}

// awaits returns the actor that waits for a message, or the call of the goroutine that waits. It
// returns nil and nil if the caller no longer waits. In deterministic systems only, while nothing
// runs.
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
	if by != nil && by.status() == StatusEnded {
		by = nil
	}
	return by, nil
}

// verifyCaller checks an actor that is to wait for a reply in its turn.
func verifyCaller(me *cell) {
	invariant.Check(!me.blockedOn.Parked(), "%v asks in its turn, and is parked", me)
	invariant.Check(me.progress&begun != 0, "%v asks, and has had no turn", me)
}
