// Package isolation is rule GV3: values of package capability that are used against their rules.
package isolation

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV3",
	Title: "report an Iso that is used after it was given away, and values that leave their Iso",
	Doc: `An Iso that was moved, taken, frozen or sent is gone: to use it panics. What Use, View and
NewIso show to a function must stay there, and nothing may be written to a Val.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			c.ends(call)
			c.shown(call)
		}
		c.writes(fn)
	}
}

func (c *checker) ends(call *flow.Call) {
	if call.API == nil {
		c.moved(call)
		return
	}
	if _, now := call.Instr.(*ssa.Call); !now {
		return // a deferred call comes last
	}
	if call.API.Role == api.EndIso {
		c.trace(call, call.Arg(api.Recv))
		return
	}
	if v := call.Payload(); v != nil && !call.API.ToSelf {
		for _, iso := range c.isos(v) {
			c.trace(call, iso)
		}
	}
}

func (c *checker) moved(call *flow.Call) {
	_, now := call.Instr.(*ssa.Call)
	for arg, e := range call.With(c.SummaryOf(call).Moves) {
		if now && e.Steps == "" && isIso(arg) {
			c.trace(call, arg)
		}
	}
}

func isIso(v ssa.Value) bool { return api.TypeName(v.Type()) == api.Iso }

func (c *checker) isos(v ssa.Value) []ssa.Value {
	return slices.DeleteFunc(c.Fields(v), func(v ssa.Value) bool { return !isIso(v) })
}

func (c *checker) trace(by *flow.Call, iso ssa.Value) {
	for _, alias := range aliasesOf(iso, by) {
		t := &trace{c: c, by: by, seen: map[string]bool{}}
		if by.API != nil && by.API.Refuses {
			t.refused = flow.Refused(by)
		}
		t.start(alias)
	}
}

func (c *checker) used(use, by *flow.Call) {
	how := "was given away by " + by.Name()
	if by.API != nil && by.API.Role != api.EndIso {
		how = "was sent by " + by.Fn.Name()
	}
	param := api.Recv
	if use.API.Role != api.UseIso && use.API.Role != api.EndIso {
		param = use.API.Payload
	}
	c.Report(rule.Finding{
		Pos: c.At(use),
		Message: c.ArgText(use, param) + " " + how + " (" + c.Where(by.Pos(), use.Pos()) +
			") and is used here: this panics, or races with the new owner",
		Related: rule.Related(by.Pos(), "it is given away here"),
	})
}

func (c *checker) shown(call *flow.Call) {
	if call.API == nil {
		return
	}
	name := call.API.Name
	if name != api.IsoUse && name != api.ValView && name != api.NewIso {
		return
	}
	fn := c.FuncOf(call.Arg(1))
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) == 0 {
		return
	}
	value := fn.Params[len(fn.Params)-1]
	for _, f := range flow.WithLiterals(fn) {
		c.leaks(call, fn, f, value)
		for _, a := range c.Accesses(f) {
			if name == api.ValView && a.Write && a.At.Root == value {
				c.Reportf(a.Instr.Pos(), "a write to what View shows: a Val is read by others at the same "+
					"time, and must not change")
			}
		}
	}
	if name == api.NewIso {
		c.builtFrom(call, fn, value)
	}
}

func (c *checker) leaks(call *flow.Call, fn, in *ssa.Function, value *ssa.Parameter) {
	for instr := range flow.Instructions(in) {
		if to, v, _ := flow.Stored(instr); v != nil && c.from(v, value) {
			if to == nil {
				c.leak(call, instr.Pos(), "is sent into a channel")
			} else if c.outside(to, fn) {
				c.leak(call, instr.Pos(), "is kept outside of the function")
			}
		}
		switch i := instr.(type) {
		case *ssa.Go:
			c.started(call, i, value)
		case *ssa.Call:
			c.sent(call, i, value)
		}
	}
}

func (c *checker) leak(call *flow.Call, pos token.Pos, how string) {
	c.Reportf(pos, "what %s shows to its function %s: then it is not isolated any more, and others "+
		"reach it after it was given away", call.Fn.Name(), how)
}

func (c *checker) from(v ssa.Value, value *ssa.Parameter) bool {
	return slices.ContainsFunc(c.Parts(v), func(part flow.Part) bool { return part.Root == value })
}

func (c *checker) outside(addr ssa.Value, fn *ssa.Function) bool {
	return slices.ContainsFunc(c.Paths(addr), func(q flow.Path) bool { return !flow.Inside(q.Root, fn) })
}

func (c *checker) started(call *flow.Call, i *ssa.Go, value *ssa.Parameter) {
	args := i.Call.Args
	if m, ok := i.Call.Value.(*ssa.MakeClosure); ok {
		args = append(args, m.Bindings...)
	}
	for _, arg := range args {
		if c.from(arg, value) {
			c.leak(call, i.Pos(), "is used in a goroutine")
			return
		}
	}
}

func (c *checker) sent(call *flow.Call, i *ssa.Call, value *ssa.Parameter) {
	send := flow.CallOf(i)
	if send != nil && send.Payload() != nil && !send.API.Freezes && c.from(send.Payload(), value) {
		c.leak(call, c.At(send), "is sent in a message")
	}
}

// writes reports writes to memory that a copy of a Val still shares with it, and to values of types
// that the package has marked as immutable. A function may write to values that it makes: it is a
// constructor.
func (c *checker) writes(fn *ssa.Function) {
	for _, a := range c.Accesses(fn) {
		if !a.Write {
			continue
		}
		switch root := a.At.Root.(type) {
		case *ssa.Parameter, *ssa.Global, *ssa.FreeVar, *ssa.Call, *ssa.Extract:
			if call := flow.MadeBy(root); call.Is(api.ValGet) {
				c.Reportf(a.Instr.Pos(), "a write to what the value of a Val points to (Get is in %s): "+
					"others read it at the same time; clone it before", c.Where(root.Pos(), a.Instr.Pos()))
			}
			if name := c.markedImmutable(root.Type()); name != "" {
				c.Reportf(a.Instr.Pos(), "a write to a %s, which is marked as immutable: others may read it "+
					"at the same time. Make a new one", name)
			}
		}
	}
}

func (c *checker) markedImmutable(t types.Type) string {
	n := api.Named(t)
	if !flow.Is[*types.Pointer](t) || n == nil || n.Obj().Pkg() != c.Pkg {
		return ""
	}
	if m, ok := c.MarkOf(n.Obj()); ok && m.Immutable {
		return n.Obj().Name()
	}
	return ""
}

// builtFrom reports memory that NewIso's function takes from outside, and that is used outside
// afterwards: it is not isolated.
func (c *checker) builtFrom(call *flow.Call, fn *ssa.Function, value *ssa.Parameter) {
	for instr := range flow.Instructions(fn) {
		st, ok := instr.(*ssa.Store)
		if !ok || !slices.ContainsFunc(c.Paths(st.Addr), func(q flow.Path) bool { return q.Root == value }) {
			continue
		}
		for _, part := range c.Parts(st.Val) {
			if flow.Inside(part.Root, fn) {
				continue
			}
			if how := c.stays(call, part.Path); how != "" {
				c.Report(rule.Finding{
					Pos: st.Pos(),
					Message: "an Iso is built from memory that stays reachable outside (" + how +
						"): make a copy, so that nothing else leads to it",
				})
				return
			}
		}
	}
}

// stays says how memory stays reachable after a call, or "".
func (c *checker) stays(call *flow.Call, q flow.Path) string {
	switch root := q.Root.(type) {
	case *ssa.Global:
		return "the variable " + root.Name()
	case *ssa.Parameter:
		if state := c.StateOf(q); state != nil {
			return "the state, " + state.Name() + q.Steps
		}
	}
	all := c.Accesses(call.Instr.Parent())
	use := flow.Walk{}.First(call.Instr, func(i ssa.Instruction) bool {
		return slices.ContainsFunc(all, func(a *flow.Access) bool { return a.Instr == i && a.At.Within(q) })
	})
	if use == nil {
		return ""
	}
	return "it is used in " + c.Where(use.Pos(), call.Pos())
}
