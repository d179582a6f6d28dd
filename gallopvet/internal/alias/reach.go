package alias

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// state judges memory that belongs to the state of the sender. It is within reach of all later
// behaviours, unless the state lets go of it.
func (c *checker) state(s *send, part flow.Part, state *types.TypeName) {
	direct := s.pos.IsValid() || s.call != nil && s.call.API != nil && !s.state
	if part.Load == nil && (part.Steps == "" || direct) || !c.stays(s, part) {
		return // of what is no copy, rule GV4 says it
	}
	name := state.Name() + part.Steps
	if w := c.TurnWrite(state, part.Steps, true); w != nil && !c.locked(w) {
		c.report(s, "but stays in the state ("+name+"), and behaviours write to it%s", w.Instr.Pos())
		return
	}
	if c.receiverWrites(s, part) {
		c.report(s, "but stays in the state ("+name+"), and the receiver writes to it%s", s.wrote)
		return
	}
	if c.Strict {
		c.report(s, "but stays in the state ("+name+")")
	}
}

// stays reports whether a path leads from where the part is read, by the send, to the end of the
// function, on which the state does not get other memory in its place.
func (c *checker) stays(s *send, part flow.Part) bool {
	walk := flow.Walk{Stop: func(i ssa.Instruction) bool { return c.Replaces(i, part.Path) }}
	if part.Load != nil && part.Load.Parent() == s.at.Parent() && part.Load != s.at {
		if !walk.Reaches(part.Load, s.at) {
			return false
		}
	}
	if _, ret := s.at.(*ssa.Return); ret {
		return true
	}
	_, last := s.at.(*ssa.Defer)
	return last || walk.Ends(s.at) && !c.isReleased(s.at.Parent(), part)
}

// isReleased reports whether all callers of a function put other memory in the place of a part
// afterwards.
func (c *checker) isReleased(fn *ssa.Function, part flow.Part) bool {
	n := slices.Index(fn.Params, part.Root.(*ssa.Parameter))
	callers := 0
	for _, f := range c.Funcs {
		for _, call := range c.Calls(f) {
			if call.Callee() != fn || n >= len(call.Instr.Common().Args) {
				continue
			}
			callers++
			for _, q := range c.Paths(call.Instr.Common().Args[n]) {
				at := flow.Path{Root: q.Root, Steps: q.Steps + part.Steps}
				w := flow.Walk{Stop: func(i ssa.Instruction) bool { return c.Replaces(i, at) }}
				if w.Ends(call.Instr) {
					return false
				}
			}
		}
	}
	return callers > 0
}

// global judges memory that a package-level variable leads to.
func (c *checker) global(s *send, part flow.Part, g *ssa.Global) {
	if g.Pkg != c.SSA {
		return
	}
	for _, fn := range c.Funcs {
		if c.DuringInit(fn) || fn.Synthetic != "" {
			continue
		}
		for _, a := range c.Accesses(fn) {
			if a.Write && a.At.Inside(part.Path) && !c.locked(a) {
				c.report(s, "but stays in the package-level variable "+g.Name()+", and is written to%s", a.Instr.Pos())
				return
			}
		}
	}
	if c.receiverWrites(s, part) {
		c.report(s, "but stays in the package-level variable "+g.Name()+", and the receiver writes to it%s", s.wrote)
	}
}

// receiverWrites reports whether the receiver is known to write to what it gets.
func (c *checker) receiverWrites(s *send, part flow.Part) bool {
	if s.receiver == nil {
		return false
	}
	return slices.ContainsFunc(s.receiver.Writes, func(e flow.Effect) bool {
		return e.Steps != "" && leadsTo(s.value, part, e.Steps)
	})
}

// leadsTo reports whether a way from the message ends in a part of it. What is not a struct is the
// part itself; of a struct, it is a field of that type.
func leadsTo(v ssa.Value, part flow.Part, steps string) bool {
	t, ok := v.Type().Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for f := range t.Fields() {
		field := flow.Path{Root: v, Steps: "." + f.Name()}
		if types.Identical(f.Type(), part.Type) && (flow.Path{Root: v, Steps: steps}).Inside(field) {
			return true
		}
	}
	return false
}

// locked reports whether an access is in a function that is guarded by a lock.
func (c *checker) locked(a *flow.Access) bool { return c.Guarded(a.Instr.Parent()) }

// report reports a part of a message that stays within reach. Each %s in why stands for a position, if
// that is valid.
func (c *checker) report(s *send, why string, at ...token.Pos) {
	f := rule.Finding{Pos: s.at.Pos(), Fixes: c.clone(s)}
	switch {
	case s.call != nil:
		f.Pos = c.At(s.call)
	case s.pos.IsValid():
		f.Pos = s.pos
	}
	for _, pos := range at {
		line := ""
		if pos.IsValid() {
			line = " (" + c.Where(pos, f.Pos) + ")"
			f.Related = append(f.Related, rule.Related(pos, "it is used here")...)
		}
		why = strings.Replace(why, "%s", line, 1)
	}
	text := s.text
	if text == "" {
		text = flow.Text(s.expr)
	}
	f.Message = text + " " + s.op + " " + why + ": the two may race. Send a clone, or let go of it"
	c.Report(f)
}
