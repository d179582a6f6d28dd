package blocking

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

func isContext(v ssa.Value) bool { return api.TypeName(flow.Plain(v).Type()) == api.Context }

// wrap returns the fix that puts a statement into Blocking, if the statement is only a call, or an
// assignment to what is declared before, and the context or the process has a name.
func (c *checker) wrap(fn *ssa.Function, expr ast.Node) []analysis.SuggestedFix {
	ctx, method := contextName(fn), "Context.Blocking"
	if c.InProcess(fn) {
		ctx, method = c.partyName(fn), "Proc.Blocking"
	}
	if call, ok := expr.(*ast.CallExpr); ctx == "" || ok && call == nil {
		return nil
	}
	stmt := c.statement(expr)
	if stmt == nil {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message: "Wrap in " + method,
		TextEdits: []analysis.TextEdit{
			{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(ctx + ".Blocking(func() { ")},
			{Pos: stmt.End(), End: stmt.End(), NewText: []byte(" })")},
		},
	}}
}

// contextName returns the name of the context in a function or in those around it, or "".
func contextName(fn *ssa.Function) string {
	for ; fn != nil; fn = fn.Parent() {
		if p := flow.ContextParam(fn); p != nil {
			return written(p)
		}
	}
	return ""
}

// written returns the name of a parameter as it is written; "" if it has none.
func written(p *ssa.Parameter) string {
	if p.Object() == nil || p.Object().Name() == "_" {
		return ""
	}
	return p.Object().Name()
}

// partyName returns the name of the process in a function or in those around it, or "".
func (c *checker) partyName(fn *ssa.Function) string {
	for ; fn != nil; fn = fn.Parent() {
		if p := flow.PartyParam(fn); p != nil {
			return written(p)
		}
		if c.Async(fn) != nil {
			return ""
		}
	}
	return ""
}

// statement returns the statement that a call is, if it can be wrapped, or nil.
func (c *checker) statement(call ast.Node) ast.Stmt {
	for _, f := range c.Files {
		if f.FileStart > call.Pos() || call.End() > f.FileEnd {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, call.Pos(), call.End())
		for i, n := range path {
			stmt, ok := n.(ast.Stmt)
			if !ok {
				continue
			}
			if i+1 >= len(path) || !inBlock(path[i+1]) || !simple(stmt) {
				return nil
			}
			return stmt
		}
	}
	return nil
}

// inBlock reports whether a statement stands in a list of statements, and not in the head of
// another.
func inBlock(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// simple reports whether a statement declares nothing and leads nowhere else.
func simple(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.ExprStmt, *ast.SendStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok == token.ASSIGN
	}
	return false
}
