package kernel

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/waitgraph"
	"github.com/gallop-go/gallop/sched"
)

// An Ask in a turn follows the waits of its system and fails if they lead back to its own turn.
// Package waitgraph has the proof that the answer is exact.

// WaitGraph returns the graph of the asks in turns. The first call makes it. The linker drops the
// graph from programs without Ask. Any goroutine.
func (s *System) WaitGraph() *waitgraph.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.asks.(*waitgraph.Graph)
	if !ok {
		g = new(waitgraph.Graph)
		s.asks = g
	}
	return g
}

// OneAtATime returns the node of a in the graph, which runs one turn at a time: the actor itself,
// or all actors of its pinned type together. Any goroutine.
func OneAtATime(a *Cell) any {
	if a.Typ().Pinned {
		return a.Shared()
	}
	return a
}

// IsOpen implements waitgraph.Call. The graph's lock is held, so the caller of k has not left the
// graph.
func (k *CallState) IsOpen() bool {
	return k.State.Load() <= CallWaiting && !k.Later.Load()
}

// MayWait reports whether me may wait for k, its request to the actor to, without waiting for
// itself. If in is not nil, me is in that graph, and has to leave it: see LeaveGraph. me may be
// nil. Owner only, in a turn.
func MayWait(me *Cell, k *CallState, to *Cell) (in *waitgraph.Graph, may bool) {
	switch {
	case SameThread(me, to):
		return nil, false
	case me == nil || me.Sys() != to.Sys():
		return nil, true
	}
	g := me.Sys().WaitGraph()
	if !g.Enter(OneAtATime(me), OneAtATime(to), k) {
		return nil, false
	}
	return g, true
}

// logAskCircle logs the actors that wait for each other: me, which would close the circle by asking
// to, then to, and the others in the order in which they ask. Owner only, in a turn.
func (s *System) logAskCircle(me, to *Cell) {
	const line = "gallop: actors ask each other in a circle"
	n, write := s.mayLog(line, me.Typ().Name, to.Typ().Name)
	if !write {
		return
	}
	var asks strings.Builder
	for _, a := range append([]any{me}, s.WaitGraph().Chain(OneAtATime(to), OneAtATime(me))...) {
		asks.WriteString(nameOfTurns(a) + " → ")
	}
	asks.WriteString(me.ActorName().Describe())
	s.log(func(l logSink) {
		l.warn(line, me.ownName().attrs("asks", to.ActorName().Describe(), "circle", asks.String(),
			"so_far", n)...)
	})
}

// nameOfTurns names an actor, or all actors of a pinned type: see OneAtATime.
func nameOfTurns(a any) string {
	if a, ok := a.(*Cell); ok {
		return a.ActorName().Describe()
	}
	return "the thread of " + a.(*TypeInSystem).Typ.Name
}

// LeaveGraph removes me from the graph that MayWait has returned. Owner only, in a turn.
func LeaveGraph(me *Cell, g *waitgraph.Graph) {
	if g != nil {
		g.Leave(OneAtATime(me))
	}
}

// A behaviour that waits for a reply may itself keep the reply from coming. It may wait for itself,
// or for actors that are muted for it. If its system stops, the stop waits for its turn.

// CallerHere returns the Env of the calling goroutine, in any system, and the actor whose behaviour
// it runs; outside of behaviours the actor is nil. For the costs see sched.Here.
func CallerHere() (e Env, me *Cell) {
	w := sched.Here()
	if w == nil {
		return outsideOfAll, nil
	}
	c, ok := w.Local().(*Turn)
	if !ok {
		return outsideOfAll, nil // a scheduler without actors
	}
	me = CellOrNil(w.Task())
	if me == nil {
		return outsideOfAll, nil
	}
	return c, me
}

// outsideOfAll is the outside of no system in particular.
var outsideOfAll = new(System)

// AwaitReply waits until the call is answered, or gives it up and returns the reason. Like MakeDone
// it is a function, since a method would be compiled for each call[R].
func AwaitReply(ctx context.Context, k *CallState, to *Cell, d *Descriptor) (err error) {
	e, me := CallerHere()
	waited := WaitIn(e, func() { err = waitFor(ctx, k, me, to, d) })
	if !waited && k.State.CompareAndSwap(CallPending, CallUnhelped) {
		return ErrTooManyBlocked
	}
	return err
}

// waitFor is AwaitReply once other workers serve the actors that are queued after me. me is nil if
// the caller is outside. Like MakeDone it is a function.
func waitFor(ctx context.Context, k *CallState, me, to *Cell, d *Descriptor) error {
	asks, may := MayWait(me, k, to)
	if !may && k.State.CompareAndSwap(CallPending, CallRefused) {
		me.Sys().logAskCircle(me, to)
		return ErrDeadlock
	}
	defer LeaveGraph(me, asks)
	defer HasWaited(me, PrepareWait(me))
	if me != nil {
		k.wait.begin(me, to)
		defer k.wait.end()
	}
	if to.Shared().Sys.Sim != nil {
		if err := k.drive(ctx, me, to, d); err != nil &&
			k.State.CompareAndSwap(CallPending, CallAbandoned) {
			return err
		}
	}
	MakeDone(k, to.Shared().Sys)
	if !k.State.CompareAndSwap(CallPending, CallWaiting) {
		return nil
	}
	return k.Park(ctx, SystemDone(me))
}

