// Package escape is rule GV4: a Context or a state that leaves the behaviour.
package escape

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV4",
	Title: "report a Context, a state or a process that leaves where it is valid",
	Doc: `A Context is valid until the behaviour returns, the state belongs to whichever behaviour of
the actor runs, and a Self or Proc is valid only in its process. This rule reports them where they
leave for a goroutine, another turn, a channel, a message, or what outlives the behaviour.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		for instr := range flow.Instructions(fn) {
			c.leaves(fn, instr)
		}
	}
	for _, fn := range p.Funcs {
		if by := p.Async(fn); by != nil {
			c.captured(fn, by)
			c.stateIn(fn, by)
		}
	}
}

// owned is a kind of value that is valid only where it was given: a Context, or a process as its
// own code sees it.
type owned string

func ownedOf(v ssa.Value) owned {
	plain := flow.Plain(v)
	if _, made := plain.(*ssa.Alloc); made || v == nil || flow.IsZero(v) {
		return "" // a value made here is no running process
	}
	return ownedType(plain.Type())
}

func ownedType(t types.Type) owned {
	if name := api.TypeName(t); name == api.Context {
		return "Context"
	} else if flow.IsParty(t) {
		return owned(strings.TrimPrefix(name, "process."))
	}
	return ""
}

// why returns where a value is valid, and the remedy.
func (o owned) why() string {
	if o == "Context" {
		return ": a Context is valid only in its behaviour" + before
	}
	return ": a " + string(o) + " is valid only in its process: hand over its reference, " +
		"self.Ref() or p.Process()"
}

const before = ": take what is needed before, such as actor.Self(c) or c.System()"

func (c *checker) leaves(fn *ssa.Function, instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Go:
		c.started(i)
	case *ssa.Send:
		c.intoChannel(i.Pos(), i.X)
	case *ssa.Select:
		for _, st := range i.States {
			if st.Send != nil {
				c.intoChannel(st.Pos, st.Send)
			}
		}
	case *ssa.Store:
		c.stored(i)
	case *ssa.MapUpdate:
		if o := ownedOf(i.Value); o != "" && c.outlives(i.Map) {
			c.Reportf(i.Pos(), "the %s is kept in a map%s", o, o.why())
		}
	case ssa.CallInstruction:
		c.sent(i)
	}
}

func (c *checker) intoChannel(pos token.Pos, v ssa.Value) {
	if o := ownedOf(v); o != "" {
		c.Reportf(pos, "the %s is sent into a channel%s", o, o.why())
		return
	}
	if c.isState(v, nil) {
		c.Reportf(pos, "%s leads to the state of the running actor, and who receives from the channel "+
			"uses it while behaviours run: send a copy of what they need", flow.Text(c.SentExpr(pos)))
	}
}

// isState reports whether a value leads to the state of the running actor as such: to all of it, or
// to a field whose address was taken.
func (c *checker) isState(v ssa.Value, when ssa.Instruction) bool {
	return slices.ContainsFunc(c.PartsWhen(v, when), func(part flow.Part) bool {
		return part.Load == nil && c.StateOf(part.Path) != nil
	})
}

func (c *checker) started(i *ssa.Go) {
	for _, arg := range (&flow.Call{Instr: i}).Args() {
		if o := ownedOf(arg); o != "" {
			c.Reportf(i.Pos(), "the %s is used in a goroutine%s", o, o.why())
			return
		}
	}
}

func (c *checker) sent(i ssa.CallInstruction) {
	if call := flow.CallOf(i); call != nil {
		for _, v := range c.Messages(call) {
			c.message(call, v)
		}
	}
}

func (c *checker) message(call *flow.Call, v ssa.Value) {
	if o := ownedOf(v); o != "" {
		c.Reportf(c.At(call), "the %s is sent in a message%s", o, o.why())
		return
	}
	if call.API.ToSelf {
		return
	}
	if c.isState(v, call.Instr) {
		c.Reportf(c.At(call), "%s leads to the state of the running actor, which another actor "+
			"gets with this message: send a copy of what it needs",
			c.ArgText(call, call.API.Payload))
		return
	}
	c.fromHeap(call, v)
}

func (c *checker) stored(i *ssa.Store) {
	if o := ownedOf(i.Val); o != "" && c.outlives(i.Addr) && !c.cleared(i) {
		c.Reportf(i.Pos(), "the %s is kept%s", o, o.why())
		return
	}
	if m, ok := flow.Plain(i.Val).(*ssa.MakeClosure); ok && c.outlives(i.Addr) && !c.cleared(i) {
		for _, free := range m.Fn.(*ssa.Function).FreeVars {
			if t, _ := variable(free); ownedType(t) != "" {
				c.Reportf(i.Pos(), "the %s is kept, in a function%s", ownedType(t), ownedType(t).why())
				return
			}
		}
	}
	if c.derefed(i.Val) && c.outlives(i.Addr) {
		c.Reportf(i.Pos(), "a pointer into the heap of the actor is kept: what it points to moves, or is "+
			"freed, when the heap is collected. Keep the handle, and dereference it in each turn")
		return
	}
	if g, ok := i.Addr.(*ssa.Global); ok {
		for _, q := range c.Paths(i.Val) {
			if q.Steps == "" && c.StateOf(q) != nil {
				c.Reportf(i.Pos(), "the state of the running actor is put into %s, where others "+
					"reach it while behaviours run", g.Name())
			}
		}
	}
}

func (c *checker) outlives(addr ssa.Value) bool {
	return slices.ContainsFunc(c.Paths(addr), func(q flow.Path) bool {
		_, global := q.Root.(*ssa.Global)
		return global || c.StateOf(q) != nil
	})
}

// cleared reports whether a stored value is removed again, in the same function or in a deferred
// one.
func (c *checker) cleared(i *ssa.Store) bool {
	for _, fn := range flow.WithLiterals(i.Parent()) {
		for instr := range flow.Instructions(fn) {
			st, ok := instr.(*ssa.Store)
			if ok && st != i && flow.IsZero(st.Val) && slices.ContainsFunc(c.Paths(st.Addr),
				func(q flow.Path) bool { return slices.Contains(c.Paths(i.Addr), q) }) {
				return true
			}
		}
	}
	return false
}

// captured reports values that are valid only in their turn or process, are captured by a function
// that runs elsewhere, and are used there. To take the reference of a process is allowed.
func (c *checker) captured(fn *ssa.Function, by ssa.Instruction) {
	for _, f := range flow.WithLiterals(fn) {
		for _, free := range f.FreeVars {
			t, indirect := variable(free)
			o := ownedType(t)
			if o == "" || c.boundIn(free, fn) {
				continue
			}
			if use := firstUse(free, indirect); use.IsValid() {
				c.Reportf(use, "the %s is used in %s%s", o, flow.Where(by), o.why())
				return
			}
		}
	}
}

// variable returns the type of a captured variable, and whether it was captured by its address.
func variable(free *ssa.FreeVar) (t types.Type, indirect bool) {
	if ptr, ok := types.Unalias(free.Type()).(*types.Pointer); ok && flow.Is[*types.Pointer](ptr.Elem()) {
		return ptr.Elem(), true
	}
	return free.Type(), false
}

// firstUse returns where a value is first used in a way that only its own turn or process may use
// it. indirect: v is the address of the variable.
func firstUse(v ssa.Value, indirect bool) token.Pos {
	first := token.NoPos
	for _, ref := range *v.Referrers() {
		at := token.NoPos
		if api.TypeName(v.Type()) == api.Context {
			at = ref.Pos()
		}
		switch i := ref.(type) {
		case *ssa.UnOp:
			if indirect {
				at = firstUse(i, false)
			}
		case *ssa.FieldAddr: // the Proc of a Self
			at = firstUse(i, false)
		case *ssa.MakeInterface:
			at = firstUse(i, false)
		case ssa.CallInstruction:
			call := flow.CallOf(i)
			if call == nil || call.Arg(api.Recv) != v ||
				!call.Is(api.ProcessRef) && !call.Is(api.OwnProcess) && !call.Is(api.ProcString) {
				at = i.Pos()
			}
		}
		if at.IsValid() && (first == token.NoPos || at < first) {
			first = at
		}
	}
	return first
}

// boundIn reports whether a captured variable belongs to a function itself, so that it does not
// come from outside.
func (c *checker) boundIn(free *ssa.FreeVar, fn *ssa.Function) bool {
	return slices.ContainsFunc(c.Paths(free), func(q flow.Path) bool { return flow.Inside(q.Root, fn) })
}
