package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

var (
	// ErrFenced says that a record was refused because the log has another writer: an activation of
	// the same key has appended since this one has read the log. Nothing of the command was kept. A
	// [Store] returns it, also wrapped, if the last record differs from the caller's.
	ErrFenced = errors.New("gallop: durable: the log has another writer")
	// ErrRefused says that the store has refused a record for another reason, such as a full disk
	// or a size. Nothing of the command was kept. A [Store] returns it, also wrapped, only if the
	// record is not stored and never will be.
	ErrRefused = errors.New("gallop: durable: the store has refused the record")
	// ErrUnknown says that nobody knows whether a record was stored: the store failed, and reading
	// the log again and appending once more have not helped. The command may have been kept or
	// not. Repeat it with the same id: see [WithCommandID].
	ErrUnknown = errors.New("gallop: durable: it is unknown whether the record was stored")
	// ErrStoreRegressed says that a log is shorter than the acknowledged one, or ends before its
	// snapshot. No actor starts on such a log.
	ErrStoreRegressed = errors.New("gallop: durable: the store has lost records")
	// ErrUnknownEvent says that a log has an event that the type does not declare, by its name or
	// its version. No actor starts on such a log.
	ErrUnknownEvent = errors.New("gallop: durable: unknown event")
	// ErrCorrupt says that a record or a snapshot differs from the written one. No actor starts on
	// such a log.
	ErrCorrupt = errors.New("gallop: durable: corrupt")
)

// Store keeps a log of records, and at most one snapshot, for each key. Package durable has a store
// in memory, [Memory], and package bolt a store in a file.
//
// Its methods are called in goroutines that run no behaviours, and may block. Each key has one
// caller at a time, and there are many keys. A Store must be comparable, as pointers are. It may
// read its arguments only until it returns, and its callers do not change its results.
type Store interface {
	// Load returns the log of key. An empty log is no error.
	Load(ctx context.Context, key string) (Log, error)
	// Append appends a record if the number of the last one is after. It returns nil when the
	// record will survive a crash; ErrFenced if the last record has another number; ErrRefused if
	// the record is not stored for another reason, and never will be. Any other error means that
	// the record may be stored, now or later.
	Append(ctx context.Context, key string, after uint64, record []byte) error
	// Snapshot replaces the snapshot of key by s, unless that has a newer one.
	Snapshot(ctx context.Context, key string, s Snapshot) error
}

// Log is the content of a [Store] under a key.
type Log struct {
	// Last is the number of the last record, from 1 on; 0 if there is none.
	Last uint64
	// Snapshot is the newest snapshot; zero if there is none.
	Snapshot Snapshot
	// Records are those after Snapshot.Seq, in order.
	Records [][]byte
}

// Snapshot is the state after a record.
type Snapshot struct {
	// Seq is the number of that record.
	Seq uint64
	// Data is the state, encoded.
	Data []byte
	// Trim says that the records before that record may be deleted; the record itself stays.
	Trim bool
}

// Memory is a [Store] in memory, for tests and for states that need not outlive the process.
// Use [NewMemory].
type Memory struct {
	mu   sync.Mutex
	logs map[string]*memoryLog
}

type memoryLog struct {
	first    uint64 // number of records[0]
	records  [][]byte
	snapshot Snapshot
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{logs: map[string]*memoryLog{}} }

func (l *memoryLog) last() uint64 { return l.first + uint64(len(l.records)) - 1 }

// of returns the log of key, which it may have to make.
func (m *Memory) of(key string) *memoryLog {
	l := m.logs[key]
	if l == nil {
		l = &memoryLog{first: 1}
		m.logs[key] = l
	}
	return l
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, key string) (Log, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[key]
	if l == nil {
		return Log{}, nil
	}
	return Log{Last: l.last(), Snapshot: l.snapshot, Records: l.after(l.snapshot.Seq)}, nil
}

// after returns the records after the record with number seq.
func (l *memoryLog) after(seq uint64) [][]byte {
	seq = max(seq, l.first-1)
	if seq >= l.last() {
		return nil
	}
	return slices.Clone(l.records[seq+1-l.first:])
}

// Append implements [Store].
func (m *Memory) Append(_ context.Context, key string, after uint64, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.of(key)
	if l.last() != after {
		return fmt.Errorf("%w: its last record is %d, not %d", ErrFenced, l.last(), after)
	}
	l.records = append(l.records, slices.Clone(record))
	return nil
}

// Snapshot implements [Store].
func (m *Memory) Snapshot(_ context.Context, key string, s Snapshot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.of(key)
	if s.Seq <= l.snapshot.Seq {
		return nil
	}
	s.Data = slices.Clone(s.Data)
	l.snapshot = s
	if s.Trim && s.Seq > l.first && s.Seq <= l.last() {
		l.records = slices.Clone(l.records[s.Seq-l.first:])
		l.first = s.Seq
	}
	return nil
}

// Records returns the records of key after number after, for [Decode], also if there is a snapshot.
// Records that a snapshot has trimmed are missing.
func (m *Memory) Records(_ context.Context, key string, after uint64) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.logs[key]; l != nil {
		return l.after(after), nil
	}
	return nil, nil
}

// Keys returns the keys that begin with prefix and have a record, in order. A key is the name of a
// type, a slash, and the key given to [On].
func (m *Memory) Keys(_ context.Context, prefix string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var keys []string
	for key, l := range m.logs {
		if strings.HasPrefix(key, prefix) && l.last() > 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
