package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Behaviours that ask and wait may wait for each other in a circle, for ever: A asks B, and B asks A.
//
// Rejected: a watch that looks now and then, as that over actors under pressure: it comes late, and the one who closes the
// circle is the one who can be told at once. To count asks whose context ends: who waits for one of those has
// his reply afterwards.
//
// Chosen: whoever is about to park in his turn looks in a table of his system who waits for whom. If that leads to
// himself he does not wait: his reply cannot come before his own turn has ended. Otherwise, if his context has no end, he
// enters himself. That is exact. An entry counts while its call has no result, and nobody but the one who was asked gives it
// one, in his turn: behind a behaviour or, if he has put it off, in a later one, but not while he waits himself. An entry is for
// no actor with a bound, of which others could drop the request. From its end the chain stands still: the one that looks is in his turn; so whoever waits for him gets no reply as long as that
// lasts, nor ends his own turn; so neither does whoever waits for that one. All entries of the chain were made before the look,
// so each of them has counted since it was made, and all of them count at once.
//
// It sees what asks by Ask within one system: not AskAll and Replies, which may go on without some of their
// replies, nor goroutines for which a behaviour waits.
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

// openAsk is a request for which an actor waits without an end.
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

// isOpen tells whether the call has no result yet. Caller holds the table's mu: its asker cannot have left.
func (a openAsk) isOpen() bool { return a.call != nil && a.call.state.Load() <= callWaiting }

// mayWait tells whether me may wait for k, its request to to, and not for itself. If so, and if it waits without an end, it is in
// the table of asks until it leaves that. me may be nil. Owner only, in a turn. It costs two locks of the system, which only those
// take who park in a turn.
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

// leave takes me out of the table before its call is used again. t may be nil: me is not in it. Owner only, in a turn.
func (t *askTable) leave(me *body) {
	if t == nil {
		return
	}
	t.mu.Lock()
	delete(t.all, me.oneAtATime())
	t.mu.Unlock()
}

// isEndless tells whether ctx never ends. That of a deterministic run may take the question for a wait ([actortest.R]), so
// there it is one of two.
func isEndless(ctx context.Context, sys *System) bool {
	return ctx == context.Background() || ctx == context.TODO() || sys.sim == nil && ctx.Done() == nil
}
