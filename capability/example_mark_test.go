package capability_test

import (
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/capability"
)

// A Config is made by load, and not changed afterwards.
type Config struct{ limits map[string]int }

type _ = capability.Immutable[*Config]

func load() *Config { return &Config{map[string]int{"carts": 100}} }

// Limit only reads, so any number of actors may call it at the same time.
func (c *Config) Limit(of string) int { return c.limits[of] }

// A package marks a type that it never changes: its pointers may then be sent as they are.
func ExampleImmutable() {
	fmt.Println(load().Limit("carts"))
	// Output: 100
}

// Hits may be used by several actors at a time: it has a lock.
type Hits struct {
	mu sync.Mutex
	n  int
}

type _ = capability.Shared[*Hits]

// Add counts one more.
func (h *Hits) Add() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	return h.n
}

// A package marks a type with a lock of its own: its pointers may then be sent as they are.
func ExampleShared() {
	hits := new(Hits)
	hits.Add()
	fmt.Println(hits.Add())
	// Output: 2
}
