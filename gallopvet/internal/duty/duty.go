// Package duty is rule GV7: obligations that a function does not meet.
package duty

import (
	"go/ast"
	"go/types"
	"slices"

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
that calls waits for a reply, and one that locks a Mutex for the Unlock of the one before.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for call := range p.AllCalls() {
		if call.API != nil {
			c.call(call)
		}
	}
}

// ignored reports whether the results of a call are not even assigned to a blank.
func (c *checker) ignored(call *flow.Call) bool {
	e := c.Expr(call)
	return slices.ContainsFunc(c.Enclosing(call.Pos(), call.Pos()), func(n ast.Node) bool {
		stmt, ok := n.(*ast.ExprStmt)
		return ok && e != nil && ast.Unparen(stmt.X) == e
	})
}

func (c *checker) call(call *flow.Call) {
	v, ok := call.Instr.(*ssa.Call)
	if !ok || c.InTest(call.Pos()) {
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
	case call.Is(api.Ask) && c.ignored(call):
		c.Reportf(c.At(call), "what Ask returns is dropped: nothing sees the reply, or that there is "+
			"none. Wait for it, or send a message without an address for a reply")
	case call.Is(api.ChanTrySend): // it may be a signal, which is there already
	case call.Is(api.Receive):
		c.dropped(call, v)
	case call.Is(api.Lock):
		c.locked(call)
	case call.API.Refuses && c.ignored(call):
		c.Reportf(c.At(call), "the error of %s is ignored: a message that is refused is lost. "+
			"Look at it, or write _ = if that is meant", call.Fn.Name())
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

// locked reports a mutex that is unlocked on some paths of a function, and not on others. Without
// any Unlock, the function is one that locks for its caller.
func (c *checker) locked(lock *flow.Call) {
	fn := lock.Instr.Parent()
	unlocks := map[ssa.Instruction]bool{}
	for _, f := range flow.WithLiterals(fn) {
		for _, call := range c.Calls(f) {
			if !call.Is(api.Unlock) || !c.SamePlace(lock.Arg(api.Recv), call.Arg(api.Recv)) {
				continue
			}
			if f != fn {
				return // in a literal: when that runs is not seen
			}
			unlocks[call.Instr] = true
		}
	}
	w := flow.Walk{
		Stop: func(i ssa.Instruction) bool { return unlocks[i] }, Skip: flow.Contradicts(lock.Instr),
	}
	if len(unlocks) > 0 && w.Ends(lock.Instr) {
		c.Reportf(c.At(lock), "the mutex is not unlocked on every path: the next process that locks "+
			"it waits for ever. Use defer")
	}
}

// replyField returns which field of a struct is the address for the reply; -1 if not one is.
func replyField(s *types.Struct) int {
	found := -1
	for i := range s.NumFields() {
		if api.TypeName(s.Field(i).Type()) != api.ReplyTo {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// dropped reports a request that a process receives and of which, on some path back to where it
// receives the next, it neither answers nor keeps the address for the reply. Messages of a type that
// is also sent by Send need no answer.
func (c *checker) dropped(call *flow.Call, v *ssa.Call) {
	s, ok := v.Type().Underlying().(*types.Struct)
	if !ok || replyField(s) < 0 || c.sentPlainly(v.Type()) {
		return
	}
	uses := map[ssa.Instruction]bool{}
	for _, ref := range *v.Referrers() {
		st, ok := ref.(*ssa.Store)
		a, local := (*ssa.Alloc)(nil), false
		if ok {
			a, local = st.Addr.(*ssa.Alloc)
		}
		if !local {
			if f, ok := ref.(*ssa.Field); !ok || f.Field == replyField(s) {
				uses[ref] = true
			}
			continue
		}
		for _, r := range *a.Referrers() {
			f, ok := r.(*ssa.FieldAddr)
			if r != ref && (!ok || f.Field == replyField(s)) {
				uses[r] = true
			}
		}
	}
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return uses[i] }}
	if len(uses) > 0 && w.Reaches(v, v) {
		c.Reportf(c.At(call), "a request is dropped on some path: %s is neither answered nor kept there, "+
			"and who asks waits for ever, or until the time-out", s.Field(replyField(s)).Name())
	}
}

func (c *checker) sentPlainly(t types.Type) bool {
	for call := range c.AllCalls() {
		if call.Is("process.Ref.Send") && types.Identical(call.Payload().Type(), t) {
			return true
		}
	}
	return false
}
