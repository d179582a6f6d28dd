// Package misuse is rule GV5: calls of gallop that panic, or fail, whenever they run.
package misuse

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV5",
	Title: "report calls of gallop that panic whenever they run",
	Doc: `A behaviour that waits for its own system waits for itself; a behaviour without a method
makes every spawn of its type panic; a message to a zero Ref has no receiver. gallop panics in
such cases, at the call. This rule finds them before the program runs.`,
	Run: run,
}

// checker looks at one package.
type checker struct {
	*rule.Pass
	types map[ssa.Value]ssa.Value // the actor type of each behaviour, by identity
}

func run(p *rule.Pass) {
	c := &checker{Pass: p, types: map[ssa.Value]ssa.Value{}}
	c.findTypes()
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			if call.API != nil {
				c.arguments(call)
				c.options(call)
				c.receiver(call)
				c.arena(call)
				c.waits(fn, call)
				c.own(fn, call)
				c.process(fn, call)
			} else {
				c.waitsBy(fn, call)
			}
		}
		c.once(fn)
		c.order(fn)
		c.tables(fn)
		c.workers(fn)
	}
	c.missing()
}

// reportf reports a call. In test files such a call is what the test is about, or the test fails
// at once, so nothing is reported there.
func (c *checker) reportf(call *flow.Call, format string, args ...any) {
	if !c.InTest(c.At(call)) {
		c.Reportf(c.At(call), format, args...)
	}
}

// atVar reports a package-level variable.
func (c *checker) atVar(g *ssa.Global, format string, args ...any) {
	if !c.InTest(g.Pos()) {
		c.Reportf(g.Pos(), format, args...)
	}
}
