package durable_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/bolt"
)

// Turns a second with 64 callers at a time, of one actor and of 64.
func BenchmarkTurns(b *testing.B) {
	file := func(b *testing.B) durable.Store {
		store, err := bolt.Open(filepath.Join(b.TempDir(), "log"))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = store.Close() })
		return store
	}
	memory := func(*testing.B) durable.Store { return durable.NewMemory() }
	b.Run("file/one actor", func(b *testing.B) { turns(b, file(b), 1, "") })
	b.Run("file/64 actors", func(b *testing.B) { turns(b, file(b), 64, "") })
	b.Run("file/one actor, ids", func(b *testing.B) { turns(b, file(b), 1, "c") })
	b.Run("memory/one actor", func(b *testing.B) { turns(b, memory(b), 1, "") })
}

func turns(b *testing.B, store durable.Store, actors int, id string) {
	const askers = 64
	sys := actor.Start()
	defer sys.Stop()
	refs := make([]actor.Ref[Account], actors)
	for i := range refs {
		refs[i] = accounts.Spawn(sys, account(store, string(rune('a'+i))))
		if _, err := read.Ask(context.Background(), refs[i], struct{}{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	var n atomic.Int64
	var all sync.WaitGroup
	for i := range askers {
		all.Go(func() {
			for {
				k := n.Add(1)
				if k > int64(b.N) {
					return
				}
				ctx := context.Background()
				if id != "" {
					ctx = durable.WithCommandID(ctx, id+strconv.FormatInt(k, 36))
				}
				if _, err := deposit.Ask(ctx, refs[i%actors], 1); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}
