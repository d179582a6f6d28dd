// Package blocking is rule GV6: behaviours that wait and do not say so.
package blocking

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV6",
	Title: "report behaviours that wait outside of Context.Blocking",
	Doc: `A behaviour that waits, for time, goroutines, the network or a database, keeps its worker
from other actors until the runtime notices. Context.Blocking says so at once, Pipe waits in a
goroutine, After is a message. Functions that are only slow, such as os.ReadFile, are reported with
-strict. Test files are left aside unless -tests is given.`,
	Run: run,
}

// deepest is how many calls there may be between a behaviour and what waits.
const deepest = 3

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		if !c.inTurn(fn) {
			continue
		}
		for _, call := range p.Calls(fn) {
			c.call(fn, call)
		}
		for instr := range flow.Instructions(fn) {
			c.forEver(fn, instr)
		}
	}
}

// inTurn reports whether a function runs in a turn, and not in Context.Blocking.
func (c *checker) inTurn(fn *ssa.Function) bool {
	if c.Elsewhere(fn) {
		return false
	}
	step := c.InTurn(fn)
	if step == nil {
		return flow.ContextParam(fn) != nil
	}
	return !step.Blocking && step.Depth <= deepest && !c.Pinned(step.Turn)
}

// call reports a call that waits.
func (c *checker) call(fn *ssa.Function, call *flow.Call) {
	_, now := call.Instr.(*ssa.Call)
	if !now || call.API != nil || call.Fn == nil || c.InTest(c.At(call)) {
		return
	}
	name := flow.Blocks(call.Fn, c.Strict)
	by := ""
	if name == "" {
		name, by = c.foreign(call), call.Name()
	}
	if name == "" {
		return
	}
	text := clean(name) + " waits"
	if by != "" {
		text = by + " waits, in " + clean(name) + ","
	}
	c.Report(rule.Finding{
		Pos:     c.At(call),
		Message: text + " in a behaviour" + c.how(fn) + ", and keeps its worker: " + instead(name),
		Fixes:   c.wrap(fn, call),
	})
}

// foreign returns the function by which a function of another package waits, or "". One that is
// given a Context is judged where it is.
func (c *checker) foreign(call *flow.Call) string {
	if call.Fn == nil || call.Fn.Pkg() == nil || call.Fn.Pkg() == c.Pkg {
		return ""
	}
	for _, arg := range call.Instr.Common().Args {
		if isContext(arg) {
			return ""
		}
	}
	if s := c.SummaryOf(call); s != nil {
		return s.Blocks
	}
	return ""
}

// forEver reports a select without cases.
func (c *checker) forEver(fn *ssa.Function, instr ssa.Instruction) {
	s, ok := instr.(*ssa.Select)
	if ok && s.Blocking && len(s.States) == 0 && !c.InTest(s.Pos()) {
		c.Reportf(s.Pos(), "select without cases waits for ever in a behaviour%s", c.how(fn))
	}
}

// how says by which calls a behaviour comes to a function.
func (c *checker) how(fn *ssa.Function) string {
	step := c.InTurn(fn)
	if step == nil || step.By == nil {
		return ""
	}
	var names []string
	for s := step; s != nil && s.By != nil; s = c.InTurn(s.From) {
		if s.By.API == nil {
			names = append([]string{s.By.Name()}, names...)
		}
	}
	return " (" + strings.Join(append([]string{step.Turn.Name}, names...), " → ") + ")"
}

// clean takes the parentheses off the name of a method.
func clean(name string) string {
	return strings.NewReplacer("(*", "", "(", "", ")", "").Replace(name)
}

// instead says what to do.
func instead(name string) string {
	if name == "time.Sleep" {
		return "use After, or wrap it in Context.Blocking"
	}
	return "wrap it in Context.Blocking, or use Pipe"
}
