package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/cluster/durable"
	"github.com/gallop-go/gallop/cluster/durable/bolt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	dir, err := os.MkdirTemp("", "bolt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := bolt.Open(filepath.Join(dir, "carts.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	// carts.Spawn(sys, Cart{Actor: durable.On(store, "ada")})
	keys, err := store.Keys(context.Background(), "")
	fmt.Println(len(keys), err)
	// Output: 0 <nil>
}

func opened(t *testing.T) (*bolt.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	s, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, path
}

// The file behaves like the store in memory, also after it was opened again.
func TestFileIsAStore(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		file, err := bolt.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		memory := durable.NewMemory()
		ctx := context.Background()
		keys := rapid.SampledFrom([]string{"a", "b", "a\x00", "ab", strings.Repeat("k", 300), "\xff\xff"})
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				key, record := keys.Draw(t, "key"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "record")
				l, _ := memory.Load(ctx, key)
				after := l.Last
				if rapid.IntRange(0, 4).Draw(t, "stale") == 0 {
					after = rapid.Uint64Range(0, 9).Draw(t, "after")
				}
				a, b := memory.Append(ctx, key, after, record), file.Append(ctx, key, after, record)
				if (a == nil) != (b == nil) || errors.Is(a, durable.ErrFenced) != errors.Is(b, durable.ErrFenced) {
					t.Fatalf("after %d: %v, %v", after, a, b)
				}
			},
			"snapshot": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				l, _ := memory.Load(ctx, key)
				if l.Last == 0 {
					return
				}
				s := durable.Snapshot{Seq: rapid.Uint64Range(1, l.Last).Draw(t, "seq"), Data: []byte(fmt.Sprint(l.Last)), Trim: rapid.Bool().Draw(t, "trim")}
				if a, b := memory.Snapshot(ctx, key, s), file.Snapshot(ctx, key, s); a != nil || b != nil {
					t.Fatalf("%v, %v", a, b)
				}
			},
			"reopen": func(t *rapid.T) {
				if err := file.Close(); err != nil {
					t.Fatal(err)
				}
				if file, err = bolt.Open(path); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				a, _ := memory.Load(ctx, key)
				b, err := file.Load(ctx, key)
				if err != nil || a.Last != b.Last || a.Snapshot.Seq != b.Snapshot.Seq ||
					!bytes.Equal(a.Snapshot.Data, b.Snapshot.Data) || !slices.EqualFunc(a.Records, b.Records, bytes.Equal) {
					t.Fatalf("%q: %+v, %+v, %v", key, a, b, err)
				}
				x, _ := memory.Records(ctx, key, 1)
				y, err := file.Records(ctx, key, 1)
				if err != nil || !slices.EqualFunc(x, y, bytes.Equal) {
					t.Fatalf("%q: %q, %q, %v", key, x, y, err)
				}
				prefix := rapid.SampledFrom([]string{"", "a", "k"}).Draw(t, "prefix")
				ka, _ := memory.Keys(ctx, prefix)
				kb, err := file.Keys(ctx, prefix)
				slices.Sort(kb)
				if err != nil || !slices.Equal(ka, kb) {
					t.Fatalf("%q, %q, %v", ka, kb, err)
				}
			},
		})
	})
}

// Appends that come together share transactions; each has its own outcome.
func TestAppendsShareATransaction(t *testing.T) {
	s, _ := opened(t)
	ctx := context.Background()
	var all sync.WaitGroup
	for key := range 8 {
		for range 2 { // of each key two: one is refused
			all.Go(func() {
				for n := range uint64(20) {
					for {
						err := s.Append(ctx, fmt.Sprint(key), n, []byte{1})
						if l, failed := s.Load(ctx, fmt.Sprint(key)); failed != nil || l.Last <= n {
							t.Errorf("%v, %v", err, failed)
						}
						if err == nil || errors.Is(err, durable.ErrFenced) {
							break
						}
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for key := range 8 {
		if l, err := s.Load(ctx, fmt.Sprint(key)); l.Last != 20 || err != nil {
			t.Errorf("key %d: %d records, %v", key, l.Last, err)
		}
	}
}

// Impossible writes are refused with a reason: keys that are too long, records for a closed store,
// appends of an actor that has ended.
func TestRefusals(t *testing.T) {
	s, path := opened(t)
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Append(ctx, strings.Repeat("k", 5000), 0, nil); !errors.Is(err, durable.ErrRefused) {
		t.Errorf("long key: %v", err)
	}
	if _, err := bolt.Open(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("opened twice: %v", err)
	}
	if _, err := bolt.Open(filepath.Join(path, "no", "such")); err == nil {
		t.Error("no such directory is no error")
	}
	cancel()
	if err := s.Append(ctx, "k", 0, nil); !errors.Is(err, durable.ErrRefused) || !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	_ = s.Close()
	if err := s.Append(context.Background(), "k", 0, nil); !errors.Is(err, durable.ErrRefused) {
		t.Errorf("closed: %v", err)
	}
	if _, err := s.Load(context.Background(), "k"); err == nil {
		t.Error("closed, and loads")
	}
}
