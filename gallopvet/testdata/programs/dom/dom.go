// Package dom is a domain package of a user: it knows nothing of gallop.
package dom

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// Stock counts goods.
type Stock struct{ n map[string]int }

// NewStock returns an empty stock.
func NewStock() *Stock { return &Stock{n: map[string]int{}} }

// Add adds.
func (s *Stock) Add(name string, n int) { s.n[name] += n }

// Of says how many there are.
func (s *Stock) Of(name string) int { return s.n[name] }

// All returns the map itself.
func (s *Stock) All() map[string]int { return s.n }

// Copy returns a copy of the map.
func (s *Stock) Copy() map[string]int { return maps.Clone(s.n) }

// Clone returns a copy of the stock.
func (s *Stock) Clone() *Stock { return &Stock{n: maps.Clone(s.n)} }

// Reset begins anew.
func (s *Stock) Reset() { s.n = map[string]int{} }

// Fill writes to m.
func Fill(m map[string]int, n int) { m["filled"] = n }

// Total reads m.
func Total(m map[string]int) (t int) {
	for _, n := range m {
		t += n
	}
	return t
}

// Node is part of a tree.
type Node struct {
	Name string
	N    int
	Kids []*Node
}

// Deep returns a copy of the whole tree.
func (n *Node) Deep() *Node {
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = k.Deep()
	}
	return &c
}

// Shallow returns a copy of the root.
func (n *Node) Shallow() *Node {
	c := *n
	c.Kids = slices.Clone(n.Kids)
	return &c
}

// Walk calls f with each node.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, k := range n.Kids {
		k.Walk(f)
	}
}

// Cache has a lock of its own.
type Cache struct {
	mu sync.Mutex
	m  map[string]int
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{m: map[string]int{}} }

// Put writes under the lock.
func (c *Cache) Put(k string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = n
}

// Get reads under the lock.
func (c *Cache) Get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

// Encoder writes into a buffer of its own.
type Encoder struct{ buf bytes.Buffer }

// Encode returns bytes that are valid until the next call.
func (e *Encoder) Encode(s string) []byte {
	e.buf.Reset()
	e.buf.WriteString(s)
	return e.buf.Bytes()
}

// Fresh returns bytes of the caller's own.
func (e *Encoder) Fresh(s string) []byte { return []byte(s) }

// Go runs f beside the caller.
func Go(f func()) { go f() }

// Do runs f.
func Do(f func()) { f() }

// Both runs f and g at the same time and waits for both.
func Both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

var (
	calls   int
	mu      sync.Mutex
	tallied int
)

// Count counts its calls.
func Count() int {
	calls++
	return calls
}

// Tally counts its calls under a lock.
func Tally() int {
	mu.Lock()
	defer mu.Unlock()
	tallied++
	return tallied
}
