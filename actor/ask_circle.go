package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Behaviours that ask and wait may wait for each other in a circle, for ever: A asks B, and B asks A.
//
// Rejected: a watch that looks now and then, like the one over actors under pressure. It comes
// late, while the actor that closes the circle can be told at once. Rejected as well: to count asks
// whose context ends. An actor that waits for one of those gets its reply afterwards.
//
// Chosen: an actor that is about to park in its turn looks in a table of its system who waits for
// whom. If that leads to itself it does not wait: its reply cannot come before its own turn has
// ended. Otherwise, if its context has no end, it enters itself. That is exact. An entry counts
// while its call has no result and its reply is not put off: until then, only the actor that was asked
// gives it a result, in its turn, behind the behaviour, and not while it waits itself. A reply that
// was put off may be given by anybody. There is no entry for an actor with a bound, of which others could drop the request. From its end the chain
// stands still. The actor that looks is in its turn. So an actor that waits for it gets no reply as
// long as that lasts, nor ends its own turn; nor, then, does one that waits for that one. All
// entries of the chain were made before the look, so each of them has counted since it was made, and
// all of them count at once.
//
// It sees asks by Ask within one system: neither AskAll and Replies, which may go on without some
// of their replies, nor goroutines for which a behaviour waits.
type askTable struct {
	mu  seam.Mutex
	all map[any]openAsk // guarded by mu: by whose turn waits, see oneAtATime
}

// openAsks returns the table of the asks in turns. A program without Ask links none. Any goroutine.
func (s *System) openAsks() *askTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.asks.(*askTable)
	if !ok {
		t = &askTable{all: make(map[any]openAsk)}
		s.asks = t
	}
	return t
}

// openAsk is a request whose reply an actor awaits without an end.
type openAsk struct {
	to   any // see oneAtATime
	call *callState
}

// oneAtATime is what runs one turn at a time: an actor, or those of a pinned type together. Any goroutine.
func (b *body) oneAtATime() any {
	if b.typ().pin != nil {
		return b.kind()
	}
	return b
}

// isOpen tells whether the call has no result yet, and only the actor that was asked can give one. Caller holds the table's mu: its asker cannot have left.
func (a openAsk) isOpen() bool {
	return a.call != nil && a.call.state.Load() <= callWaiting && !a.call.later.Load()
}

// mayWait tells whether me may wait for k, its request to to, without waiting for itself. If so,
// and if the wait has no end, me is in the table of asks until it leaves. me may be nil. Owner
// only, in a turn. It costs two locks of the system, which only an actor takes that parks in a
// turn.
func (me *body) mayWait(ctx context.Context, k *callState, to *body) (in *askTable, may bool) {
	switch {
	case me.keepsFromRunning(to):
		return nil, false
	case me == nil || me.sys() != to.sys() || to.typ().bound.limit != 0:
		return nil, true
	}
	t := me.sys().openAsks()
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
	if !isEndless(ctx, me.sys()) {
		return nil, true
	}
	t.all[mine] = openAsk{asked, k}
	return t, true
}

// leave takes me out of the table before its call is used again. If t is nil, me is not in it.
// Owner only, in a turn.
func (t *askTable) leave(me *body) {
	if t == nil {
		return
	}
	t.mu.Lock()
	delete(t.all, me.oneAtATime())
	t.mu.Unlock()
}

// isEndless tells whether ctx never ends. In a deterministic run ctx may take the question for a
// wait ([actortest.R]), so there only two contexts are endless.
func isEndless(ctx context.Context, sys *System) bool {
	return ctx == context.Background() || ctx == context.TODO() || sys.sim == nil && ctx.Done() == nil
}
