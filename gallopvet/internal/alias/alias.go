// Package alias is rule GV2: sent values that stay within reach of the sender.
package alias

import (
	"cmp"
	"go/ast"
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
	ID:    "GV2",
	Title: "report memory that is sent and then written to by the other side",
	Doc: `What a message points to is shared by sender and receiver. This rule reports a slice, map
or pointer that is sent, stays reachable for the sender, and is written to by one of the two; and so
for the states given to Spawn.`,
	Run: run,
}

type checker struct {
	*rule.Pass
	made       map[*ssa.Function]ssa.Instruction // the first use of a function that makes states
	subscribed int                               // how many subscribers of a topic are known
}

func run(p *rule.Pass) {
	c := &checker{Pass: p}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			c.call(call)
		}
		c.channels(fn)
		c.inits(fn)
	}
	for _, t := range p.Turns {
		if t.Replies {
			c.replies(t)
		}
	}
}

// send is one place where a value is sent.
type send struct {
	at       ssa.Instruction // the call, or the return of a reply
	call     *flow.Call      // nil for a reply
	value    ssa.Value
	expr     ast.Expr        // the value as it is written, or nil
	text     string          // name of the value, if it differs from its text
	op       string          // the operation on it
	receiver *flow.Summary   // effects of the receiver on it; nil if unknown
	wrote    token.Pos       // where the receiver writes to it, if that is known
	many     bool            // there may be several receivers
	state    bool            // it becomes the state of an actor
	of       *types.TypeName // the type of that state
	pos      token.Pos       // where it is reported; if not given, at the call

	refused func(from, to *ssa.BasicBlock) bool // edges on which it was not sent; nil: none
}

func (c *checker) call(call *flow.Call) {
	if call.API == nil {
		c.through(call)
		return
	}
	for _, v := range c.Messages(call) {
		c.sent(call, v)
	}
	if call.Is(api.Select) || call.Is(api.TrySelect) {
		c.selected(call)
	}
	c.spawned(call)
}

func (c *checker) sent(call *flow.Call, v ssa.Value) {
	if c.ToSelf(call) {
		return
	}
	s := &send{
		at: call.Instr, call: call, value: v, many: call.API.Many, op: "is sent",
		expr: c.ArgExpr(call, call.API.Payload),
	}
	if call.API.Request != 0 {
		s.text = "what the request holds"
	}
	if call.API.Freezes {
		s.op = "is frozen"
	}
	c.subscribed = 0
	s.receiver, s.wrote = c.receiver(call)
	if strings.HasPrefix(call.API.Name, "group.Topic.") {
		s.many = c.subscribed > 1
	}
	if call.API.Waits {
		c.asked(s)
		return
	}
	c.check(s)
}

func (c *checker) receiver(call *flow.Call) (*flow.Summary, token.Pos) {
	if s := c.ReceivedBy(call); s != nil {
		return s, token.NoPos
	}
	if strings.HasPrefix(call.API.Name, "group.Topic.") {
		return c.subscribers(call), token.NoPos
	}
	b := call.Arg(api.Recv)
	if b == nil {
		b = call.Arg(2) // the function AskTo
	}
	wrote := token.NoPos
	var all *flow.Summary
	for _, b := range c.behaviours(b, 2) {
		if s := c.ReceiverOf(b); s != nil {
			wrote = max(wrote, c.MessageWrite(b))
			all = cmp.Or(all, &flow.Summary{})
			all.Writes, all.Keeps = append(all.Writes, s.Writes...), append(all.Keeps, s.Keeps...)
		}
	}
	return all, wrote
}

// behaviours returns the behaviours that a value with sends may be: a behaviour, or the behaviour
// of a Handler, also if it comes from a field, or from a list literal at its use.
func (c *checker) behaviours(v ssa.Value, left int) []ssa.Value {
	if h := flow.MadeBy(v); h != nil && h.API != nil && h.API.To != 0 {
		return []ssa.Value{h.Arg(api.Recv)}
	}
	var held []ssa.Value
	if load, ok := v.(*ssa.UnOp); ok && left > 0 {
		switch at := load.X.(type) {
		case *ssa.FieldAddr:
			held = c.Held(at)
		case *ssa.IndexAddr:
			held, _ = flow.Variadic(at.X)
		}
	}
	if len(held) == 0 {
		return []ssa.Value{v}
	}
	var all []ssa.Value
	for _, h := range held {
		all = append(all, c.behaviours(h, left-1)...)
	}
	return all
}

