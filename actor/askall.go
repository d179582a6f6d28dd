package actor

import (
	"context"
	"iter"
)

// AskAll sends the same request to several actors from outside, and waits for all
// replies: they are in the order of the refs. Like an errgroup it gives up at the first
// error, which is one of those of [AskBehaviour.Ask], and returns it; the other
// requests run all the same, and their replies go nowhere. No goroutine is started.
func AskAll[S, Q, R any](ctx context.Context, sys *System, b AskBehaviour[S, Q, R], to []Ref[S], q Q) ([]R, error) {
	replies := make([]R, len(to))
	for i, res := range replies2(ctx, sys, b, to, q) {
		if res.Err != nil {
			return nil, res.Err
		}
		replies[i] = res.Value
	}
	return replies, nil
}

// Replies is [AskAll] as a sequence: the outcome of every request with the actor that
// was asked, in the order in which they come in. Those that have not come when ctx ends
// have its error. The requests are sent when the loop begins; what comes after it was
// left goes nowhere.
func Replies[S, Q, R any](ctx context.Context, sys *System, b AskBehaviour[S, Q, R], to []Ref[S], q Q) iter.Seq2[Ref[S], Result[R]] {
	return func(yield func(Ref[S], Result[R]) bool) {
		for i, res := range replies2(ctx, sys, b, to, q) {
			if !yield(to[i], res) {
				return
			}
		}
	}
}

// replies2 is Replies with the refs' places.
func replies2[S, Q, R any](ctx context.Context, sys *System, b AskBehaviour[S, Q, R], to []Ref[S], q Q) iter.Seq2[int, Result[R]] {
	return func(yield func(int, Result[R]) bool) {
		mustHave(ctx, "Replies")
		in := make(chan *call[R], len(to)) // room for all: who answers never waits
		b.askEach(sys, to, q, in)
		missing := make([]bool, len(to))
		for i := range missing {
			missing[i] = true
		}
		for range to {
			var wait <-chan struct{} // nil: a select with two ready cases is chance
			if !sys.sched.Await(ctx, func() bool { return len(in) > 0 }) {
				wait = ctx.Done()
			}
			select {
			case k := <-in:
				missing[k.of] = false
				if !yield(k.of, k.result) {
					return
				}
			case <-wait:
				giveUp(missing, ctx.Err(), yield)
				return
			}
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

// askEach sends the requests.
func (b AskBehaviour[S, Q, R]) askEach(sys *System, to []Ref[S], q Q, in chan *call[R]) {
	d := b.decl()
	split(sys)
	for _, r := range to {
		d.mustSuit(r.b)
	}
	for i, r := range to {
		k := &call[R]{several: in, of: i}
		if r.b.box.head.Load() != nil && r.b.runsHere() {
			k.finish(Result[R]{Err: ErrSelfAsk})
			continue
		}
		m := d.pool.takeOne()
		*payloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
		_ = sys.sendFromOutside(r.b, m, d)
	}
}
