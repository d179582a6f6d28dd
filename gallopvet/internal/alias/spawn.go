package alias

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// spawned examines the state that a spawn gives to an actor: its memory is the actor's now.
func (c *checker) spawned(call *flow.Call) {
	if call.API.State == 0 || !c.Strict && c.InTest(call.Pos()) {
		return // tests look into their actors by shared memory
	}
	v := call.Arg(call.API.State)
	c.check(&send{
		at: call.Instr, call: call, value: v, op: "becomes the state of an actor",
		expr: c.ArgExpr(call, call.API.State), state: true, of: flow.TypeName(v.Type()),
	})
}

// inState judges memory that a new state leads to: its maker, or another actor, may use it, too.
func (c *checker) inState(s *send, part flow.Part) {
	if s.of == nil || part.At == "" {
		return
	}
	name := s.of.Name() + part.At
	written := c.TurnWrite(s.of, part.At, true)
	if written != nil && c.locked(written) {
		return
	}
	uses := c.turnUse(s.of, part.At)
	if state := c.StateOf(part.Path); state != nil {
		c.ofMaker(s, part, state, written, uses)
		return
	}
	if _, global := part.Root.(*ssa.Global); global {
		return // rule GV9 covers the targets of behaviours' writes
	}
	if w := c.after(s, part, true); w != nil && uses != nil && !c.locked(w) && c.told(s.at, w.Instr) {
		c.report(s, "("+name+"), and is written to afterwards%s, while behaviours use it", w.Instr.Pos())
		return
	}
	if written == nil {
		return
	}
	if r := c.after(s, part, false); r != nil && c.told(s.at, r.Instr) {
		c.report(s, "("+name+") whose behaviours write to it, and is used afterwards%s", r.Instr.Pos())
		return
	}
	if again := c.again(s, part); again != nil || c.givenAgain(part) {
		c.report(s, "("+name+"), and of another, and behaviours write to it%s", written.Instr.Pos())
	}
}

// givenAgain reports whether a part belongs to a parameter for which the package's calls give the same
// memory more than once.
func (c *checker) givenAgain(part flow.Part) bool {
	param, ok := part.Root.(*ssa.Parameter)
	if !ok {
		return false
	}
	seen := map[flow.Path]bool{}
	for call, arg := range c.Given(param) {
		for _, q := range c.Paths(arg) {
			root, _ := q.Root.(ssa.Instruction)
			w := flow.Walk{Stop: func(i ssa.Instruction) bool { return root != nil && i == root }}
			if seen[q] || w.Reaches(call.Instr, call.Instr) {
				return true
			}
			seen[q] = true
		}
	}
	return false
}

// told reports whether a message is sent between a spawn and an access. An actor without messages
// does nothing, and it sees earlier acts of its maker.
func (c *checker) told(spawn, access ssa.Instruction) bool {
	w := flow.Walk{Stop: c.Joins}
	return slices.ContainsFunc(c.Calls(spawn.Parent()), func(call *flow.Call) bool {
		sends := len(c.Messages(call)) + len(c.SummaryOf(call).Sends)
		return sends > 0 && w.Reaches(spawn, call.Instr) && w.Reaches(call.Instr, access)
	})
}

func (c *checker) ofMaker(s *send, part flow.Part, state *types.TypeName, written, uses *flow.Access) {
	if part.Load == nil && part.Steps == "" || !c.stays(s, part) {
		return
	}
	name := s.of.Name() + part.At
	if w := c.TurnWrite(state, part.Steps, true); w != nil && uses != nil && !c.locked(w) {
		c.report(s, "("+name+") but stays in that of its maker ("+state.Name()+part.Steps+
			"), and behaviours write to it%s", w.Instr.Pos())
		return
	}
	if r := c.turnUse(state, part.Steps); written != nil && r != nil {
		c.report(s, "("+name+"), whose behaviours write to it%s, but stays in that of its maker ("+
			state.Name()+part.Steps+")", written.Instr.Pos())
	}
}

// turnUse returns a read or a write by behaviours inside a part of a state, or nil.
func (c *checker) turnUse(state *types.TypeName, steps string) *flow.Access {
	return c.TurnAccess(state, steps, true, func(a *flow.Access) bool { return !c.locked(a) })
}

// inits looks at functions that make states, of which there may be several.
func (c *checker) inits(fn *ssa.Function) {
	for _, call := range c.Calls(fn) {
		if call.Is("actor.Type.SpawnFunc") {
			c.init(call.Instr, call.Arg(2))
		}
	}
	for i := range flow.Instructions(fn) {
		if st, ok := i.(*ssa.Store); ok {
			if at, ok := st.Addr.(*ssa.FieldAddr); ok && api.RunsElsewhere(at.X.Type(), flow.FieldName(at)) {
				c.init(st, st.Val)
			}
		}
	}
}