// asked examines a request whose caller waits for the reply. There is a race only if the receiver
// keeps the argument, and writes to it later, or sends it on.
func (c *checker) asked(s *send) {
	if s.receiver == nil || len(s.receiver.Keeps) == 0 {
		return
	}
	for _, part := range c.Parts(s.value) {
		_, global := part.Root.(*ssa.Global)
		if w := c.after(s, part, true); w != nil && !global && c.StateOf(part.Path) == nil {
			c.report(s, "kept by the receiver, and written to afterwards%s", w.Instr.Pos())
		}
	}
}

// through examines a call of a function that sends its argument.
func (c *checker) through(call *flow.Call) {
	_, now := call.Instr.(*ssa.Call)
	for arg, e := range call.With(c.SummaryOf(call).Sends) {
		if now && e.Steps == "" {
			c.check(&send{
				at: call.Instr, call: call, value: arg, op: "is sent by " + call.Name(),
				expr: c.ArgExpr(call, call.Param(e.Param)),
			})
		}
	}
}

// replies examines the result of a behaviour of requests: it is sent to the caller.
func (c *checker) replies(t *flow.Turn) {
	for instr := range flow.Instructions(t.Fn) {
		ret, ok := instr.(*ssa.Return)
		if !ok || len(ret.Results) == 0 {
			continue
		}
		c.check(&send{
			at: ret, value: ret.Results[0], op: "is sent in the reply", expr: c.SentExpr(ret.Pos()),
		})
	}
}

// check judges a sent value, part by part.
func (c *checker) check(s *send) {
	if !s.at.Pos().IsValid() && !s.pos.IsValid() {
		return
	}
	for _, part := range c.PartsWhen(s.value, s.at) {
		state := c.StateOf(part.Path)
		g, global := part.Root.(*ssa.Global)
		switch {
		case s.state && !c.Strict:
			c.inState(s, part)
		case global && !s.state:
			c.global(s, part, g)
		case state != nil:
			c.state(s, part, state)
		case !global:
			c.local(s, part)
		}
	}
}

// selected examines the cases of a select that send the value of a variable.
func (c *checker) selected(call *flow.Call) {
	all, _ := flow.Variadic(call.Arg(2))
	for n, v := range all {
		made := flow.MadeBy(v)
		if made == nil || !made.Is(api.SendTo) {
			continue
		}
		held := c.Only(made.Arg(2))
		if held == nil || !flow.Refers(held.Type()) {
			continue
		}
		c.check(&send{
			at: call.Instr, call: call, value: held, op: "is sent", text: "what SendTo sends",
			refused: flow.NotChosen(call, int64(n)),
		})
	}
}

// state judges memory that belongs to the state of the sender. It is within reach of all later
// behaviours, unless the state lets go of it.
func (c *checker) state(s *send, part flow.Part, state *types.TypeName) {
	direct := s.pos.IsValid() || s.call != nil && s.call.API != nil && !s.state
	if part.Load == nil && (part.Steps == "" || direct) || !c.stays(s, part) {
		return // rule GV4 reports values that are no copies
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
	walk.Skip = s.refusedOn()
	return last || walk.Ends(s.at) && !c.isReleased(part)
}

// isReleased reports whether all callers of a function put other memory in the place of a part
// afterwards.
func (c *checker) isReleased(part flow.Part) bool {
	callers := 0
	for call, arg := range c.Given(part.Root.(*ssa.Parameter)) {
		callers++
		for _, q := range c.Paths(arg) {
			at := flow.Path{Root: q.Root, Steps: q.Steps + part.Steps}
			w := flow.Walk{Stop: func(i ssa.Instruction) bool { return c.Replaces(i, at) }}
			if w.Ends(call.Instr) {
				return false
			}
		}
	}
	return callers > 0
}

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

func (c *checker) receiverWrites(s *send, part flow.Part) bool {
	if s.receiver == nil {
		return false
	}
	return slices.ContainsFunc(s.receiver.Writes, func(e flow.Effect) bool {
		return e.Steps != "" && leadsTo(s.value, part, e.Steps)
	})
}

// leadsTo reports whether a way from the message ends in a part of it. A value that is not a struct
// is the part itself; of a struct, the part is a field of that type.
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
