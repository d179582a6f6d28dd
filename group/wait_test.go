package group_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// smallBound is the bound of a member, or a subscriber, that mutes senders which fill it.
const smallBound = 8

var (
	narrowType = actor.NewType[sink]("narrow", actor.WithBound(smallBound, actor.OverflowMute))
	narrowPut  = actor.Declare[int](narrowType, "put")
	narrowDo   = actor.Declare[func(*sink, *actor.Context)](narrowType, "do")
	narrowGot  = actor.DeclareAsk[struct{}, []int](narrowType, "got")
	_          = narrowType.Table(narrowPut.Handle((*sink).Put), narrowDo.Handle((*sink).Do),
		narrowGot.Handle((*sink).Got))
)

// waiter is a topic or a pool.
type waiter interface {
	actor.Handler[int]
	SendWait(ctx context.Context, m int) error
	Status() actor.Status
	Stop(from actor.Sender)
}

// waiters make a pool of which h is the member, and a topic that h has subscribed to.
var waiters = map[string]func(sys *actor.System, h actor.Handler[int]) waiter{
	"pool": func(sys *actor.System, h actor.Handler[int]) waiter {
		return group.NewPool(group.LeastLoaded[int](), h).Start(sys)
	},
	"topic": func(sys *actor.System, h actor.Handler[int]) waiter {
		news := group.NewTopic[int]().Start(sys)
		news.Subscribe(sys, h)
		return news
	},
}

// TestSendWait: "blocks while the pool is muted or overloaded, or has no room": with a member that
// has a bound, the messages that a goroutine has sent and that have not run are bounded too. All of
// them run, in order. A caller that gives up or comes too late gets an error.
func TestSendWait(t *testing.T) {
	const messages, room = 20_000, 4096
	for name, make := range waiters {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			slow := narrowType.Spawn(sys, sink{})
			in, release := make(sys, narrowPut.To(slow)), stayIn(t, sys, slow)
			sent, err := 0, error(nil)
			for err == nil && sent < messages {
				if err = in.SendWait(atOnce(), sent); err == nil {
					sent++
				}
			}
			if !errors.Is(err, context.Canceled) || sent > room+smallBound+1 {
				t.Errorf("%d were sent, then %v", sent, err)
			}
			errs := resume(in, sent, messages)
			release()
			if err := <-errs; err != nil {
				t.Error(err)
			}
			quiet(t, sys)
			all, err := narrowGot.Ask(soon(t), slow, struct{}{})
			if err != nil || len(all) != messages || !slices.IsSorted(all) {
				t.Fatalf("%d of %d ran, %v; in order: %v", len(all), messages, err,
					slices.IsSorted(all))
			}
			in.Stop(sys)
			quiet(t, sys)
			if err := in.SendWait(soon(t), 1); !errors.Is(err, actor.ErrStopped) {
				t.Errorf("after its end: %v", err)
			}
		})
	}
}

// impatient is a context that ends as soon as its Done is called.
type impatient struct {
	context.Context
	end context.CancelFunc
}

func (c impatient) Done() <-chan struct{} { c.end(); return c.Context.Done() }

// atOnce is the context of a caller that gives up when it would have to wait.
func atOnce() context.Context {
	ctx, end := context.WithCancel(context.Background())
	return impatient{ctx, end}
}

// resume sends the rest from a goroutine.
func resume(to waiter, from, end int) <-chan error {
	errs := make(chan error, 1)
	go func() {
		var err error
		for n := from; err == nil && n < end; n++ {
			err = to.SendWait(context.Background(), n)
		}
		errs <- err
	}()
	return errs
}

// stayIn keeps an actor in a turn until it may go on.
func stayIn(t *testing.T, sys *actor.System, r actor.Ref[sink]) (release func()) {
	at, stay := make(chan struct{}), make(chan struct{})
	release = sync.OnceFunc(func() { close(stay) })
	t.Cleanup(release)
	narrowDo.Send(sys, r, func(*sink, *actor.Context) { close(at); <-stay })
	<-at
	return release
}
