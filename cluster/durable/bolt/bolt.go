// Package bolt is a store of package durable in one file, by bbolt: for one process on one
// machine.
//
// # What
//
// [Open] opens or makes the file. Each append and each snapshot is on the disk (fsync) before it is
// acknowledged. Calls during the write of a transaction share the next one, so that many actors pay
// for one fsync together.
//
// # Guarantees
//
// Acknowledged records survive a crash of the process and, as far as disk and file system keep
// their word, of the machine. Only one process has the file open at a time. If a transaction cannot
// be written, for example on a full disk, the content of the disk is unknown. Then the store is
// broken, and every call fails until it is opened again.
//
// # Costs
//
// A transaction is two fsyncs and some pages of 4 KiB. The file grows, and its pages are used again
// after a trim (durable.WithTrim), but it does not shrink. [Open] reads all of the file once, to
// find free pages.
//
// This package has no compatibility promise: each version may change it.
package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/gallop-go/gallop/cluster/durable"
)

// maxKey is how long a key may be, in bytes.
const maxKey = 4096

// wait is how long Open waits for another process that has the file.
const wait = time.Second

var (
	records   = []byte("records")   // key with its length, number → record
	snapshots = []byte("snapshots") // key → number, data
)

// Store is a durable.Store in a file. Use [Open].
type Store struct {
	db *bbolt.DB

	mu     sync.Mutex
	queue  []*write // for the next transaction
	busy   bool     // somebody leads
	broken error
}

// write is a part of a transaction. Its goroutine waits for its turn to lead or to be done.
type write struct {
	do    func(*bbolt.Tx) error // an error means that it has changed nothing
	err   error
	ready chan bool // true: lead
}

// Open opens the file, or makes it, with its parent directory in place. The error says so if
// another process has it open.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: wait, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if errors.Is(err, bbolt.ErrTimeout) {
		err = errors.New("another process has it open")
	}
	if err != nil {
		return nil, fmt.Errorf("gallop: bolt: open %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{records, snapshots} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("gallop: bolt: open %s: %w", path, err)
	}
	syncDir(filepath.Dir(path))
	return &Store{db: db}, nil
}

// syncDir makes the name of a new file survive a crash of the machine, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// Close closes the file when the running transaction has been written. Later calls are refused.
func (s *Store) Close() error { return s.db.Close() }

// Load implements durable.Store.
func (s *Store) Load(_ context.Context, key string) (l durable.Log, err error) {
	err = s.view(key, func(tx *bbolt.Tx) {
		c := tx.Bucket(records).Cursor()
		l.Last = last(c, key)
		if b := tx.Bucket(snapshots).Get([]byte(key)); len(b) >= 8 {
			l.Snapshot = durable.Snapshot{Seq: binary.BigEndian.Uint64(b), Data: bytes.Clone(b[8:])}
		}
		l.Records = after(c, key, l.Snapshot.Seq)
	})
	return l, err
}

// Records returns the records of key after number seq, for durable.Decode, also if there is a
// snapshot. Records that a snapshot has trimmed are missing.
func (s *Store) Records(_ context.Context, key string, seq uint64) (all [][]byte, err error) {
	err = s.view(key, func(tx *bbolt.Tx) { all = after(tx.Bucket(records).Cursor(), key, seq) })
	return all, err
}

// Keys returns the keys that begin with prefix and have a record, shorter keys first. A key of
// package durable is the name of a type, a slash, and the key given to durable.On. With Keys a
// program finds, at its start, the actors that may have reminders.
func (s *Store) Keys(_ context.Context, prefix string) (keys []string, err error) {
	err = s.view(prefix, func(tx *bbolt.Tx) {
		c := tx.Bucket(records).Cursor()
		for k, _ := c.First(); len(k) > 0; {
			key := string(k[2 : len(k)-8])
			if len(key) >= len(prefix) && key[:len(prefix)] == prefix {
				keys = append(keys, key)
			}
			if k, _ = c.Seek(place(key, ^uint64(0))); bytes.Equal(k, place(key, ^uint64(0))) {
				k, _ = c.Next()
			}
		}
	})
	return keys, err
}

func (s *Store) view(key string, f func(*bbolt.Tx)) error {
	if err := s.usable(key); err != nil {
		return err
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		f(tx)
		return nil
	})
	if err != nil {
		return fmt.Errorf("gallop: bolt: %w", err)
	}
	return nil
}

