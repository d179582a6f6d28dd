package bridge

import (
	"context"
	"iter"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// AskAll sends the same request to several actors from outside, blocks until all have
// replied, and returns the replies in the order of the refs. It starts no goroutine.
//
// Like an errgroup, AskAll gives up at the first error and returns it. The errors are
// those of [actor.AskBehaviour.Ask]. The other requests run all the same, and their replies are
// discarded.
//
// In a behaviour, AskAll waits as [actor.AskBehaviour.Ask] does. If the limit of
// [actor.WithMaxBlocked] is reached, it gives up with [actor.ErrTooManyBlocked].
//
// If ctx had ended before the call, no request is sent, and the caller keeps the regions
// and parcels of q. No request is sent to an actor that cannot run before the caller's own
// turn has ended: its outcome is actor.ErrDeadlock. Unlike with Ask there is no dead letter, as
// nothing was sent, and the regions and parcels of q stay with the other actors or the
// caller.
func AskAll[S, Q, R any](ctx context.Context, b actor.AskBehaviour[S, Q, R], to []actor.Ref[S], q Q) ([]R,
	error) {
	ctx = kernel.MustHave(ctx, "AskAll")
	replies := make([]R, len(to))
	for i, res := range indexedReplies(ctx, b, to, q) {
		replies[i] = res.Value
		if res.Err != nil {
			for i := range replies {
				kernel.DiscardReply(&replies[i])
			}
			return nil, res.Err
		}
	}
	return replies, nil
}

// Replies is [AskAll] as a sequence: it yields the outcome of every request, with the
// actor that was asked, in the order in which the outcomes come in. The outcomes that are
// still missing have
//
//   - ctx's error, when ctx ends;
//   - [actor.ErrSystemStopped], in a behaviour whose system stops;
//   - [actor.ErrTooManyBlocked], in a behaviour that cannot wait because too many block already.
//
// The requests are sent when the loop begins, unless ctx has ended by then. Replies
// that come after the end of the loop are discarded.
//
// In a behaviour, range over the sequence. Within [iter.Pull2] it runs in a coroutine,
// which counts as outside: there it does not detect an [actor.ErrDeadlock], and does not end
// when the behaviour's system stops.
func Replies[S, Q, R any](ctx context.Context, b actor.AskBehaviour[S, Q, R], to []actor.Ref[S],
	q Q) iter.Seq2[actor.Ref[S], actor.Result[R]] {
	ctx = kernel.MustHave(ctx, "Replies")
	return func(yield func(actor.Ref[S], actor.Result[R]) bool) {
		for i, res := range indexedReplies(ctx, b, to, q) {
			if !yield(to[i], res) {
				return
			}
		}
	}
}

// indexedReplies is Replies with the indices of the refs.
func indexedReplies[S, Q, R any](ctx context.Context, b actor.AskBehaviour[S, Q, R],
	to []actor.Ref[S], q Q) iter.Seq2[int, actor.Result[R]] {
	return func(yield func(int, actor.Result[R]) bool) {
		g := &fanIn[R]{in: make(chan *outcome[R], len(to))}
		defer g.leave()
		missing := make([]bool, len(to))
		for i := range missing {
			missing[i] = true
		}
		d := kernel.AnyAsk(b).Descriptor().MadeAsk()
		e, me, err := askEach(ctx, b, to, q, g)
		if err != nil {
			giveUp(missing, err, yield)
			return
		}
		defer kernel.HasWaited(me, kernel.PrepareWait(me))
		over, first := kernel.SystemDone(me), 0
		for range to {
			for !missing[first] {
				first++
			}
			var o *outcome[R]
			var err error
			if at := kernel.AnyRef(to[first]).Cell(); len(g.in) > 0 {
				o, err = g.next(ctx, at, d, over)
			} else if !kernel.WaitIn(e, func() { o, err = g.next(ctx, at, d, over) }) {
				err = actor.ErrTooManyBlocked
			}
			if err != nil {
				giveUp(missing, err, yield)
				return
			}
			missing[o.index] = false
			res := o.result
			o.result = actor.Result[R]{} // the other outcomes keep this one in memory
			if !yield(o.index, res) {
				return
			}
		}
	}
}

// fanIn collects the outcomes of several requests, for one goroutine that takes them. After that
// goroutine has left, the regions and parcels of the outcomes are discarded. The actor that answers
// adds its outcome, then looks whether the taker has left. The taker sets left, then looks for
// outcomes that were added. So at least one of the two sees the other, and each outcome is taken out
// of the channel by one of them only.
type fanIn[R any] struct {
	_    nocmp.Field      // or the compiler makes a comparing function for each type of reply
	in   chan *outcome[R] // has room for all: an answering actor never waits
	left seam.Bool
}

// outcome is the handler of the outcome of one request. The outcomes of a fan-in are in one object.
type outcome[R any] struct {
	_      nocmp.Field // as in fanIn
	to     *fanIn[R]
	index  int // of the request
	result actor.Result[R]
}

// Own implements guard.Own.
func (*outcome[R]) Own(guard.Mark) {}

// Send implements actor.Handler. It is called once, by any goroutine.
func (o *outcome[R]) Send(_ actor.Sender, res actor.Result[R]) {
	o.result = res
	// The channel has pointers: Go has no channels of elements over 64 KiB.
	o.to.in <- o
	if o.to.left.Load() {
		o.to.discard()
	}
}

// TrySend implements actor.Handler.
func (o *outcome[R]) TrySend(from actor.Sender, res actor.Result[R]) error {
	o.Send(from, res)
	return nil
}

// next waits for an outcome, and returns it. It returns ctx's error if ctx ends first, and
// actor.ErrSystemStopped if over is closed first. to is an actor that was asked with d and has not
// replied yet. A deterministic run names it in its log.
func (g *fanIn[R]) next(ctx context.Context, to *kernel.Cell, d *kernel.Descriptor,
	over <-chan struct{}) (o *outcome[R], err error) {
	sys := to.Sys()
	if sys.Sim != nil && !sys.Sim.AwaitOne(ctx, to, d, func() bool { return len(g.in) > 0 }) {
		if err = ctx.Err(); err == nil && sys.Sched.Stopping() {
			err = actor.ErrSystemStopped
		}
	}
	if err == nil {
		select {
		case o = <-g.in:
			return o, nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-over:
			err = actor.ErrSystemStopped
		}
	}
	select { // the select before chooses by chance among ready cases: an outcome may be there
	case o = <-g.in:
		return o, nil
	default:
		return nil, err
	}
}

// leave ends the fan-in. It is called once.
func (g *fanIn[R]) leave() {
	g.left.Store(true)
	g.discard()
}

// discard discards the replies that were added.
func (g *fanIn[R]) discard() {
	for {
		select {
		case o := <-g.in:
			kernel.DiscardReply(&o.result.Value)
			o.result = actor.Result[R]{}
		default:
			return
		}
	}
}

// giveUp yields err for every reply that is missing.
func giveUp[R any](missing []bool, err error, yield func(int, actor.Result[R]) bool) {
	for i, m := range missing {
		if m && !yield(i, actor.Result[R]{Err: err}) {
			return
		}
	}
}

// askEach sends the requests, and returns the caller, as kernel.CallerHere does. If ctx has ended, it
// sends no request and returns ctx's error.
func askEach[S, Q, R any](ctx context.Context, b actor.AskBehaviour[S, Q, R], to []actor.Ref[S],
	q Q, g *fanIn[R]) (e kernel.Env, me *kernel.Cell, err error) {
	for _, r := range to {
		kernel.AnyAsk(b).Descriptor().MustSuit(kernel.AnyRef(r).Cell())
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if e, me = kernel.CallerHere(); len(to) == 0 {
		return e, me, nil
	}
	first, all := b.To(to[0]).(asker[Q, R]), make([]outcome[R], len(to))
	for i, r := range to {
		o, at := &all[i], kernel.AnyRef(r).Cell()
		o.to, o.index = g, i
		if kernel.SameThread(me, at) {
			o.Send(nil, actor.Result[R]{Err: actor.ErrDeadlock})
			continue
		}
		first.AskFor(ctx, at.Sys(), at, q, &g.left, o)
	}
	return e, me, nil
}

// asker is implemented by what [actor.AskBehaviour.To] returns. It asks any actor of that behaviour. left is
// set when the caller does not wait for the outcome any more.
type asker[Q, R any] interface {
	AskFor(ctx context.Context, from kernel.Env, to *kernel.Cell, q Q, left *seam.Bool,
		outcome actor.Handler[actor.Result[R]])
}
