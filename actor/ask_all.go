package actor

import (
	"context"
	"iter"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// AskAll sends the same request to several actors from outside, blocks until all have
// replied, and returns the replies in the order of the refs. It starts no goroutine.
//
// Like an errgroup, AskAll gives up at the first error and returns it. The errors are
// those of [AskBehaviour.Ask]. The other requests run all the same, and their replies are
// discarded.
//
// In a behaviour, AskAll waits as [AskBehaviour.Ask] does. If the limit of
// [WithMaxBlocked] is reached, it gives up with [ErrTooManyBlocked].
//
// If ctx had ended before the call, no request is sent, and the caller keeps the regions
// and parcels of q. No request is sent to an actor that cannot run before the caller's own
// turn has ended: its outcome is ErrDeadlock. Unlike with Ask there is no dead letter, as
// nothing was sent, and the regions and parcels of q stay with the other actors or the
// caller.
func AskAll[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S], q Q) ([]R,
	error) {
	ctx = kernel.MustHave(ctx, "AskAll")
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
// actor that was asked, in the order in which the outcomes come in. The outcomes that are
// still missing have
//
//   - ctx's error, when ctx ends;
//   - [ErrSystemStopped], in a behaviour whose system stops;
//   - [ErrTooManyBlocked], in a behaviour that cannot wait because too many block already.
//
// The requests are sent when the loop begins, unless ctx has ended by then. Replies
// that come after the end of the loop are discarded.
//
// In a behaviour, range over the sequence. Within [iter.Pull2] it runs in a coroutine,
// which counts as outside: there it does not detect an [ErrDeadlock], and does not end
// when the behaviour's system stops.
func Replies[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S],
	q Q) iter.Seq2[Ref[S], Result[R]] {
	ctx = kernel.MustHave(ctx, "Replies")
	return func(yield func(Ref[S], Result[R]) bool) {
		for i, res := range indexedReplies(ctx, b, to, q) {
			if !yield(to[i], res) {
				return
			}
		}
	}
}

// indexedReplies is Replies with the indices of the refs.
func indexedReplies[S, Q, R any](ctx context.Context, b AskBehaviour[S, Q, R], to []Ref[S],
	q Q) iter.Seq2[int, Result[R]] {
	return func(yield func(int, Result[R]) bool) {
		g := &fanIn[R]{in: make(chan *call[R], len(to))}
		defer g.leave()
		missing := make([]bool, len(to))
		for i := range missing {
			missing[i] = true
		}
		e, me, err := askEach(ctx, b.desc().MadeAsk(), to, q, g)
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
			var k *call[R]
			var err error
			if at := to[first].target(); len(g.in) > 0 {
				k, err = g.next(ctx, at, b.desc(), over)
			} else if !kernel.WaitIn(e, func() { k, err = g.next(ctx, at, b.desc(), over) }) {
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

// fanIn collects several calls that have their results, for one goroutine that takes them. After
// that goroutine has left, the regions and parcels of the results are discarded. The actor that
// answers adds its call, then looks whether the taker has left. The taker sets left, then looks for
// calls that were added. So at least one of the two sees the other, and each call is taken out of
// the channel by one of them only.
type fanIn[R any] struct {
	_    nocmp.Field   // or the compiler makes a comparing function for each type of reply
	in   chan *call[R] // has room for all calls: an answering actor never waits
	left seam.Bool
}

// add adds a call that has its result. Any goroutine.
func (g *fanIn[R]) add(k *call[R]) {
	// The channel has calls, not results: Go has no channels of elements over 64 KiB.
	g.in <- k
	if g.left.Load() {
		g.Discard()
	}
}

// next waits for a call that has its result, and returns the call. It returns ctx's error if ctx
// ends first, and ErrSystemStopped if over is closed first. to is an actor that was asked with d
// and has not replied yet. A deterministic run names it in its log.
func (g *fanIn[R]) next(ctx context.Context, to *kernel.Cell, d *kernel.Descriptor,
	over <-chan struct{}) (k *call[R], err error) {
	sys := to.Sys()
	if sys.Sim != nil && !sys.Sim.AwaitOne(ctx, to, d, func() bool { return len(g.in) > 0 }) {
		if err = ctx.Err(); err == nil && sys.Sched.Stopping() {
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
	select { // the select before chooses by chance among ready cases: a call may be there
	case k = <-g.in:
		return k, nil
	default:
		return nil, err
	}
}

// leave ends the fan-in. It is called once.
func (g *fanIn[R]) leave() {
	g.left.Store(true)
	g.Discard()
}

// Discard discards the replies that were added.
func (g *fanIn[R]) Discard() {
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

// askEach sends the requests, and returns the caller, as kernel.CallerHere does. If ctx has ended, it
// sends no request and returns ctx's error.
func askEach[S, Q, R any](ctx context.Context, d *kernel.Descriptor, to []Ref[S], q Q,
	g *fanIn[R]) (e kernel.Env, me *kernel.Cell, err error) {
	for _, r := range to {
		d.MustSuit(r.target())
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	e, me = kernel.CallerHere()
	for i, r := range to {
		k := &call[R]{several: g, of: i}
		k.Left = &g.left
		k.Ctx, k.Waits = ctx, r.target().Supervised && kernel.WaitsForRestart(ctx)
		if kernel.SameThread(me, r.target()) {
			k.finish(Result[R]{Err: ErrDeadlock})
			continue
		}
		m := d.Size.TakeOne()
		*kernel.PayloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
		r.target().Sys().SendRequest(kernel.AsPlain, r.target(), m, d)
	}
	return e, me, nil
}
