package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Behaviours that ask and wait may wait for each other in a circle, for ever: A asks B, and B asks
// A.
//
// Rejected: a watch that looks now and then, like the one over actors under pressure. It comes
// late, while the actor that closes the circle can be told at once. Rejected as well: to leave asks
// alone whose contexts end, since these resolve themselves. They do so after the whole time-out,
// which all in the circle wait for, and then it fails an ask chosen by chance.
//
// Chosen: an actor that is about to park in its turn looks in a table of its system who waits for
// whom. If that leads to itself it does not wait: its reply cannot come before its own turn has
// ended, or another ask of the circle has been given up. Otherwise it enters itself. So the one
// that closes a circle is told, and the others get their replies. That is exact. An entry counts
// while its call has no result, its reply is not put off, and it was not given up. Only the actor
// that was asked gives it a result, in its turn, behind the behaviour, and not while it waits
// itself; a reply that was put off may be given by any actor. There is no entry for an actor with a
// bound, of which others could drop the request. From its end the chain stands still until a
// context of it ends. The actor that looks is in its turn. So an actor that waits for it gets no
// reply as long as that lasts, nor ends its own turn; nor, then, does one that waits for that one.
// All entries of the chain were made before the look, so each of them has counted since it was
// made, and all of them count at once. An actor that gives its ask up says so in its call, by a
// compare-and-swap, before it goes on. What it does next, such as to end its turn, comes after
// that, and so does every look that learns of it.
//
// It sees asks by Ask within one system: neither AskAll and Replies, which may go on without some
// of their replies, nor goroutines for which a behaviour waits.
type waitGraph struct {
	mu  seam.Mutex
	all map[any]askEdge // guarded by mu: by whose turn waits, see oneAtATime
}

// waitGraph returns the table of the asks in turns. A program without Ask links none. Any
// goroutine.
func (s *System) waitGraph() *waitGraph {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.asks.(*waitGraph)
	if !ok {
		t = &waitGraph{all: make(map[any]askEdge)}
		s.asks = t
	}
	return t
}

// askEdge is a request whose reply an actor awaits.
type askEdge struct {
	to   any // see oneAtATime
	call *callState
}

// oneAtATime is what runs one turn at a time: an actor, or those of a pinned type together. Any
// goroutine.
func (a *cell) oneAtATime() any {
	if a.typ().pinned {
		return a.shared()
	}
	return a
}

// isOpen reports whether the call has no result yet, was not given up, and only the actor that was
// asked can give its result. Caller holds the table's mu: its caller cannot have left.
func (a askEdge) isOpen() bool {
	return a.call != nil && a.call.state.Load() <= callWaiting && !a.call.later.Load()
}

// mayWait reports whether me may wait for k, its request to to, without waiting for itself. If so,
// me is in the table of asks until it leaves. me may be nil. Owner only, in a turn. It costs two
// locks of the system, which only an actor takes that parks in a turn.
func (me *cell) mayWait(k *callState, to *cell) (in *waitGraph, may bool) {
	switch {
	case me.sameThread(to):
		return nil, false
	case me == nil || me.sys() != to.sys() || to.typ().bound.limit != 0:
		return nil, true
	}
	t := me.sys().waitGraph()
	t.mu.Lock()
	defer t.mu.Unlock()
	mine, asked := me.oneAtATime(), to.oneAtATime()
	if invariant.On {
		verifyAsks(t, me)
	}
	for at := t.all[asked]; at.isOpen(); at = t.all[at.to] {
		if at.to == mine {
			return nil, false
		}
	}
	t.all[mine] = askEdge{asked, k}
	return t, true
}

// leave takes me out of the table before its call is used again. If t is nil, me is not in it.
// Owner only, in a turn.
func (t *waitGraph) leave(me *cell) {
	if t == nil {
		return
	}
	t.mu.Lock()
	delete(t.all, me.oneAtATime())
	t.mu.Unlock()
}
