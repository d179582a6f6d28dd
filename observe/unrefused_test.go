package observe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// lockedBuffer is a log.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestInterceptor_RuntimesOwn: "A message of the runtime's own, to a supervisor or to the actor of a
// process, cannot be refused: the error is logged, and the message runs." An interceptor that refuses
// all of them keeps no child from its restart, no member from its place, and no child that does not stop
// from its end at the deadline.
//
// Mutants: unrefused/… of internal/mutants/guards.json.
func TestInterceptor_RuntimesOwn(t *testing.T) {
	errNo := errors.New("no")
	var ctx context.Context
	ask := func(t *testing.T, r actor.Ref[foreign]) {
		t.Helper()
		if _, err := foreignGet.Ask(ctx, r, nothing); err != nil {
			t.Fatal(err)
		}
	}
	for name, run := range map[string]func(t *testing.T, sys *actor.System){
		"supervisor": func(t *testing.T, sys *actor.System) {
			s, err := supervise.StartWait(ctx, sys, treeOf(supervise.Worker[foreign]{}))
			if err != nil {
				t.Fatal(err)
			}
			r, err := supervise.Find[foreign](ctx, s, "child")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = foreignGet.Ask(ctx, r, func(c *actor.Context) error { c.Exit(errFall); return nil })
			ask(t, r)
		},
		"killtimer": func(t *testing.T, sys *actor.System) {
			late := make(chan supervise.Event, 1)
			spec := treeOf(supervise.Worker[foreign]{Stop: supervise.StopWithin(time.Millisecond)})
			spec.OnEvent = func(e supervise.Event) {
				if e.Kind == supervise.ChildOverdue {
					late <- e
				}
			}
			s, err := supervise.StartWait(ctx, sys, spec)
			if err != nil {
				t.Fatal(err)
			}
			r, err := supervise.Find[foreign](ctx, s, "child")
			if err != nil {
				t.Fatal(err)
			}
			begun := make(chan struct{})
			foreignDo.Send(sys, r, func(c *actor.Context) {
				close(begun)
				for ctx.Err() == nil { // until it is killed
					c.Checkpoint()
					runtime.Gosched()
				}
			})
			<-begun
			actor.Stop(sys, s)
			select {
			case <-late:
			case <-ctx.Done():
				t.Error("the child was not killed")
			}
		},
		"members": func(t *testing.T, sys *actor.System) {
			typ := actor.NewType[foreign]("own member")
			die := actor.Declare[int](typ, "die")
			ran := make(chan int, 2)
			typ.Table(die.Handle(func(_ *foreign, c *actor.Context, n int) {
				if ran <- n; n == 1 {
					c.Exit(errFall)
				}
			}))
			p := group.NewPoolOf(group.RoundRobin[int](), 1, die, group.MemberSpec[foreign]{Type: typ}).Start(sys)
			for n := range 2 {
				p.Send(sys, 1-n)
				_ = sys.Wait(ctx)
				if len(ran) != n+1 {
					t.Fatal("the member has not come up again")
				}
			}
		},
		"ask pool": func(t *testing.T, sys *actor.System) {
			typ := actor.NewType[foreign]("own asked")
			get := actor.DeclareAsk[int, int](typ, "get")
			typ.Table(get.Handle(func(_ *foreign, _ *actor.Context, n int) (int, error) { return n, nil }))
			p := group.NewAskPoolOf(group.RoundRobin[int](), 1, get,
				group.MemberSpec[foreign]{Type: typ}).Start(sys)
			if n, err := p.Ask(ctx, 7); n != 7 || err != nil {
				t.Fatalf("the pool has answered %d, %v", n, err)
			}
		},
		"registry": func(t *testing.T, sys *actor.System) {
			typ := actor.NewType[foreign]("own subscriber")
			hear := actor.Declare[group.Change[string, actor.AnyRef]](typ, "hear")
			left := make(chan int, 10)
			typ.Table(hear.Handle(func(_ *foreign, _ *actor.Context, ch group.Change[string, actor.AnyRef]) {
				left <- len(ch.Left)
			}))
			reg := group.NewRegistry[string, actor.AnyRef]().Start(sys)
			reg.SubscribeAll(sys, relayed[group.Change[string, actor.AnyRef]]{hear.To(typ.Spawn(sys, foreign{}))})
			member := foreignType.Spawn(sys, foreign{}).Any()
			reg.Join(sys, "a", member)
			_ = sys.Wait(ctx)
			actor.Stop(sys, member)
			_ = sys.Wait(ctx)
			close(left)
			gone := 0
			for n := range left {
				gone += n
			}
			if gone != 1 {
				t.Errorf("the subscriber was told of the end of %d members, want 1", gone)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log lockedBuffer
			refused := []string{"supervisor", "killtimer", "pool.update", "ask pool.update", "relay",
				"registry.sync", "registry.down", "registry.recovered", "ask waiter"}
			var cancel func()
			ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			sys := actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
				actor.WithInterceptor(actor.Interceptor{Before: func(_ *actor.Context, in *actor.Invocation) error {
					for _, typ := range refused {
						if in.Type() == typ || in.Type()+"."+in.Behaviour() == typ {
							return errNo
						}
					}
					return nil
				}}))
			defer sys.Stop()
			run(t, sys)
			if said := "cannot refuse"; !strings.Contains(log.String(), said) {
				t.Errorf("the log does not say %q:\n%s", said, log.String())
			}
		})
	}
}

// relayed is a handler that leads to no actor, as a registry sees it: a relay sends it messages.
type relayed[M any] struct{ to actor.Handler[M] }

func (r relayed[M]) Send(from actor.Sender, m M)          { r.to.Send(from, m) }
func (r relayed[M]) TrySend(from actor.Sender, m M) error { return r.to.TrySend(from, m) }
