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

// New is a constructor.
func New(names []string) *Config {
	c := &Config{Names: names}
	c.Names = append(c.Names, "more")
	c.Names[0] = "first"
	return c
}

func (c *Config) rename() {
	c.Names[0] = "x" // want `a write to a Config, which is marked as immutable`
}

func (p *Pool) set() { p.all["x"] = 1 }
