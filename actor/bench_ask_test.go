package actor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// BenchmarkAskMany measures asks of one actor by several goroutines at the same time, which do
// nothing else. They must not park at once, as callers do in a busy server
// (docs/decisions/0010-ask.md).
func BenchmarkAskMany(b *testing.B) {
	for _, callers := range []int{1, 2, 8, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			b.ReportAllocs()
			sys := actor.Start(actor.WithWorkers(2))
			defer sys.Stop()
			r := puppetType.Spawn(sys, puppet{})
			ask := func(n int) {
				for range n {
					if _, err := value.Ask(context.Background(), r, struct{}{}); err != nil {
						b.Error(err)
					}
				}
			}
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() { ask((b.N + i) / callers) })
			}
			all.Wait()
		})
	}
}