// SameThread reports whether to cannot run before the turn of me has ended: to is me, or has the
// same thread. me may be nil.
func SameThread(me *Cell, to *Cell) bool {
	return me != nil && (me == to || me.Shared() == to.Shared() && me.Typ().Pinned)
}

// PrepareWait is called before me waits for a reply in its turn. It releases the actors that are
// muted for me, as if me had recovered, and keeps others from being muted for me: the actor that
// has to reply may be among them, may wait for one of them, or may send to me before it comes to
// the request. If me is muted itself, and runs urgent mail, PrepareWait opens its gate and returns
// true; then HasWaited shuts the gate again. me may be nil.
func PrepareWait(me *Cell) (opened bool) {
	if me == nil {
		return false
	}
	if invariant.On {
		verifyCaller(me)
	}
	switch {
	case me.Shared().bounded:
	case me.Load&backpressure.Overloaded != 0:
		me.SetLoad(me.Sys(), me.Load&^backpressure.Overloaded)
	// The gate of an actor that drains may be open.
	case me.Load&(backpressure.Muted|backpressure.Pressed) == backpressure.Muted && !me.Gate.IsOpen():
		release(me.Sys(), me.OpenGate())
		return true
	}
	return false
}

// HasWaited is called after the wait, also if the wait, or the code that gets the replies, panics.
// A turn that begins finds the gate in agreement with the load. The gates for which me is muted are
// settled by now, as when it parked: see backpressure/README.md.
func HasWaited(me *Cell, opened bool) {
	if opened {
		me.ShutGate()
	}
}

// SystemDone returns a channel that is closed when the system of the caller stops. From then on,
// requests that are queued there are answered only after the turn of the caller has ended. The
// caller is me or, if me is nil, a process or a goroutine outside. The channel is nil for a
// goroutine outside, and for a process whose system has no actors: the stop does not wait for
// these.
func SystemDone(me *Cell) <-chan struct{} {
	if me != nil {
		return me.Sys().Done.Done
	}
	if _, w := processHere(); w != nil {
		if c, ok := w.Local().(*Turn); ok {
			return c.Sys.Done.Done
		}
	}
	return nil
}

// Caller describes the party that waits for a reply, for all types of replies. Only the receiver of
// the request may use it, and only before it replies: after that the call is used again.
type Caller struct {
	Call *CallState // nil: an actor waits for a message
	By   *Cell      // the actor that waits for a message
	Node *Message   // the message for it, if it was made already: see Turn.Prepare
}

// Context returns the context of the caller; nil: it has none.
func (a Caller) Context() context.Context {
	if a.Call != nil && a.Node == nil {
		if isEmpty(a.Call.Ctx) {
			return nil
		}
		return a.Call.Ctx
	}
	return a.carries()
}

// carriesWait reports whether the message for the outcome has the mark of WaitForRestart.
func (a Caller) carriesWait() bool {
	return a.Node != nil && a.Node.ID == CarriedID && PayloadOf[carried](a.Node).waits
}

// carries returns the context in the message for the outcome, which a caller in a behaviour has
// set; nil: there is none.
func (a Caller) carries() context.Context {
	if a.Node != nil && a.Node.ID == CarriedID {
		return PayloadOf[carried](a.Node).ctx
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
func (a Caller) state() callerState {
	switch k := a.Call; {
	case k != nil && (k.State.Load() == CallAbandoned || k.Left != nil && k.Left.Load()):
		return callerGone
	case k != nil && a.Node == nil && k.Waits, a.carriesWait():
		return callerWaits
	}
	return callerThere
}

// awaits returns the actor that waits for a message, or the call of the goroutine that waits. It
// returns nil and nil if the caller no longer waits. In deterministic systems only, while nothing
// runs.
func (a Caller) awaits() (by *Cell, k *CallState) {
	by = a.By
	switch k := a.Call; {
	case k == nil, k.Tells:
	case k.By != nil:
		if *k.Over {
			by = nil
		}
	case k.Left != nil && !k.Left.Load(), k.Left == nil && k.State.Load() <= CallWaiting:
		return nil, k
	}
	if by != nil && by.Status() == StatusEnded {
		by = nil
	}
	return by, nil
}

// verifyCaller checks an actor that is to wait for a reply in its turn.
func verifyCaller(me *Cell) {
	invariant.Check(!me.BlockedOn.Parked(), "%v asks in its turn, and is parked", me)
	invariant.Check(me.Progress&begun != 0, "%v asks, and has had no turn", me)
}
