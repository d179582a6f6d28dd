// Package marked marks types of its own.
package marked

import "github.com/gallop-go/gallop/capability"

// Config is never written to.
type Config struct{ Names []string }

// Pool has locks of its own.
type Pool struct{ all map[string]int }

// Plain is not marked.
type Plain struct{ all map[string]int }

type (
	_ = capability.Immutable[*Config]
	_ = capability.Shared[*Pool]
)

func (c *Config) rename() { c.Names[0] = "x" }
