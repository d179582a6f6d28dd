// Package processes has processes that GV3 must not report.
package processes

import (
	"github.com/gallop-go/gallop/capability"
	"github.com/gallop-go/gallop/process"
)

type doc struct{ words []string }

func processes(p *process.Proc, c *process.Chan[capability.Iso[doc]]) {
	i := capability.NewIso(func(d *doc) { d.words = []string{"a"} })
	c.Send(p, i.Move())
	i = capability.NewIso[doc](nil)
	if !c.TrySend(p, i) {
		i.Use(func(d *doc) { d.words = nil })
	}
	for j, ok := c.Recv(p); ok; j, ok = c.Recv(p) {
		j.Use(func(d *doc) { d.words = append(d.words, "b") })
		c.Send(p, j.Move())
	}
}
