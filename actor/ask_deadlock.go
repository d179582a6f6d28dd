package actor

import "github.com/gallop-go/gallop/actor/internal/waitgraph"

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
func (a *cell) oneAtATime() any {
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
func (me *cell) mayWait(k *callState, to *cell) (in *waitgraph.Graph, may bool) {
	switch {
	case me.sameThread(to):
		return nil, false
	case me == nil || me.sys() != to.sys() || to.policy().queues():
		return nil, true
	}
	g := me.sys().waitGraph()
	if !g.Enter(me.oneAtATime(), to.oneAtATime(), k) {
		return nil, false
	}
	return g, true
}

// leaveGraph takes me out of the graph that mayWait has returned. Owner only, in a turn.
func (me *cell) leaveGraph(g *waitgraph.Graph) {
	if g != nil {
		g.Leave(me.oneAtATime())
	}
}
