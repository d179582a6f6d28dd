package blocking

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// inOtherWords has what a process uses instead of what waits for goroutines.
var inOtherWords = map[string]string{
	"time.Sleep":             "Proc.Sleep",
	"(*sync.WaitGroup).Wait": "process.WaitGroup",
	"(*sync.Cond).Wait":      "process.Event",
}

// inProcess looks at a call of gallop, or of a lock, in a process.
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

// locks reports whether a call locks a mutex of package sync.
func locks(call *flow.Call) bool { return unlock(call) != "" }

// unlock returns the name of the method that undoes a lock.
func unlock(call *flow.Call) string {
	switch call.Fn.FullName() {
	case "(*sync.Mutex).Lock":
		return "(*sync.Mutex).Unlock"
	case "(*sync.RWMutex).Lock":
		return "(*sync.RWMutex).Unlock"
	case "(*sync.RWMutex).RLock":
		return "(*sync.RWMutex).RUnlock"
	}
	return ""
}

// locked reports a mutex of package sync that is still locked where the process waits: those who
// lock it meanwhile keep their workers, for as long as that takes.
func (c *checker) locked(lock *flow.Call) {
	undo := unlock(lock)
	var wait *flow.Call
	w := flow.Walk{Stop: func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return ok && isCall(flow.CallOf(call), undo)
	}}
	w.After(lock.Instr, func(i ssa.Instruction) bool {
		if call, ok := i.(*ssa.Call); ok && suspends(flow.CallOf(call)) {
			wait = flow.CallOf(call)
		}
		return wait == nil
	})
	if wait != nil {
		c.Reportf(c.At(lock), "the lock is held while the process waits (%s, %s): others that lock it "+
			"keep their workers. Use process.Mutex", wait.Name(), c.Where(wait.Pos(), lock.Pos()))
	}
}

func isCall(call *flow.Call, name string) bool {
	return call != nil && call.Fn != nil && call.Fn.FullName() == name
}

// suspends reports whether a call lets other processes run.
func suspends(call *flow.Call) bool {
	return call != nil && call.API != nil && call.API.Suspends
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

// unbuffered reports whether a channel is one that is surely made without a buffer.
func (c *checker) unbuffered(ch ssa.Value) bool {
	all := c.Paths(ch)
	for _, q := range all {
		made, ok := q.Root.(*ssa.MakeChan)
		if !ok || q.Steps != "" {
			return false
		}
		if n, ok := flow.Int(made.Size); !ok || n != 0 {
			return false
		}
	}
	return len(all) > 0
}

// wrapAt is wrap for the operation at a position.
func (c *checker) wrapAt(fn *ssa.Function, at token.Pos) []analysis.SuggestedFix {
	var found ast.Node
	for _, f := range c.Files {
		if f.FileStart > at || at >= f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if n.OpPos == at && n.Op == token.ARROW {
					found = n
				}
			case *ast.SendStmt:
				if n.Arrow == at {
					found = n
				}
			}
			return found == nil
		})
	}
	if found == nil {
		return nil
	}
	return c.wrap(fn, found)
}
