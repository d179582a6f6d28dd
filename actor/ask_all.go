package actor

import (
	"context"
	"iter"

	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// AskAll sends the same request to several actors from outside, blocks until all have
// replied, and returns the replies in the order of the refs. It starts no goroutine.
//
// Like an errgroup, AskAll gives up at the first error, which is one of those of
// [AskBehaviour.Ask], and returns it. The other requests run all the same, and their
// replies go nowhere.
//
// In a behaviour, AskAll waits as [AskBehaviour.Ask] does; if it cannot, because all
// idle workers are in use, it gives up with [ErrTooManyBlocked].
//
// If ctx had ended before the call, no request is sent, and what q owns stays the
// caller's. Nor is a request sent to an actor that cannot run before the caller's own
// turn has ended: the outcome there is ErrDeadlock. As nothing was sent there is no dead
// letter, unlike with Ask, and what q owns stays with the other actors or the caller.
func AskAll[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S], q Q) ([]R,
	error) {
	ctx = mustHave(ctx, "AskAll")
	replies := make([]R, len(to))
	for i, res := range indexedReplies(ctx, b, to, q) {
		replies[i] = res.Value
		if res.Err != nil {
			for i := range replies {
				discardReply(&replies[i])
			}
			return nil, res.Err
		}
	}
	return replies, nil
}

// Replies is [AskAll] as a sequence: it yields the outcome of every request, with the
// actor that was asked, in the order in which the outcomes come in. If ctx ends, the
// outcomes that are missing have its error; in a behaviour whose system stops, they
// have [ErrSystemStopped], and in one that cannot wait, because too many block already,
// [ErrTooManyBlocked].
//
// The requests are sent when the loop begins, unless ctx has ended by then. Replies
// that come after the loop was left go nowhere.
//
// In a behaviour, range over the sequence. Within [iter.Pull2] it runs in a coroutine,
// which counts as outside: no [ErrDeadlock] is found there, and nothing tells the
// sequence that the behaviour's system stops.
func Replies[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S],
	q Q) iter.Seq2[Ref[S], Result[R]] {
	ctx = mustHave(ctx, "Replies")
	return func(yield func(Ref[S], Result[R]) bool) {
		for i, res := range indexedReplies(ctx, b, to, q) {
			if !yield(to[i], res) {
				return
			}
		}
	}
}

// indexedReplies is Replies with the refs' places.
func indexedReplies[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S],
	q Q) iter.Seq2[int, Result[R]] {
	return func(yield func(int, Result[R]) bool) {
		g := &fanIn[R]{in: make(chan *call[R], len(to))}
		defer g.leave()
		missing := make([]bool, len(to))
		for i := range missing {
			missing[i] = true
		}
		e, me, err := askEach(ctx, b.d.madeAsk(), to, q, g)
		if err != nil {
			giveUp(missing, err, yield)
			return
		}
		defer hasWaited(me, prepareWait(me))
		over, first := systemDone(me), 0
		for range to {
			for !missing[first] {
				first++
			}
			var k *call[R]
			var err error
			if at := to[first].b; len(g.in) > 0 {
				k, err = g.next(ctx, at, b.d, over)
			} else if !waitIn(e, func() { k, err = g.next(ctx, at, b.d, over) }) {
				err = ErrTooManyBlocked
			}
			if err != nil {
				giveUp(missing, err, yield)
				return
			}
			missing[k.of] = false
			if !yield(k.of, k.result) {
				return
			}
		}
	}
}

// fanIn is where several calls go when they have their results, for one goroutine that takes them.
// Once that has left, what they own is discarded. The actor that answers adds its call, then looks
// whether the taker has left; the taker says that it leaves, then looks what was added. So one of
// the two sees the other, and the one that takes a call has it alone.
type fanIn[R any] struct {
	_    nocmp.Field   // or each type of reply has a function that compares
	in   chan *call[R] // has room for all: who answers never waits
	left seam.Bool
}

// add brings a call that has its result. Any goroutine.
func (g *fanIn[R]) add(k *call[R]) {
	// And not the result: Go has no channels of what is over 64 KiB.
	g.in <- k
	if g.left.Load() {
		g.discard()
	}
}

// next returns a call that has its result, or says why there will be none: ctx ends, or over is
// closed. to is an actor that has not replied to d.
func (g *fanIn[R]) next(ctx context.Context, to *cell, d *descriptor,
	over <-chan struct{}) (k *call[R], err error) {
	sys := to.sys()
	if sys.sim != nil && !sys.sim.awaitOne(ctx, to, d, func() bool { return len(g.in) > 0 }) {
		if err = ctx.Err(); err == nil && sys.sched.Stopping() {
			err = ErrSystemStopped
		}
	}
	if err == nil {
		select {
		case k = <-g.in:
			return k, nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-over:
			err = ErrSystemStopped
		}
	}
	select { // of two cases that were ready the one before is chance
	case k = <-g.in:
		return k, nil
	default:
		return nil, err
	}
}

// leave ends the fan-in. Once.
func (g *fanIn[R]) leave() {
	g.left.Store(true)
	g.discard()
}

// discard discards the replies that are there.
func (g *fanIn[R]) discard() {
	for {
		select {
		case k := <-g.in:
			discardReply(&k.result.Value)
		default:
			return
		}
	}
}

// giveUp yields err for every reply that is missing.
func giveUp[R any](missing []bool, err error, yield func(int, Result[R]) bool) {
	for i, m := range missing {
		if m && !yield(i, Result[R]{Err: err}) {
			return
		}
	}
}

// askEach sends the requests, and returns whose behaviour does so, as callerHere. If ctx has ended
// it returns that error and sends none.
func askEach[S, Q, R any](ctx context.Context, d *descriptor, to []Ref[S], q Q,
	g *fanIn[R]) (e env, me *cell, err error) {
	for _, r := range to {
		d.mustSuit(r.b)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	e, me = callerHere()
	for i, r := range to {
		k := &call[R]{several: g, of: i}
		k.left = &g.left
		k.ctx, k.waits = ctx, r.b.supervised && waitsForRestart(ctx)
		if sameThread(me, r.b) {
			k.finish(Result[R]{Err: ErrDeadlock})
			continue
		}
		m := d.size.TakeOne()
		*payloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
		r.b.sys().sendRequest(asPlain, r.b, m, d)
	}
	return e, me, nil
}
