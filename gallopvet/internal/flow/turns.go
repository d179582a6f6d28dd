package flow

import (
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Turn is a function that runs in the turns of an actor, a behaviour or a hook; or a process.
type Turn struct {
	Fn      *ssa.Function
	Process bool
	Replies bool // its result is sent
	Start   bool // it runs before the first message
	// It runs before or after the behaviours of all actors of a type, or of a system.
	Interceptor bool
	Behaviour   bool
	Name        string // for messages
}

// Handlers returns the methods of a behaviour.
func (p *Package) Handlers(b *ssa.Global) []*ssa.Function { return p.behaviours[b] }

// State returns the parameter that is the state, or nil. A process has none.
func (t *Turn) State() *ssa.Parameter {
	if t.Process {
		return nil
	}
	if all := t.Fn.Params; len(all) > 0 && Is[*types.Pointer](all[0].Type()) && !isContext(all[0].Type()) {
		return all[0]
	}
	return nil
}

// StateType returns the type of the state of a turn, or nil.
func (t *Turn) StateType() *types.TypeName {
	if s := t.State(); s != nil {
		return TypeName(s.Type())
	}
	return nil
}

// TypeName returns the name of a type, or of the type it points to; nil if it has none.
func TypeName(t types.Type) *types.TypeName {
	if n := api.Named(t); n != nil {
		return n.Obj()
	}
	return nil
}

// Step says how a function comes to run in a turn.
type Step struct {
	Turn     *Turn
	By       *Call         // by which it runs; nil for the turn's function
	From     *ssa.Function // in which the call is
	Depth    int
	Blocking bool // it runs in Context.Blocking, or Proc.Blocking
}

// InTurn returns how a function comes to run in a turn, or nil.
func (p *Package) InTurn(fn *ssa.Function) *Step { return p.inTurn[fn] }

// How says by which calls a turn comes to a function, or nothing if it is the turn's own.
func (p *Package) How(fn *ssa.Function) string {
	step := p.inTurn[fn]
	if step == nil || step.By == nil {
		return ""
	}
	var way string
	for s := step; s != nil && s.By != nil; s = p.inTurn[s.From] {
		if s.By.API == nil {
			way = " → " + s.By.Name() + way
		}
	}
	return " (" + step.Turn.Name + way + ")"
}

// Async returns the instruction that makes a function run in another goroutine or in the turn of
// another actor, or nil.
func (p *Package) Async(fn *ssa.Function) ssa.Instruction { return p.async[fn] }

// IsState reports whether a type is, or points to, the state of an actor type of the package.
func (p *Package) IsState(t types.Type) bool {
	return p.states[TypeName(t)]
}

func isContext(t types.Type) bool { return api.TypeName(t) == api.Context }

// ContextParam returns the parameter of a function that is the context of the turn, or nil.
func ContextParam(fn *ssa.Function) *ssa.Parameter { return paramOf(fn, isContext) }

// PartyParam returns the parameter of a function that is the process which runs it, or nil.
func PartyParam(fn *ssa.Function) *ssa.Parameter { return paramOf(fn, IsParty) }

func paramOf(fn *ssa.Function, is func(types.Type) bool) *ssa.Parameter {
	if i := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return is(p.Type()) }); i >= 0 {
		return fn.Params[i]
	}
	return nil
}

func (p *Package) findTurns() {
	p.inTurn = map[*ssa.Function]*Step{}
	p.async = map[*ssa.Function]ssa.Instruction{}
	p.behaviours = map[*ssa.Global][]*ssa.Function{}
	p.states = map[*types.TypeName]bool{}
	for _, fn := range p.Funcs {
		for _, c := range p.calls[fn] {
			p.findTurn(c)
			p.findAsync(c)
		}
		for instr := range Instructions(fn) {
			p.findField(instr)
		}
	}
	// A function called by a behaviour and by a process counts as the behaviour's.
	slices.SortStableFunc(p.Turns, func(a, b *Turn) int {
		switch {
		case a.Process == b.Process:
			return 0
		case a.Process:
			return 1
		}
		return -1
	})
	for _, t := range p.Turns {
		if p.inTurn[t.Fn] == nil {
			p.inTurn[t.Fn] = &Step{Turn: t}
		}
	}
	p.follow(p.Turns)
	p.findParties()
}

