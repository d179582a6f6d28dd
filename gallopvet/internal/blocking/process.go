package blocking

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// inOtherWords has, for functions that wait for goroutines, the function that a process uses
// instead.
var inOtherWords = map[string]string{
	"time.Sleep":             "Proc.Sleep",
	"(*sync.WaitGroup).Wait": "process.WaitGroup",
	"(*sync.Cond).Wait":      "process.Event",
}

func (c *checker) inProcess(fn *ssa.Function, call *flow.Call) {
	if call.API == nil {
		c.locked(call)
		return
	}
	switch call.API.InTurn {
	case api.Fine, api.AskOfSelf: // an Ask hands the worker over
		return
	case api.Panics:
		if strings.HasPrefix(call.API.Name, "actor.") {
			return // in a process as well: that is for GV5
		}
	}
	if strings.HasPrefix(call.API.Name, "process.") {
		return
	}
	c.Report(rule.Finding{
		Pos: c.At(call),
		Message: call.Name() + " waits for actors" + c.in(fn) + ", and keeps its worker: wrap it in " +
			"Proc.Blocking",
		Fixes: c.wrap(fn, c.Expr(call)),
	})
}

// unlock has the method that undoes a lock.
var unlock = map[string]string{
	"(*sync.Mutex).Lock":    "(*sync.Mutex).Unlock",
	"(*sync.RWMutex).Lock":  "(*sync.RWMutex).Unlock",
	"(*sync.RWMutex).RLock": "(*sync.RWMutex).RUnlock",
}

// locked reports a mutex of package sync that is still locked where the process waits: other
// parties that lock it meanwhile keep their workers until then.
func (c *checker) locked(lock *flow.Call) {
	undo := unlock[lock.Fn.FullName()]
	w := flow.Walk{Stop: func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return ok && flow.CallOf(call).FullName() == undo
	}}
	wait := flow.CallOf(w.First(lock.Instr, func(i ssa.Instruction) bool {
		call := flow.CallOf(i)
		return call != nil && call.API != nil && call.API.Suspends
	}))
	if wait != nil {
		c.Reportf(c.At(lock), "the lock is held while the process waits (%s, %s): others that lock it "+
			"keep their workers. Use process.Mutex", wait.Name(), c.Where(wait.Pos(), lock.Pos()))
	}
}

// channel reports an operation of one of Go's channels that waits in a process. A send to a channel
// that may have a buffer is left alone.
func (c *checker) channel(fn *ssa.Function, instr ssa.Instruction) {
	what := ""
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			what = "a receive from one of Go's channels"
		}
	case *ssa.Select:
		if i.Blocking && len(i.States) > 0 {
			what = "a select of Go's channels"
		}
	case *ssa.Send:
		if c.unbuffered(i.Chan) {
			what = "a send to one of Go's channels, without a buffer,"
		}
	}
	if what == "" || !instr.Pos().IsValid() || c.InTest(instr.Pos()) {
		return
	}
	c.Report(rule.Finding{
		Pos: instr.Pos(),
		Message: what + " waits" + c.in(fn) + ", and keeps its worker: use process.Chan, " +
			"process.Done for a context, or wrap it in Proc.Blocking",
		Fixes: c.wrapAt(fn, instr.Pos()),
	})
}

func (c *checker) unbuffered(ch ssa.Value) bool {
	if at := flow.FieldOf(ch); at != nil {
		all := c.Held(at)
		return len(all) > 0 && !slices.ContainsFunc(all, hasBuffer)
	}
	all := c.Paths(ch)
	return len(all) > 0 && !slices.ContainsFunc(all, func(q flow.Path) bool {
		return q.Steps != "" || hasBuffer(q.Root)
	})
}

// hasBuffer reports whether a channel may have a buffer, as far as is seen where it is made.
func hasBuffer(ch ssa.Value) bool {
	made, ok := flow.Plain(ch).(*ssa.MakeChan)
	if !ok {
		return true
	}
	n, known := flow.Int(made.Size)
	return !known || n != 0
}

func (c *checker) wrapAt(fn *ssa.Function, at token.Pos) []analysis.SuggestedFix {
	for _, n := range c.Enclosing(at, at) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.OpPos == at && n.Op == token.ARROW {
				return c.wrap(fn, n)
			}
		case *ast.SendStmt:
			return c.wrap(fn, n)
		}
	}
	return nil
}

func isContext(v ssa.Value) bool { return api.TypeName(flow.Plain(v).Type()) == api.Context }

// wrap returns the fix that puts a statement into Blocking, if the statement is only a call, or an
// assignment, and the context or the process has a name. Variables that it declares are declared
// before.
func (c *checker) wrap(fn *ssa.Function, expr ast.Node) []analysis.SuggestedFix {
	ctx, method := c.ownName(fn), "Context.Blocking"
	if c.InProcess(fn) {
		method = "Proc.Blocking"
	}
	if call, ok := expr.(*ast.CallExpr); ctx == "" || ok && call == nil {
		return nil
	}
	stmt := c.statement(expr)
	before, ok := "", true
	var edits []analysis.TextEdit
	switch s := stmt.(type) {
	case *ast.ExprStmt, *ast.SendStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			before, ok = c.declared(s)
			edits = append(edits, analysis.TextEdit{Pos: s.TokPos, End: s.TokPos + 2, NewText: []byte("=")})
		}
	default:
		ok = false
	}
	if !ok {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message: "Wrap in " + method,
		TextEdits: append(edits,
			analysis.TextEdit{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(before + ctx + ".Blocking(func() { ")},
			analysis.TextEdit{Pos: stmt.End(), End: stmt.End(), NewText: []byte(" })")},
		),
	}}
}

// declared returns declarations of the variables that an assignment declares.
func (c *checker) declared(s *ast.AssignStmt) (text string, ok bool) {
	for _, l := range s.Lhs {
		id, _ := l.(*ast.Ident)
		if v := c.TypesInfo.Defs[id]; v != nil && id.Name != "_" {
			t, ok := c.TypeText(v.Type(), id.Pos())
			if !ok {
				return "", false
			}
			text += "var " + id.Name + " " + t + "\n"
		}
	}
	return text, true
}

// ownName returns the name of the context, or of the process, in a function or in those around it,
// or "".
func (c *checker) ownName(fn *ssa.Function) string {
	find := flow.ContextParam
	if c.InProcess(fn) {
		find = flow.PartyParam
	}
	for ; fn != nil; fn = fn.Parent() {
		if p := find(fn); p != nil && p.Object() != nil && p.Object().Name() != "_" {
			return p.Object().Name()
		} else if p != nil || c.Async(fn) != nil {
			return ""
		}
	}
	return ""
}

// statement returns the statement that an expression is in, if it stands in a list of statements, and
// not in the head of another; or nil.
func (c *checker) statement(expr ast.Node) ast.Stmt {
	path := c.Enclosing(expr.Pos(), expr.End())
	for i, n := range path {
		stmt, ok := n.(ast.Stmt)
		if !ok || i+1 == len(path) {
			continue
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return stmt
		}
		return nil
	}
	return nil
}
