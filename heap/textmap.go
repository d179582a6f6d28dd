package heap

import (
	"hash/maphash"
	"iter"
)

// TextMap is a [Map] whose keys are texts, which are compared by their contents. The
// zero value is an empty map, ready to use.
type TextMap[V any] struct{ t Ptr[table[String, V]] }

// Len returns the number of keys. Owner only.
func (m TextMap[V]) Len(a *Arena) int {
	if m.t.IsZero() {
		return 0
	}
	return m.t.Deref(a).live
}

// Get returns the value of a key, and whether the key is there. Owner only.
func (m TextMap[V]) Get(a *Arena, key string) (v V, ok bool) {
	if p := m.At(a, key); p != nil {
		return *p, true
	}
	return v, false
}

// At is like [Map.At]. Owner only.
func (m TextMap[V]) At(a *Arena, key string) *V {
	if m.t.IsZero() {
		return nil
	}
	if e := m.find(a, hashText(key), key); e != nil {
		return &e.value
	}
	return nil
}

// Put sets the value of a key. A new key is copied into the arena. Put panics as
// [Map.Put] does. Owner only.
func (m *TextMap[V]) Put(a *Arena, key string, v V) {
	h := hashText(key)
	if m.t.IsZero() {
		p := New[table[String, V]](a)
		p.Deref(a).add(a, h, NewString(a, key), v)
		m.t = p // not before: without room for the key, the map stays zero
		return
	}
	if e := m.find(a, h, key); e != nil {
		e.value = v
		return
	}
	m.t.Deref(a).add(a, h, NewString(a, key), v)
}

// Delete removes a key and reports whether it was there. Owner only.
func (m TextMap[V]) Delete(a *Arena, key string) bool {
	return !m.t.IsZero() && m.t.Deref(a).remove(m.find(a, hashText(key), key))
}

// All is like [Map.All]. The keys are valid until the behaviour returns. Owner only.
func (m TextMap[V]) All(a *Arena) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if !m.t.IsZero() {
			m.t.Deref(a).visit(a, sameText, func(key String, v V) bool { return yield(key.Deref(a), v) })
		}
	}
}

// find returns the entry of a key, of a map that is not zero.
func (m TextMap[V]) find(a *Arena, hash uint32, key string) *entry[String, V] {
	return m.t.Deref(a).find(a, hash, String{}, func(a *Arena, have,
		_ String) bool {
		return have.Deref(a) == key
	})
}

func sameText(a *Arena, x, y String) bool { return x.Deref(a) == y.Deref(a) }

func hashText(key string) uint32 { return uint32(maphash.String(mapSeed, key) >> 32) }
