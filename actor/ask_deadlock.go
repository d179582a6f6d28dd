package actor

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/actor/internal/waitgraph"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// How Ask in a turn learns that it would wait for itself. Package waitgraph says why that is exact.

// waitGraph returns the graph of the asks in turns. A program without Ask links none. Any
// goroutine.
func (s *System) waitGraph() *waitgraph.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.asks.(*waitgraph.Graph)
	if !ok {
		g = new(waitgraph.Graph)
		s.asks = g
	}
	return g
}

// oneAtATime is what runs one turn at a time: an actor, or those of a pinned type together. Any
// goroutine.
func oneAtATime(a *cell) any {
	if a.typ().pinned {
		return a.shared()
	}
	return a
}

// IsOpen implements waitgraph.Call. The graph's lock is held: its caller cannot have left.
func (k *callState) IsOpen() bool {
	return k.state.Load() <= callWaiting && !k.later.Load()
}

// mayWait reports whether me may wait for k, its request to to, without waiting for itself. If so,
// me is in the graph until it leaves; if in is nil, it need not. me may be nil. Owner only, in a
// turn.
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

// logAskCircle logs the actors that wait for each other: me, which would close the circle by asking
// to, then to, and the others in the order in which they ask. Owner only, in a turn.
func (s *System) logAskCircle(me, to *cell) {
	const line = "gallop: actors ask each other in a circle"
	n, write := s.mayLog(line, me.typ().name, to.typ().name)
	if !write {
		return
	}
	var asks strings.Builder
	for _, a := range append([]any{me}, s.waitGraph().Chain(oneAtATime(to), oneAtATime(me))...) {
		asks.WriteString(nameOfTurns(a) + " → ")
	}
	asks.WriteString(me.actorName().describe())
	s.log(func(l logSink) {
		l.warn(line, me.ownName().attrs("asks", to.actorName().describe(), "circle", asks.String(),
			"so_far", n)...)
	})
}

// nameOfTurns names an actor, or all actors of a pinned type: see oneAtATime.
func nameOfTurns(a any) string {
	if a, ok := a.(*cell); ok {
		return a.actorName().describe()
	}
	return "the thread of " + a.(*typeInSystem).typ.name
}

// leaveGraph takes me out of the graph that mayWait has returned. Owner only, in a turn.
func leaveGraph(me *cell, g *waitgraph.Graph) {
	if g != nil {
		g.Leave(oneAtATime(me))
	}
}

// A behaviour that asks and waits may itself stand in the way of what it waits for. It may wait for
// itself, for those that are muted for it, and for the one that stops its system.

// callerHere returns where the calling goroutine is, in any system, and the actor whose behaviour
// it runs: nil outside of behaviours. For the costs see sched.Here.
func callerHere() (e env, me *cell) {
	w := sched.Here()
	if w == nil {
		return outsideOfAll, nil
	}
	c, ok := w.Local().(*Context)
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
var outsideOfAll = new(System)

// awaitReply waits until the call is answered, or gives it up and says why. It is a function, as
// makeDone is: each call[R] would have a method of its own.
func awaitReply(ctx context.Context, k *callState, to *cell, d *descriptor) (err error) {
	e, me := callerHere()
	waited := waitIn(e, func() { err = waitFor(ctx, k, me, to, d) })
	if !waited && k.state.CompareAndSwap(callPending, callUnhelped) {
		return ErrTooManyBlocked
	}
	return err
}

// waitFor is awaitReply of me, which keeps no other actor waiting meanwhile; nil: the caller is
// outside. It is a function, as makeDone is.
func waitFor(ctx context.Context, k *callState, me, to *cell, d *descriptor) error {
	asks, may := mayWait(me, k, to)
	if !may && k.state.CompareAndSwap(callPending, callRefused) {
		me.sys().logAskCircle(me, to)
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

// sameThread reports whether to cannot run before the turn of me has ended: it is me, or has the
// same thread. me may be nil.
func sameThread(me *cell, to *cell) bool {
	return me != nil && (me == to || me.shared() == to.shared() && me.typ().pinned)
}

// prepareWait comes before me waits for a reply in its turn. It lets the actors that are muted for
// me go on, as if me had recovered, and lets no others be muted for it: the one that is to reply
// may be among them, or wait for one, or send to me before it comes to the request. If me is muted
// itself, and runs urgent mail, this opens its gate, which is to be shut again: see hasWaited. me
// may be nil.
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
	// While it drains it may be open.
	case me.load&(backpressure.Muted|backpressure.Pressed) == backpressure.Muted && !me.gate.IsOpen():
		release(me.sys(), me.openGate())
		return true
	}
	return false
}

// hasWaited comes after the wait, also if the wait, or what is done with the replies, panics: a
// turn that begins finds the gate as the load says. By now it is settled whom me waits for, as when
// it parked: see backpressure/README.md.
func hasWaited(me *cell, opened bool) {
	if opened {
		me.shutGate()
	}
}

// systemDone returns a channel that is closed when the system of me stops: from then on, what is
// queued there is answered only when the turn of me has ended. The stop waits for no goroutine
// outside, so there the channel is nil; nor for one that a process waits for whose system has no
// actors. me may be nil, of a caller outside or in a process.
func systemDone(me *cell) <-chan struct{} {
	if me != nil {
		return me.sys().done.done
	}
	if _, w := processHere(); w != nil {
		if c, ok := w.Local().(*Context); ok {
			return c.sys.done.done
		}
	}
	return nil
}

// caller is what a reply address says of the one that waits for the reply, whatever the reply. The
// receiver of the request only, before it replies: then the call is used again.
type caller struct {
	call *callState // nil: an actor waits for a message
	by   *cell      // that actor
	node *message   // the message for it, if it was made already: see prepare
}

// callerOf takes the address apart. It is a function, as makeDone is.
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

// carriesWait reports whether that context has the mark of WaitForRestart.
func (a caller) carriesWait() bool {
	return a.node != nil && a.node.ID == carriedID && payloadOf[carried](a.node).waits
}

// carries returns the context that a caller in a behaviour has sent along; nil: none.
func (a caller) carries() context.Context {
	if a.node != nil && a.node.ID == carriedID {
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

// state says how the caller stands. It asks no context: it is called in the middle of a walk through
// mail, where no code of the user's may run.
func (a caller) state() callerState {
	switch k := a.call; {
	case k != nil && (k.state.Load() == callAbandoned || k.left != nil && k.left.Load()):
		return callerGone
	case k != nil && a.node == nil && k.waits, a.carriesWait():
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
