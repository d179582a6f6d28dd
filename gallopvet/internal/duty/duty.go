// Package duty is rule GV7: what a function owes and does not do.
package duty

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV7",
	Title: "report replies, releases and refused messages that are forgotten",
	Doc: `The asker waits for a reply that was put off by Defer; a system waits for the release
that Hold has returned; a message that TrySend refuses is lost if its error is ignored. A process
that calls waits for a reply, and one that locks a Mutex for the Unlock of the one before. With
-strict, the stop function of FromChan and the Timer of Every must be kept, too, and what
Chan.TrySend returns looked at.`,
	Run: run,
}

type checker struct {
	*rule.Pass
	// statements are the calls that are statements.
	statements map[token.Pos]bool // by the position of the parenthesis
}

func run(p *rule.Pass) {
	c := &checker{Pass: p, statements: map[token.Pos]bool{}}
	c.findStatements()
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			if call.API != nil {
				c.call(call)
			}
		}
	}
}

// findStatements finds the calls whose results are not even assigned to a blank.
func (c *checker) findStatements() {
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if stmt, ok := n.(*ast.ExprStmt); ok {
				if call, ok := ast.Unparen(stmt.X).(*ast.CallExpr); ok {
					c.statements[call.Lparen] = true
				}
			}
			return true
		})
	}
}

func (c *checker) call(call *flow.Call) {
	v, ok := call.Instr.(*ssa.Call)
	if !ok || c.InTest(c.At(call)) {
		return
	}
	switch {
	case call.Is(api.DeferReply):
		c.kept(call, v, v, "the reply that Defer puts off is never given", "the reply that Defer puts "+
			"off is not given, and not kept, on every path", ": the asker waits for it")
	case call.Is(api.Hold):
		release := result(v, 0)
		c.kept(call, v, release, "the release of Hold is dropped", "the release of Hold is not called, "+
			"and not kept, on every path", ": the system waits for it")
	case call.Is(api.Ask) && c.statements[v.Call.Pos()]:
		c.Reportf(c.At(call), "what Ask returns is dropped: nothing sees the reply, or that there is "+
			"none. Wait for it, or send a message without an address for a reply")
	case call.Is(api.ChanTrySend):
		if c.Strict && c.statements[v.Call.Pos()] {
			c.tried(call)
		}
	case call.Is(api.Receive):
		c.dropped(call, v)
	case call.Is(api.Lock):
		c.locked(call)
	case call.Is(api.Call) || call.Is(api.Ask):
		c.unanswered(call)
	case call.API.Refuses && c.statements[v.Call.Pos()]:
		c.Reportf(c.At(call), "the error of %s is ignored: a message that is refused is lost. "+
			"Look at it, or write _ = if that is meant", call.Fn.Name())
	case c.Strict && (call.Is(api.FromChan) || call.Is(api.Every)) && c.statements[v.Call.Pos()]:
		c.Reportf(c.At(call), "what %s returns is dropped: it cannot be stopped before the actor ends",
			call.Fn.Name())
	}
}

func result(v *ssa.Call, n int) ssa.Value {
	for _, ref := range *v.Referrers() {
		if e, ok := ref.(*ssa.Extract); ok && e.Index == n {
			return e
		}
	}
	return nil
}

// kept reports a value that is not used on every path to the end of the function.
func (c *checker) kept(call *flow.Call, from *ssa.Call, v ssa.Value, never, some, why string) {
	uses := map[ssa.Instruction]bool{}
	if v != nil {
		for _, ref := range *v.Referrers() {
			uses[ref] = true
		}
	}
	if len(uses) == 0 {
		c.Reportf(c.At(call), "%s", never+why)
		return
	}
	failed := flow.Refused(call)
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return uses[i] }, Skip: failed}
	if w.Ends(from) {
		c.Reportf(c.At(call), "%s", some+why)
	}
}
