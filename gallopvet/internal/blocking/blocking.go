// Package blocking is rule GV6: behaviours that wait and do not say so.
package blocking

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV6",
	Title: "report behaviours and processes that wait outside of Blocking",
	Doc: `A behaviour that waits, for time, goroutines, the network or a database, keeps its worker
from other actors until the runtime notices. Context.Blocking says so at once, Pipe waits in a
goroutine, After is a message. A process waits by package process, or in Proc.Blocking.`,
	Run: run,
}

// deepest is how many calls there may be between a behaviour and a waiting function.
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
			if p.InProcess(fn) {
				c.channel(fn, instr)
			} else {
				c.receive(fn, instr)
			}
		}
	}
}

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

func (c *checker) call(fn *ssa.Function, call *flow.Call) {
	_, now := call.Instr.(*ssa.Call)
	if !now || call.Fn == nil || c.InTest(call.Pos()) {
		return
	}
	if c.InProcess(fn) && (call.API != nil || unlock[call.Fn.FullName()] != "") {
		c.inProcess(fn, call)
		return
	}
	if call.API != nil {
		return
	}
	name := flow.Blocks(call, c.Strict)
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
		Message: text + c.in(fn) + ", and keeps its worker: " + instead(name, c.InProcess(fn)),
		Fixes:   c.wrap(fn, c.Expr(call)),
	})
}

// foreign returns the function by which a function of another package waits, or "". One that is
// given a Context is judged where it is.
func (c *checker) foreign(call *flow.Call) string {
	if call.Fn == nil || call.Fn.Pkg() == nil || call.Fn.Pkg() == c.Pkg {
		return ""
	}
	for _, arg := range call.Instr.Common().Args {
		if isContext(arg) || flow.IsParty(flow.Plain(arg).Type()) {
			return ""
		}
	}
	return c.SummaryOf(call).Blocks
}

func (c *checker) forEver(fn *ssa.Function, instr ssa.Instruction) {
	s, ok := instr.(*ssa.Select)
	if ok && s.Blocking && len(s.States) == 0 && !c.InTest(s.Pos()) {
		c.Reportf(s.Pos(), "select without cases waits for ever%s", c.in(fn))
	}
}

func (c *checker) in(fn *ssa.Function) string {
	if c.InProcess(fn) {
		return " in a process" + c.How(fn)
	}
	return " in a behaviour" + c.How(fn)
}

func clean(name string) string {
	return strings.NewReplacer("(*", "", "(", "", ")", "").Replace(name)
}

func instead(name string, process bool) string {
	switch {
	case process && inOtherWords[name] != "":
		return "use " + inOtherWords[name] + ", or wrap it in Proc.Blocking"
	case process:
		return "wrap it in Proc.Blocking"
	case name == "time.Sleep":
		return "use After, or wrap it in Context.Blocking"
	}
	return "wrap it in Context.Blocking, or use Pipe"
}

// receive reports a receive, or a select, in a behaviour that waits for time, for the end of a context,
// or for a goroutine.
func (c *checker) receive(fn *ssa.Function, instr ssa.Instruction) {
	why := ""
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			why = c.waitsFor(fn, i.X)
		}
	case *ssa.Select:
		for n, st := range i.States {
			if one := c.waitsFor(fn, st.Chan); i.Blocking && st.Dir == types.RecvOnly && (n == 0 || why != "") {
				why = one
			} else {
				why = ""
				break
			}
		}
	}
	if why == "" || !instr.Pos().IsValid() || c.InTest(instr.Pos()) {
		return
	}
	c.Report(rule.Finding{
		Pos: instr.Pos(),
		Message: "a receive waits" + c.in(fn) + " " + why + ", and keeps its worker: " +
			"wrap it in Context.Blocking, or use After or Pipe",
		Fixes: c.wrapAt(fn, instr.Pos()),
	})
}

// waitsFor returns the object of a receive from a channel, if it is known to take long.
func (c *checker) waitsFor(fn *ssa.Function, ch ssa.Value) string {
	switch flow.MadeBy(ch).FullName() {
	case "(context.Context).Done":
		return "for the end of a context"
	case "time.After", "time.Tick":
		return "for time"
	}
	if at := flow.FieldOf(ch); at != nil && flow.FieldName(at) == "C" {
		switch at.X.Type().String() {
		case "*time.Timer", "*time.Ticker":
			return "for time"
		}
	}
	if c.unbuffered(ch) && !closed(fn, ch) {
		return "for another goroutine"
	}
	return ""
}

func closed(fn *ssa.Function, ch ssa.Value) bool {
	for i := range flow.Instructions(fn) {
		if call, ok := i.(*ssa.Call); ok {
			b, ok := call.Call.Value.(*ssa.Builtin)
			if ok && b.Name() == "close" && types.Identical(call.Call.Args[0].Type(), ch.Type()) {
				return true
			}
		}
	}
	return false
}
