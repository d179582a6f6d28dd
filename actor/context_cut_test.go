package actor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// undoer has a request whose caller gives up, and a compensation that has to happen all the same.
type undoer struct {
	cut  func(ctx context.Context) context.Context
	gone func()
	want error
	got  chan error
}

var (
	undoerType  = actor.NewType[undoer]("undoer")
	undoerStart = actor.DeclareAsk[struct{}, struct{}](undoerType, "start")
	undoerEnd   = actor.Declare[actor.Result[struct{}]](undoerType, "end")
	_           = undoerType.Table(undoerStart.Handle((*undoer).start),
		undoerEnd.Handle((*undoer).end))
)

func (u *undoer) start(c *actor.Context, _ struct{}) (struct{}, error) {
	actor.Defer(c, undoerStart)
	c.SetContext(u.cut(c.Context()))
	actor.Pipe(c, undoerEnd, func(ctx context.Context) (struct{}, error) {
		u.gone()
		// The end of the caller's context reaches ctx in a goroutine of package context, if at all.
		long := testLimit
		if u.want == nil {
			long = 50 * time.Millisecond // the wait for an end that must not come
		}
		select {
		case <-ctx.Done():
		case <-time.After(long):
		}
		return struct{}{}, ctx.Err()
	})
	return struct{}{}, nil
}

func (u *undoer) end(_ *actor.Context, r actor.Result[struct{}]) { u.got <- r.Err }

// TestSetContext_Cut: "A context that never ends travels without an end. An example is
// context.WithoutCancel(c.Context()), for a compensation that has to happen although the caller has
// gone." So does a context that ends later than the context of the message. Every other context
// ends with the context of the message, even if contexts without an end lie between the two.
func TestSetContext_Cut(t *testing.T) {
	type key struct{}
	hour := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		t.Cleanup(cancel)
		return ctx
	}
	forever := context.Background()
	for name, one := range map[string]struct {
		caller context.Context
		cut    func(ctx context.Context) context.Context
		want   error
	}{
		"itself": {forever, func(ctx context.Context) context.Context { return ctx }, context.Canceled},
		"with a value": {forever, func(ctx context.Context) context.Context {
			return context.WithValue(ctx, key{}, 1)
		}, context.Canceled},
		"cut": {forever, context.WithoutCancel, nil},
		"value and cut": {forever, func(ctx context.Context) context.Context {
			return context.WithoutCancel(context.WithValue(ctx, key{}, 1))
		}, nil},
		"deadline":         {forever, hour, context.Canceled},
		"earlier deadline": {soon(t), hour, context.Canceled},
		"cut and deadline": {forever, func(ctx context.Context) context.Context {
			return hour(context.WithoutCancel(ctx))
		}, context.Canceled},
		"cut and later deadline": {soon(t), func(ctx context.Context) context.Context {
			return hour(context.WithoutCancel(ctx))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t)
			ctx, cancel := context.WithCancel(one.caller)
			got := make(chan error, 1)
			r := undoerType.Spawn(sys, undoer{one.cut, cancel, one.want, got})
			_, err := undoerStart.Ask(ctx, r, struct{}{})
			wants(t, err, context.Canceled)
			if err := receive(t, "the end", got); !errors.Is(err, one.want) || err != nil &&
				one.want == nil {
				t.Errorf("the compensation ended with %v, want %v", err, one.want)
			}
		})
	}
}