// Append implements durable.Store.
func (s *Store) Append(ctx context.Context, key string, after uint64, record []byte) error {
	return s.write(ctx, key, func(tx *bbolt.Tx) error {
		b := tx.Bucket(records)
		if n := last(b.Cursor(), key); n != after {
			return fmt.Errorf("%w: its last record is %d, not %d", durable.ErrFenced, n, after)
		}
		return refused(b.Put(place(key, after+1), record))
	})
}

// Snapshot implements durable.Store.
func (s *Store) Snapshot(ctx context.Context, key string, snap durable.Snapshot) error {
	return s.write(ctx, key, func(tx *bbolt.Tx) error {
		b := tx.Bucket(snapshots)
		if old := b.Get([]byte(key)); len(old) >= 8 && binary.BigEndian.Uint64(old) >= snap.Seq {
			return nil
		}
		data := append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(snap.Data)), snap.Seq), snap.Data...)
		if err := b.Put([]byte(key), data); err != nil || !snap.Trim {
			return refused(err)
		}
		c := tx.Bucket(records).Cursor()
		end := place(key, snap.Seq)
		for k, _ := c.Seek(place(key, 0)); k != nil && bytes.Compare(k, end) < 0; k, _ = c.Next() {
			if err := c.Delete(); err != nil {
				return refused(err)
			}
		}
		return nil
	})
}

func refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", durable.ErrRefused, err)
}

// place is where a record is: records of a key are in order.
func place(key string, seq uint64) []byte {
	b := make([]byte, 0, 2+len(key)+8)
	b = binary.BigEndian.AppendUint16(b, uint16(len(key)))
	b = append(b, key...)
	return binary.BigEndian.AppendUint64(b, seq)
}

// last returns the number of the last record of key.
func last(c *bbolt.Cursor, key string) uint64 {
	end := place(key, ^uint64(0))
	k, _ := c.Seek(end)
	if k == nil {
		k, _ = c.Last()
	} else if !bytes.Equal(k, end) {
		k, _ = c.Prev()
	}
	if len(k) != len(end) || !bytes.Equal(k[:len(k)-8], end[:len(end)-8]) {
		return 0
	}
	return binary.BigEndian.Uint64(k[len(k)-8:])
}

// after returns copies of the records of key after number seq.
func after(c *bbolt.Cursor, key string, seq uint64) (all [][]byte) {
	from := place(key, seq+1)
	mine := from[:len(from)-8]
	for k, v := c.Seek(from); len(k) == len(from) && bytes.HasPrefix(k, mine); k, v = c.Next() {
		all = append(all, bytes.Clone(v))
	}
	return all
}

// ---- group commit -----------------------------------------------------------------

func (s *Store) usable(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if len(key) > maxKey {
		return fmt.Errorf("%w: a key of %d bytes, and %d are possible", durable.ErrRefused, len(key), maxKey)
	}
	return nil
}

// write runs f in a transaction together with others. The first goroutine leads: it writes the
// queue. Then the next waiting goroutine leads, so that each writes once.
func (s *Store) write(ctx context.Context, key string, f func(*bbolt.Tx) error) error {
	if err := s.usable(key); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return refused(context.Cause(ctx))
	}
	w := &write{do: f, ready: make(chan bool, 1)}
	s.mu.Lock()
	s.queue = append(s.queue, w)
	lead := !s.busy
	s.busy = true
	s.mu.Unlock()
	if !lead && !<-w.ready {
		return w.err
	}
	s.mu.Lock()
	all := s.queue
	s.queue = nil
	s.mu.Unlock()
	s.commit(all)
	s.mu.Lock()
	if s.busy = len(s.queue) > 0; s.busy {
		s.queue[0].ready <- true
	}
	s.mu.Unlock()
	for _, o := range all {
		if o != w {
			o.ready <- false
		}
	}
	return w.err
}

// commit runs all of them in one transaction. After a failed write, the disk may have them or not.
func (s *Store) commit(all []*write) {
	begun := false
	if err := s.usable(""); err != nil {
		for _, w := range all {
			w.err = err
		}
		return
	}
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return s.db.Update(func(tx *bbolt.Tx) error {
			begun = true
			for _, w := range all {
				w.err = w.do(tx)
			}
			return nil
		})
	}()
	if err == nil {
		return
	}
	if begun {
		err = fmt.Errorf("gallop: bolt: the file is to be opened again: %w: %w", durable.ErrUnknown, err)
		s.mu.Lock()
		s.broken = err
		s.mu.Unlock()
	} else {
		err = refused(err)
	}
	for _, w := range all {
		w.err = err
	}
}