// init looks at one use of a function that makes states: a use in a loop, and a second one, make
// two states of it.
func (c *checker) init(at ssa.Instruction, v ssa.Value) {
	fn := c.FuncOf(v)
	if fn == nil || len(fn.Blocks) == 0 || len(fn.Params) != 1 || c.InTest(fn.Pos()) {
		return
	}
	if c.made == nil {
		c.made = map[*ssa.Function]ssa.Instruction{}
	}
	first, again := c.made[fn]
	c.made[fn] = at
	many := again && first != at
	if st, ok := at.(*ssa.Store); ok {
		if f, ok := st.Addr.(*ssa.FieldAddr); ok && api.TypeName(f.X.Type()) == "group.MemberSpec" {
			many = true
		}
	}
	closure := c.Closure(fn)
	for i := range flow.Instructions(fn) {
		st, ok := i.(*ssa.Store)
		if !ok {
			continue
		}
		for _, q := range c.Paths(st.Addr) {
			if q.Root != fn.Params[0] {
				continue
			}
			for _, part := range c.PartsWhen(st.Val, st) {
				if flow.Inside(part.Root, fn) || part.Root.Parent() == nil {
					continue
				}
				root, _ := part.Root.(ssa.Instruction)
				w := flow.Walk{Stop: func(i ssa.Instruction) bool {
					return root != nil && i == root || closure != nil && i == closure && sharesNothing(closure, root)
				}}
				again := len(c.CallersOf(at.Parent())) > 1 && part.Root.Parent() != at.Parent()
				if !many && !again && !w.Reaches(at, at) {
					continue
				}
				c.madeOf(st, fn, q.Steps+part.At)
			}
		}
	}
}

// sharesNothing reports whether the variables that a literal captures are made again with each
// literal.
func sharesNothing(closure *ssa.MakeClosure, root ssa.Instruction) bool {
	return root != nil && root.Block() == closure.Block()
}

func (c *checker) madeOf(st *ssa.Store, fn *ssa.Function, steps string) {
	state := flow.TypeName(fn.Params[0].Type())
	if state == nil {
		return
	}
	w := c.TurnWrite(state, steps, true)
	if w == nil || c.locked(w) {
		return
	}
	c.Report(rule.Finding{
		Pos: st.Pos(),
		Message: "each state that this function makes gets the same memory (" + state.Name() + steps +
			"), and behaviours write to it (" + c.Where(w.Instr.Pos(), st.Pos()) +
			"): the actors may race. Make it in the function, or clone it there",
		Related: rule.Related(w.Instr.Pos(), "a behaviour writes to it here"),
	})
}

// channels examines values sent into one of Go's channels: by a behaviour, or for an actor that has
// the channel by FromChan.
func (c *checker) channels(fn *ssa.Function) {
	step := c.InTurn(fn)
	inTurn := step != nil && !step.Turn.Process
	for i := range flow.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.Send:
			if inTurn || c.bridged(i.Chan) {
				c.intoChannel(i, i.Pos(), i.X)
			}
		case *ssa.Select:
			for _, st := range i.States {
				if st.Dir == types.SendOnly && (inTurn || c.bridged(st.Chan)) {
					c.intoChannel(i, st.Pos, st.Send)
				}
			}
		}
	}
}

// bridged reports whether the package gives channels of a type of messages to FromChan.
func (c *checker) bridged(ch ssa.Value) bool {
	for call := range c.AllCalls() {
		if call.Is(api.FromChan) && types.Identical(elem(call.Arg(2)), elem(ch)) {
			return true
		}
	}
	return false
}

func elem(ch ssa.Value) types.Type { return ch.Type().Underlying().(*types.Chan).Elem() }

func (c *checker) intoChannel(at ssa.Instruction, pos token.Pos, v ssa.Value) {
	c.check(&send{at: at, pos: pos, value: v, op: "is sent into a channel", expr: c.SentExpr(pos)})
}

// subscribers returns the effects of a topic's subscribers on published values, as far as the
// package subscribes them.
func (c *checker) subscribers(call *flow.Call) *flow.Summary {
	var all *flow.Summary
	for sub := range c.AllCalls() {
		if !sub.Is("group.Topic.Subscribe") || !c.sameTopic(sub.Arg(api.Recv), call.Arg(api.Recv)) {
			continue
		}
		for _, b := range c.behaviours(sub.Arg(2), 2) {
			if s := c.ReceiverOf(b); s != nil {
				all = cmp.Or(all, &flow.Summary{})
				all.Writes = append(all.Writes, s.Writes...)
				c.subscribed++
				if (flow.Walk{}).Reaches(sub.Instr, sub.Instr) {
					c.subscribed++
				}
			}
		}
	}
	return all
}

// sameTopic reports whether two values are the same topic: the same variable, or the same field.
func (c *checker) sameTopic(a, b ssa.Value) bool {
	for _, q := range c.Paths(a) {
		for _, o := range c.Paths(b) {
			if q == o || q.Steps != "" && q.Steps == o.Steps && types.Identical(q.Root.Type(), o.Root.Type()) {
				return true
			}
		}
	}
	return false
}
