package group_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// worker writes down its messages.
type worker struct{ done *[]string }

var (
	workerType = actor.NewType[worker]("worker", actor.WithBatch(2))
	work       = actor.Declare[int](workerType, "work")
	_          = workerType.Table(work.Handle(func(w *worker, c *actor.Context, n int) {
		*w.done = append(*w.done, fmt.Sprint(c.ActorID(), ":", n))
	}))
)

// TestRepeat: a seed gives the same shares of a pool's work and the same order of a
// topic's, while members come and go.
func TestRepeat(t *testing.T) {
	for name, policy := range map[string]func() group.Policy[int]{
		"round-robin":  group.RoundRobin[int],
		"least-loaded": group.LeastLoaded[int],
		"hash": func() group.Policy[int] {
			return group.Hash(func(n int) uint64 { return uint64(n) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			orders, err := sim.Repeats(func(h *sim.Hooks, seed uint64) string {
				sys := actor.Start(kernel.OptionFunc(func(o *kernel.Options) { o.Hooks = h }),
					actor.WithDeterministic(seed))
				var done []string
				pool, news := group.NewPool(policy()).Start(sys), group.NewTopic[int]().Start(sys)
				for range 3 {
					w := work.To(workerType.Spawn(sys, worker{&done}))
					pool.Join(sys, w)
					news.Subscribe(sys, w)
				}
				for i := range 30 {
					pool.Send(sys, i)
					news.Publish(sys, 100+i)
					if i == 10 {
						news.Unsubscribe(sys, work.To(workerType.Spawn(sys, worker{&done})))
					}
				}
				if err := sys.Wait(context.Background()); err != nil {
					t.Fatal(err)
				}
				n, err := news.Len(context.Background())
				sys.Stop()
				return fmt.Sprint(done, n, err)
			})
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d seeds twice, %d orders", sim.Seeds(), orders)
		})
	}
}
