package heap

import (
	"fmt"
	"hash/maphash"
	"iter"
	"reflect"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Map is a hash table in an [Arena], for keys without handles in them: numbers, arrays,
// structs of these. For texts see [TextMap]. The zero value is an empty map, ready to
// use. Copies of a map that was not empty are the same map. Values are visited in the
// order in which they were put, on every run.
type Map[K comparable, V any] struct{ t Ptr[table[K, V]] }

// table has the contents of a map: entries in the order in which they were put, and an
// index by hash, at most half full.
type table[K comparable, V any] struct {
	entries Slice[entry[K, V]]
	index   Slice[uint32] // by hash: number of an entry plus 1; 0 if free
	used    int           // entries, deleted ones included
	live    int
}

type entry[K comparable, V any] struct {
	hash  uint32
	gone  bool
	key   K
	value V
}

// mapSeed prevents attacks by keys that collide. It has no influence on the
// order of a map.
var mapSeed = maphash.MakeSeed()

// Len returns the number of keys. Owner only.
func (m Map[K, V]) Len(a *Arena) int {
	if m.t.IsZero() {
		return 0
	}
	return m.t.Deref(a).live
}

// Get returns the value of a key, and whether the key is there. It costs 20 ns or so.
// Owner only.
func (m Map[K, V]) Get(a *Arena, key K) (v V, ok bool) {
	if p := m.At(a, key); p != nil {
		return *p, true
	}
	return v, false
}

// At returns a pointer to the value of a key, or nil if the key is not there. The
// pointer is valid until the next Put or the end of the behaviour. Owner only.
func (m Map[K, V]) At(a *Arena, key K) *V {
	if m.t.IsZero() {
		return nil
	}
	t := m.t.Deref(a)
	if e := t.find(a, hashOf(key), key, same[K]); e != nil {
		return &e.value
	}
	return nil
}

// Put sets the value of a key. It panics if there is a handle in K, or if K or V is not
// pointer-free. If the arena is full, it panics with an error that wraps
// [ErrArenaLimit], and leaves the map as it was. Owner only.
func (m *Map[K, V]) Put(a *Arena, key K, v V) {
	if m.t.IsZero() {
		m.firstPut(a, key, v)
		return
	}
	t, h := m.t.Deref(a), hashOf(key)
	if e := t.find(a, h, key, same[K]); e != nil {
		e.value = v
		return
	}
	t.add(a, h, key, v)
}

// firstPut is Put into a zero map. If there is no room, the map stays zero.
func (m *Map[K, V]) firstPut(a *Arena, key K, v V) {
	mustBeKey[K]()
	p := New[table[K, V]](a)
	p.Deref(a).add(a, hashOf(key), key, v)
	m.t = p
}

// Delete removes a key and reports whether it was there. Owner only.
func (m Map[K, V]) Delete(a *Arena, key K) bool {
	if m.t.IsZero() {
		return false
	}
	t := m.t.Deref(a)
	return t.remove(t.find(a, hashOf(key), key, same[K]))
}

// All visits the keys and values in the order in which they were put. Keys that are put
// meanwhile may be visited or not; keys that are deleted meanwhile are not. Owner only.
func (m Map[K, V]) All(a *Arena) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if !m.t.IsZero() {
			m.t.Deref(a).visit(a, same[K], yield)
		}
	}
}

func same[K comparable](_ *Arena, x, y K) bool { return x == y }

// hashOf returns the upper 32 bits of a hash. The index uses the lower ones of these.
func hashOf[K comparable](key K) uint32 { return uint32(maphash.Comparable(mapSeed, key) >> 32) }

// mustBeKey panics if there is a handle in K: collections change handles, and so their hash.
func mustBeKey[K comparable]() {
	if t := reflect.TypeFor[K](); holdsHandle(t) {
		panic(fmt.Sprintf("gallop: heap: the keys of a Map must not have handles in them, which "+
			"collections change: %v (use heap.TextMap for texts)", t))
	}
}

// find returns the entry of a key, nil if there is none.
func (t *table[K, V]) find(a *Arena, hash uint32, key K, equal func(*Arena, K, K) bool) *entry[K,
	V] {
	index := t.index.Deref(a)
	if len(index) == 0 {
		return nil
	}
	entries, mask := t.entries.Deref(a), uint32(len(index)-1)
	for i := hash; ; i++ {
		n := index[i&mask]
		if n == 0 {
			return nil
		}
		if e := &entries[n-1]; e.hash == hash && !e.gone && equal(a, e.key, key) {
			return e
		}
	}
}

// add puts a key that is not there.
func (t *table[K, V]) add(a *Arena, hash uint32, key K, v V) {
	if t.used == t.entries.Len() {
		t.rebuild(a)
	}
	t.entries.Deref(a)[t.used] = entry[K, V]{hash: hash, key: key, value: v}
	t.used++
	t.live++
	enter(t.index.Deref(a), hash, uint32(t.used))
	if invariant.On {
		verifyMap(t)
	}
}

// enter puts the number of an entry into the index.
func enter(index []uint32, hash, number uint32) {
	mask := uint32(len(index) - 1)
	i := hash
	for index[i&mask] != 0 {
		i++
	}
	index[i&mask] = number
}

// rebuild leaves the deleted entries out, and makes room for at least twice as many entries as are
// live.
func (t *table[K, V]) rebuild(a *Arena) {
	room := 4
	for room < 2*t.live {
		room *= 2
	}
	entries, index := MakeSlice[entry[K, V]](a, room), MakeSlice[uint32](a, 2*room)
	to, used := entries.Deref(a), 0
	for _, e := range t.entries.Deref(a)[:t.used] {
		if !e.gone {
			to[used] = e
			used++
			enter(index.Deref(a), e.hash, uint32(used))
		}
	}
	t.entries, t.index, t.used = entries, index, used
	if invariant.On {
		verifyMap(t)
	}
}

// remove marks an entry as gone, and clears it: its key and value keep nothing alive any more. It
// returns false if e is nil.
func (t *table[K, V]) remove(e *entry[K, V]) bool {
	if e == nil {
		return false
	}
	*e = entry[K, V]{hash: e.hash, gone: true}
	t.live--
	if invariant.On {
		verifyMap(t)
	}
	return true
}

// visit yields the entries of the table at the time of the call, with their present values, except
// for entries that are deleted meanwhile. The table may be rebuilt meanwhile.
func (t *table[K, V]) visit(a *Arena, equal func(*Arena, K, K) bool, yield func(K, V) bool) {
	began := t.entries
	entries := began.Deref(a)[:t.used]
	for i := range entries {
		e := &entries[i]
		if t.entries != began {
			e = t.now(a, e, equal)
		}
		if e != nil && !e.gone && !yield(e.key, e.value) {
			return
		}
	}
}

// now returns the present entry for e's key after the table was rebuilt, or nil if the key was
// deleted. An entry that is gone, or whose key does not equal itself, is returned as it was: a
// look-up would not find it.
func (t *table[K, V]) now(a *Arena, e *entry[K, V], equal func(*Arena, K, K) bool) *entry[K, V] {
	if e.gone || !equal(a, e.key, e.key) {
		return e
	}
	return t.find(a, e.hash, e.key, equal)
}
