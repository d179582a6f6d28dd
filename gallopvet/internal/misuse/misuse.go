// Package misuse is rule GV5: calls of gallop that panic, or wait for ever, whenever they run.
package misuse

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV5",
	Title: "report calls of gallop that panic whenever they run",
	Doc: `A behaviour that waits for its own system waits for itself; a message to a zero Ref has no
receiver. gallop panics in such cases, at the call. This rule finds them before the program runs.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			if call.API == nil {
				c.waitsBy(fn, call)
				continue
			}
			c.arguments(call)
			c.own(fn, call)
			c.waits(fn, call)
			c.sequels(fn, call)
		}
	}
}

// reportf reports a call. In test files such a call is what the test is about, or the test fails
// at once, so nothing is reported there.
func (c *checker) reportf(call *flow.Call, format string, args ...any) {
	if !c.InTest(c.At(call)) {
		c.Reportf(c.At(call), format, args...)
	}
}

// arguments reports arguments for which a function panics: nil, zero, empty, or out of range.
func (c *checker) arguments(call *flow.Call) {
	for _, n := range call.API.NonNil {
		if k, ok := flow.Plain(call.Arg(n)).(*ssa.Const); ok && k.IsNil() && !flow.Is[*types.Struct](k.Type()) {
			c.reportf(call, "%s is given a nil %s and panics", name(call), what(call, n))
		}
	}
	for _, n := range call.API.NonZero {
		if v := call.Arg(n); v != nil && flow.Is[*types.Struct](flow.Plain(v).Type()) && flow.IsZero(v) {
			c.reportf(call, "%s is given a zero %s and panics", name(call), what(call, n))
		}
	}
	for _, n := range call.API.NonEmpty {
		if s, ok := flow.ConstText(call.Arg(n)); ok && s == "" {
			c.reportf(call, "%s is given an empty name and panics", name(call))
		}
	}
	for _, b := range call.API.Least {
		if n, ok := flow.Int(call.Arg(b.Param)); ok && n < b.Value {
			c.reportf(call, "%s is given %d, wants at least %d, and panics", name(call), n, b.Value)
		}
	}
}

// name is what a function is called in reports: without the package.
func name(call *flow.Call) string {
	return call.API.Name[strings.IndexByte(call.API.Name, '.')+1:]
}

func what(call *flow.Call, param int) string {
	t := call.Arg(param).Type()
	switch t.Underlying().(type) {
	case *types.Signature:
		return "function"
	case *types.Chan:
		return "channel"
	}
	if n := api.TypeName(t); n != "" {
		return n[strings.IndexByte(n, '.')+1:]
	}
	return types.TypeString(t, (*types.Package).Name)
}

// own reports behaviours of another state where those of the running actor are wanted.
func (c *checker) own(fn *ssa.Function, call *flow.Call) {
	turn := c.turn(fn)
	if turn == nil || turn.State() == nil {
		return
	}
	state := turn.State().Type().Underlying().(*types.Pointer).Elem()
	if args := call.TypeArgs(); call.Is(api.Self) && len(args) == 1 && differ(args[0], state) {
		c.reportf(call, "Self wants the state of the running actor, which is %s and not %s, and panics",
			short(state), short(args[0]))
	}
	for _, n := range call.API.Own {
		b := call.Arg(n)
		if args := api.TypeArgs(b.Type()); len(args) > 0 && differ(args[0], state) && !flow.IsZero(b) {
			c.reportf(call, "%s wants a behaviour of the running actor, whose state is %s; this one "+
				"is for %s, and it panics", name(call), short(state), short(args[0]))
		}
	}
}

// turn returns the turn whose function fn is, or whose function fn is a literal of: what a turn
// calls, others may call too.
func (c *checker) turn(fn *ssa.Function) *flow.Turn {
	step := c.InTurn(fn)
	for step != nil && step.By != nil && fn.Parent() != nil {
		fn = fn.Parent()
		step = c.InTurn(fn)
	}
	if step == nil || step.By != nil {
		return nil
	}
	return step.Turn
}

func differ(a, b types.Type) bool {
	for _, t := range []types.Type{a, b} {
		if n, ok := types.Unalias(t).(*types.Named); flow.IsParam(t) || ok && n.TypeArgs().Len() > 0 {
			return false
		}
	}
	return !types.Identical(a, b)
}

func short(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }
