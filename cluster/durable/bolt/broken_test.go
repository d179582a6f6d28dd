package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/gallop-go/gallop/cluster/durable"
)

// After a transaction that could not be written, the content of the disk is unknown: nothing is
// read from the file or appended to it before it was opened again.
func TestWriteThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	ctx := context.Background()
	whole, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Append(ctx, "k", 0, []byte("one")); err != nil {
		t.Fatal(err)
	}
	_ = whole.Close()

	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		NoFreelistSync: true,
		OpenFile:       func(name string, _ int, _ os.FileMode) (*os.File, error) { return os.Open(name) }, // writes fail
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{db: db}
	defer s.Close()
	if l, err := s.Load(ctx, "k"); l.Last != 1 || err != nil {
		t.Fatalf("%+v, %v", l, err)
	}
	check := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, durable.ErrUnknown) || errors.Is(err, durable.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("append", s.Append(ctx, "k", 1, []byte("two")))
	check("another append", s.Append(ctx, "k", 1, []byte("two")))
	check("snapshot", s.Snapshot(ctx, "k", durable.Snapshot{Seq: 1}))
	_, err = s.Load(ctx, "k")
	check("load", err)
}

// A panic of bbolt in a transaction reaches each caller of write as durable.ErrUnknown.
func TestTransactionThatPanics(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.write(context.Background(), "k", func(*bbolt.Tx) error { panic("page 7: already freed") })
	if !errors.Is(err, durable.ErrUnknown) {
		t.Error(err)
	}
}