// findParties treats functions with a parameter for the running process as processes, unless their
// callers are known.
func (p *Package) findParties() {
	for _, fn := range p.Funcs {
		if PartyParam(fn) != nil && p.inTurn[fn] == nil && p.async[fn] == nil {
			t := newProcess(fn)
			p.inTurn[fn] = &Step{Turn: t}
			p.follow([]*Turn{t})
		}
	}
}

func newProcess(fn *ssa.Function) *Turn {
	if fn.Parent() != nil {
		return &Turn{Fn: fn, Process: true, Name: "the process"}
	}
	return &Turn{Fn: fn, Process: true, Name: fn.Name()}
}

// Where describes where a function runs that an instruction starts.
func Where(by ssa.Instruction) string {
	call := CallOf(by)
	switch _, isGo := by.(*ssa.Go); {
	case isGo:
		return "a goroutine"
	case call == nil || call.Fn == nil:
		return "a function that runs elsewhere"
	case call.API != nil && call.API.Process:
		return "another process"
	}
	return "a function that " + call.Name() + " runs elsewhere"
}

func (p *Package) findTurn(c *Call) {
	if c.API == nil || c.API.Turn == 0 {
		return
	}
	fn := p.FuncOf(c.Arg(c.API.Turn))
	if fn == nil || len(fn.Blocks) == 0 {
		return
	}
	t := &Turn{Fn: fn, Name: fn.Name(), Behaviour: c.API.Role == api.Handle}
	if c.API.Process {
		t = newProcess(fn)
	}
	t.Replies = c.API.Replies
	t.Start = c.API.Role == api.StartHook
	if g := GlobalOf(c.Arg(api.Recv)); g != nil && t.Behaviour {
		p.behaviours[g] = append(p.behaviours[g], fn)
		t.Name = g.Name()
	}
	if s := t.StateType(); s != nil {
		p.states[s] = true
	}
	p.Turns = append(p.Turns, t)
}

func (p *Package) findAsync(c *Call) {
	if _, ok := c.Instr.(*ssa.Go); ok {
		p.noteAsync(c.static, c.Instr)
	}
	if c.API == nil {
		p.findStarted(c)
		return
	}
	for _, arg := range c.API.Elsewhere {
		p.noteAsync(p.FuncOf(c.Arg(arg)), c.Instr)
	}
}

// findStarted notes functions that are given to one which starts them elsewhere, as far as that is
// known by now.
func (p *Package) findStarted(c *Call) {
	for _, arg := range c.functions(p.SummaryOf(c).Starts) {
		p.noteAsync(p.FuncOf(arg), c.Instr)
	}
}

func (c *Call) functions(all []Effect) []ssa.Value {
	var fns []ssa.Value
	for arg, e := range c.With(all) {
		if e.Steps == "" && e.Method == "" && Is[*types.Signature](arg.Type()) {
			fns = append(fns, arg)
		}
	}
	return fns
}

// BoundMethod returns the method value by which an instruction has a method run elsewhere, or nil.
func (p *Package) BoundMethod(fn *ssa.Function, by ssa.Instruction) *ssa.MakeClosure {
	ci, ok := by.(ssa.CallInstruction)
	if !ok || fn.Parent() != nil {
		return nil
	}
	for _, v := range append([]ssa.Value{ci.Common().Value}, ci.Common().Args...) {
		if m, ok := Plain(v).(*ssa.MakeClosure); ok && p.FuncOf(m) == fn {
			return m
		}
	}
	return nil
}

func (p *Package) noteAsync(fn *ssa.Function, by ssa.Instruction) {
	if fn != nil && len(fn.Blocks) > 0 {
		p.async[fn] = by
	}
}

func (p *Package) findField(instr ssa.Instruction) {
	if send, ok := instr.(*ssa.Send); ok {
		p.noteAsync(literal(send.X), send) // its receiver runs it
		return
	}
	st, ok := instr.(*ssa.Store)
	if !ok {
		return
	}
	at, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	structType := at.X.Type().Underlying().(*types.Pointer).Elem()
	if api.RunsElsewhere(structType, fieldName(structType, at.Field)) {
		p.noteAsync(p.FuncOf(st.Val), st)
	}
	if api.TypeName(structType) == api.Interceptor {
		if fn := p.FuncOf(st.Val); fn != nil && len(fn.Blocks) > 0 {
			p.Turns = append(p.Turns, &Turn{Fn: fn, Interceptor: true, Name: "an interceptor"})
		}
	}
}

