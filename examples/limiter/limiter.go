package main

import (
	"context"
	"errors"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// Rate is the allowance of one client: Burst at once, and one more after each Every.
type Rate struct {
	Burst int
	Every time.Duration
}

// bucket holds the tokens that one client has left. It ends when it is full again, since a full
// bucket is the same as none. So memory is bounded by the clients of the last Burst × Every.
type bucket struct {
	rate Rate
	left int
	tick actor.Timer
}

// Take takes a token if there is one.
func (b *bucket) Take(c *actor.Context, _ struct{}) (bool, error) {
	if b.left == 0 {
		return false, nil
	}
	if b.left == b.rate.Burst {
		b.tick = actor.Every(c, b.rate.Every, refill, struct{}{})
	}
	b.left--
	return true, nil
}

// Refill adds a token.
func (b *bucket) Refill(c *actor.Context, _ struct{}) {
	if b.left++; b.left == b.rate.Burst {
		c.Stop() // its timer ends with it
	}
}

var (
	bucketType = actor.NewType[bucket]("bucket")
	take       = actor.DeclareAsk[struct{}, bool](bucketType, "take")
	refill     = actor.Declare[struct{}](bucketType, "refill")
	_          = bucketType.Table(take.Handle((*bucket).Take), refill.Handle((*bucket).Refill))
)

// Limiter limits the rate of each client. Its methods may be called from any goroutine.
type Limiter struct {
	sys     *actor.System
	buckets supervise.Supervisor
}

// NewLimiter starts one.
func NewLimiter(r Rate, opts ...actor.Option) *Limiter {
	sys := actor.Start(opts...)
	return &Limiter{sys, supervise.Start(sys, supervise.Spec{
		Name:     "buckets",
		Strategy: supervise.SimpleOneForOne,
		Template: supervise.Worker[bucket]{
			Type:    bucketType,
			Init:    func(b *bucket) { b.rate, b.left = r, r.Burst },
			Restart: supervise.Temporary, // a new bucket is full
		},
	})}
}

// Allow reports whether client may do it now.
func (l *Limiter) Allow(ctx context.Context, client string) (bool, error) {
	for {
		r, err := l.bucket(ctx, client)
		if err != nil {
			return false, err
		}
		ok, err := take.Ask(ctx, r, struct{}{})
		if !errors.Is(err, actor.ErrStopped) { // else it was just full: it gets a new one
			return ok, err
		}
	}
}

// bucket finds or starts the bucket of a client.
func (l *Limiter) bucket(ctx context.Context, client string) (actor.Ref[bucket], error) {
	for {
		r, err := supervise.Find[bucket](ctx, l.buckets, client)
		if !errors.Is(err, supervise.ErrNoChild) {
			return r, err
		}
		started, err := supervise.StartChild.Ask(ctx, l.buckets.Ref,
			supervise.FromTemplate[bucket](client, nil))
		// otherwise another call was faster, and it may be full by now
		if !errors.Is(err, supervise.ErrNameTaken) {
			r, _ = actor.As[bucket](started)
			return r, err
		}
	}
}

// Clients is how many buckets there are.
func (l *Limiter) Clients(ctx context.Context) (int, error) {
	n, err := supervise.Tree(ctx, l.buckets)
	return len(n.Children), err
}

// Close ends the limiter.
func (l *Limiter) Close() { l.sys.Stop() }
