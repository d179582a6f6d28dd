package group_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/misuse"
)

// TestMisuse_Everything: each exported function and method, with each zero or nil argument,
// panics and names the fault, or takes the argument as documented. Nothing fails later.
func TestMisuse_Everything(t *testing.T) {
	table := misuse.Table{
		Dir: ".",
		Funcs: map[string]any{
			"NewAskPool":   group.NewAskPool[int, uint64],
			"NewAskPoolOf": group.NewAskPoolOf[oracle, int, uint64],
			"WithLag":      group.WithLag,
			"WithNotify":   group.WithNotify,
			"PolicyOf":     group.PolicyOf[int],
			"RoundRobin":   group.RoundRobin[int],
			"Random":       group.Random[int],
			"LeastLoaded":  group.LeastLoaded[int],
			"Hash":         group.Hash[int],
			"NewPool":      group.NewPool[int],
			"NewPoolOf":    group.NewPoolOf[sink, int],
			"NewRegistry":  group.NewRegistry[any, any],
			"NewTopic":     group.NewTopic[int],
		},
		Types: []any{group.AskPool[int, uint64]{}, group.Pool[int]{}, group.Registry[any, any]{},
			group.Topic[int]{}, group.Lag(0)},
		Inside: []any{(*actor.Context)(nil)},
		Odd: []any{(*actor.System)(nil), new(actor.System), (*actor.Context)(nil), new(actor.Context),
			group.Pool[int]{}, group.Topic[int]{}, (*unheard)(nil), unheard{}, group.AskPool[int, uint64]{},
			(*fakeOracle)(nil), []int{}, actor.Ref[sink]{}, actor.AnyRef{}, (*endless)(nil)},
		New: func() *misuse.World {
			var late error
			sys := actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))), actor.WithHooks(actor.Hooks{
				Panic: func(r actor.PanicReport) {
					if _, is := r.Value.(error); is {
						late = fmt.Errorf("%v in %s.%s\\n%s", r.Value, r.Type, r.Behaviour, r.Stack)
					}
				}}))
			to := sinkType.Spawn(sys, sink{})
			w := &misuse.World{Args: []any{context.Background(), put.To(to),
				question.To(oracleType.Spawn(sys, oracle{})), group.RoundRobin[int](),
				put, question, group.MemberSpec[sink]{Type: sinkType},
				group.MemberSpec[oracle]{Type: oracleType}, group.NewTopic[int]().Start(sys),
				group.NewPool(group.RoundRobin[int](), put.To(to)).Start(sys), group.NewRegistry[any, any]().Start(sys),
				group.NewAskPoolOf(group.RoundRobin[int](), 2, question,
					group.MemberSpec[oracle]{Type: oracleType}).Start(sys)}}
			w.Close = func() error {
				_, _ = got.Ask(context.Background(), to, struct{}{})
				sys.Stop()
				return late
			}
			w.Inside = func(f func()) {
				done := make(chan struct{})
				do.Send(sys, to, func(_ *sink, c *actor.Context) {
					defer close(done)
					w.Args = append(w.Args, c)
					f()
				})
				<-done
			}
			w.Args = append(w.Args, sys) // behind the handlers and the Context
			return w
		},
	}
	t.Logf("%d calls", table.Run(t))
}

// unheard is a Handler that cannot be compared.
type unheard struct{ heard []int }

func (unheard) Send(actor.Sender, int)          {}
func (unheard) TrySend(actor.Sender, int) error { return nil }

// endless is a context that ends with a nil pointer.
type endless struct{ context.Context }