// follow finds the functions that turns call, within the package. Calls outside of Context.Blocking
// come first, so that a function which is called in both ways counts as such.
func (p *Package) follow(turns []*Turn) {
	var queue, later []*ssa.Function
	for _, t := range turns {
		queue = append(queue, t.Fn)
	}
	for len(queue) > 0 || len(later) > 0 {
		if len(queue) == 0 {
			queue, later = later, nil
		}
		fn := queue[0]
		queue = queue[1:]
		for _, c := range p.calls[fn] {
			for _, next := range p.enter(fn, c) {
				if p.inTurn[next].Blocking && !p.inTurn[fn].Blocking {
					later = append(later, next)
				} else {
					queue = append(queue, next)
				}
			}
		}
	}
}

// enter notes the functions that a call runs in a turn, and returns the new ones.
func (p *Package) enter(fn *ssa.Function, c *Call) []*ssa.Function {
	step := p.inTurn[fn]
	var found []*ssa.Function
	for _, next := range p.runs(c) {
		known := p.inTurn[next]
		blocking := step.Blocking || c.API != nil && c.API.Role == api.Blocking
		better := known == nil || known.Blocking && !blocking
		if !better || p.async[next] != nil && next.Parent() != nil || p.local(next) == nil {
			continue
		}
		p.inTurn[next] = &Step{step.Turn, c, fn, step.Depth + 1, blocking}
		found = append(found, next)
	}
	return found
}

func (p *Package) local(fn *ssa.Function) *ssa.Function {
	if fn == nil || len(fn.Blocks) == 0 || fn.Pkg != p.SSA {
		return nil
	}
	return fn
}

// runs lists the functions that a call runs before it returns.
func (p *Package) runs(c *Call) []*ssa.Function {
	if _, ok := c.Instr.(*ssa.Go); ok {
		return nil
	}
	var all []*ssa.Function
	if c.API == nil {
		all = append(all, p.unwrap(c.static))
	}
	for _, arg := range p.ranArguments(c) {
		all = append(all, p.FuncOf(arg))
	}
	return all
}

// FuncOf returns the function that a value is, if there is only one, or nil.
func (p *Package) FuncOf(v ssa.Value) *ssa.Function {
	switch v := Plain(v).(type) {
	case *ssa.Function:
		return p.unwrap(v)
	case *ssa.MakeClosure:
		return p.unwrap(v.Fn.(*ssa.Function))
	case *ssa.UnOp:
		at := v.X
		if free, ok := at.(*ssa.FreeVar); ok {
			at = p.Bound(free)
		}
		if f, ok := at.(*ssa.FieldAddr); ok {
			if all := p.held[fieldVar(f)]; len(all) == 1 {
				return literal(all[0])
			}
		} else if held := p.Only(at); held != nil {
			return p.FuncOf(held)
		}
	case *ssa.FreeVar:
		if b := p.Bound(v); b != nil {
			return p.FuncOf(b)
		}
	case *ssa.Call:
		return p.returnedFunc(v)
	}
	return nil
}

func literal(v ssa.Value) *ssa.Function {
	switch v := Plain(v).(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	}
	return nil
}

// returnedFunc returns the literal that a function of the package returns, if it returns no other.
func (p *Package) returnedFunc(call *ssa.Call) *ssa.Function {
	var found *ssa.Function
	for _, v := range p.Results(call.Call.StaticCallee()) {
		f := literal(v)
		if f == nil || found != nil && found != f {
			return nil
		}
		found = f
	}
	return found
}

// unwrap returns the method of a method expression or method value, or the generic function of an
// instance.
func (p *Package) unwrap(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj, ok := fn.Object().(*types.Func); ok && wrapper.MatchString(fn.Synthetic) {
		if real := p.SSA.Prog.FuncValue(obj.Origin()); real != nil {
			return real
		}
	}
	return fn
}

var wrapper = regexp.MustCompile("thunk|bound|wrapper")

func fieldName(structType types.Type, i int) string {
	return structType.Underlying().(*types.Struct).Field(i).Name()
}

// FieldName returns the name of the field whose address is taken.
func FieldName(at *ssa.FieldAddr) string { return fieldName(deref(at.X.Type()), at.Field) }
