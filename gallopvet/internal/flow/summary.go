package flow

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Effect is an access of a function to memory that one of its parameters leads to. Parameters are
// counted from 0, with the receiver.
type Effect struct {
	Param  int
	Steps  string
	Result int    // number of the result
	At     string // where in the result
	Method string // called method of a value in an interface; "" is the function itself
}

// Summary is a fact: the effects of a function on its parameters, and its waits.
type Summary struct {
	Writes  []Effect // it writes there
	Renews  []Effect // it puts other memory there, on every path
	Keeps   []Effect // it puts it where it outlives the call
	Sends   []Effect // it sends it to another actor
	Returns []Effect // it returns it
	Calls   []Effect // it calls the function, or the method, and has returned from that when it returns
	Hands   []Effect // it hands it to a function that it is given, whose number Method has, as its argument Result
	Starts  []Effect // it has the function run in a goroutine, or by another actor
	Moves   []Effect // it gives the Iso away
	Waits   []Effect // it waits for the system, so that it panics in a behaviour
	Blocks  string   // the function by which it may wait for long, "" if none
	Syncs   bool     // it waits for others, or takes a lock: their earlier acts are over
	Joins   bool     // it waits for others to be done
	Shares  bool     // it writes to a package-level variable without a lock
	// Its type parameters that become messages of behaviours which it declares.
	Declares []int
}

// AFact marks a fact.
func (*Summary) AFact() {}

// classes lists the effects by class, as kinds names them.
func (s *Summary) classes() []*[]Effect {
	return []*[]Effect{
		&s.Writes, &s.Renews, &s.Keeps, &s.Sends, &s.Returns, &s.Calls, &s.Starts, &s.Moves, &s.Waits, &s.Hands,
	}
}

func (s *Summary) size() int {
	n := len(s.Blocks) + len(s.Declares)
	for _, c := range s.classes() {
		n += len(*c)
	}
	for _, is := range []bool{s.Syncs, s.Shares} {
		if is {
			n++
		}
	}
	return n
}

// Receiver is a fact about a package-level behaviour: the effects of its method on a message.
type Receiver struct{ Summary }

// rounds is how often functions are looked at again after others have changed.
const rounds = 4

// summarise finds the summaries of the functions, and exports them.
func (p *Package) summarise() {
	p.summaries = map[*ssa.Function]*Summary{}
	changed := true
	for n := 0; changed && n < rounds; n++ {
		changed = false
		p.forget()
		for _, fn := range p.Funcs {
			s, old := p.summaryOf(fn), p.summaries[fn]
			changed = changed || old == nil || old.size() != s.size()
			p.summaries[fn] = s
		}
	}
	p.forget()
	p.export()
}

// startedByOthers finds functions that run elsewhere, and in turns, again when the starts by
// functions of the package are known. If it finds more, the functions are examined once more.
func (p *Package) startedByOthers() {
	before := len(p.async)
	for c := range p.AllCalls() {
		p.findStarted(c)
	}
	if len(p.async) == before {
		return
	}
	for fn := range p.async {
		if step := p.inTurn[fn]; fn.Parent() != nil && step != nil && step.By != nil {
			delete(p.inTurn, fn) // it is called in a turn no more, but is no turn's own
		}
	}
	p.guards = map[*ssa.Function]bool{}
	p.summarise()
}

func (p *Package) export() {
	for _, fn := range p.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if s := p.summaries[fn]; ok && s != nil && s.size() > 0 && obj.Pkg() == p.Pkg {
			p.ExportObjectFact(obj, s)
		}
	}
	for g, handlers := range p.behaviours {
		if g.Object() == nil || g.Pkg != p.SSA {
			continue
		}
		if s := p.ofMessage(handlers); s.size() > 0 {
			p.ExportObjectFact(g.Object(), &Receiver{*s})
		}
	}
}

// ofMessage returns the effects of a behaviour's methods on its messages, as effects on parameter
// 0. Values kept in the state may be written to by other behaviours.
func (p *Package) ofMessage(handlers []*ssa.Function) *Summary {
	all := &Summary{}
	for _, fn := range handlers {
		if s := p.summaries[fn]; s != nil {
			all.Writes = append(all.Writes, only(s.Writes, 2)...)
			all.Keeps = append(all.Keeps, only(s.Keeps, 2)...)
			all.Sends = append(all.Sends, only(s.Sends, 2)...)
			p.addLater(all, fn)
		}
	}
	return all
}

// addLater adds the writes of behaviours to values that one of them has kept of its message.
func (p *Package) addLater(s *Summary, fn *ssa.Function) {
	if len(fn.Params) < 3 {
		return
	}
	for instr := range Instructions(fn) {
		to, v, step := Stored(instr)
		if to == nil || !Refers(v.Type()) {
			continue
		}
		for _, at := range p.Paths(to) {
			state := p.StateOf(at)
			if state == nil || p.TurnWrite(state, at.Steps+step, true) == nil {
				continue
			}
			for _, q := range p.Paths(v) {
				if q.Root == fn.Params[2] {
					s.Writes = add(s.Writes, []Effect{{Steps: q.Steps + "[]"}})
				}
			}
		}
	}
}

func only(effects []Effect, param int) []Effect {
	var all []Effect
	for _, e := range effects {
		if e.Param == param {
			all = append(all, Effect{Steps: e.Steps})
		}
	}
	return all
}

// SummaryOf returns the summary of the called function. For gallop's own functions it is empty:
// package api describes them.
func (p *Package) SummaryOf(c *Call) *Summary {
	if c == nil || c.API != nil {
		return &Summary{}
	}
	if s := p.summaries[p.unwrap(c.static)]; s != nil {
		return s
	}
	return p.SummaryOfObject(c.Fn)
}

// SummaryOfObject returns the summary of a function, of another package or of this one.
func (p *Package) SummaryOfObject(fn *types.Func) *Summary {
	if fn == nil || fn.Pkg() == nil {
		return &Summary{}
	}
	if fn.Pkg() == p.Pkg && byHand[fn.FullName()] == "" {
		return cmp.Or(p.summaries[p.SSA.Prog.FuncValue(fn)], &Summary{})
	}
	s := p.foreign[fn]
	if s == nil {
		if s = library(fn); s == nil {
			s = &Summary{}
			p.ImportObjectFact(fn, s)
		}
		p.foreign[fn] = s
	}
	return s
}

// MessageWrite returns where the methods of a behaviour of the package write to memory that a
// message leads to, if they do.
func (p *Package) MessageWrite(b ssa.Value) token.Pos {
	for _, fn := range p.behaviours[GlobalOf(b)] {
		for _, a := range p.Accesses(fn) {
			if len(fn.Params) > 2 && a.Write && a.At.Root == fn.Params[2] && a.At.Steps != "" {
				return a.Instr.Pos()
			}
		}
	}
	return token.NoPos
}

// ReceiverOf returns the effects of a behaviour's methods on its messages, as effects on parameter
// 0; nil if they are unknown.
func (p *Package) ReceiverOf(b ssa.Value) *Summary {
	g := GlobalOf(b)
	if g == nil {
		return nil
	}
	if handlers := p.behaviours[g]; handlers != nil {
		return p.ofMessage(handlers)
	}
	if g.Object() == nil {
		return nil
	}
	var r Receiver
	if p.ImportObjectFact(g.Object(), &r) {
		return &r.Summary
	}
	return nil
}

func (p *Package) summaryOf(fn *ssa.Function) *Summary {
	s := &Summary{}
	for _, f := range WithLiterals(fn) {
		p.addWrites(s, f, fn)
		p.addKeeps(s, f, fn)
		p.addCalls(s, f, fn)
	}
	p.addReturns(s, fn)
	p.addRenews(s, fn)
	p.addBlocks(s, fn)
	for instr := range Instructions(fn) {
		s.Syncs = s.Syncs || p.Syncs(instr)
		s.Joins = s.Joins || p.Joins(instr)
	}
	return s
}

func effects(fn *ssa.Function, paths []Path) []Effect {
	var all []Effect
	for _, q := range paths {
		for i, param := range fn.Params {
			if q.Root == param {
				all = append(all, Effect{Param: i, Steps: q.Steps})
			}
		}
	}
	return all
}

func add(to []Effect, more []Effect) []Effect {
	for _, e := range more {
		if !slices.Contains(to, e) && len(to) < manyParts {
			to = append(to, e)
		}
	}
	return to
}

func (p *Package) passed(fn *ssa.Function, c *Call, callee []Effect) []Effect {
	var all []Effect
	for arg, e := range c.With(callee) {
		for _, on := range effects(fn, each(p.Paths(arg), e.Steps)) {
			on.Method = e.Method
			all = append(all, on)
		}
	}
	return all
}

func (p *Package) addWrites(s *Summary, in, of *ssa.Function) {
	if p.Guarded(in) {
		return
	}
	for _, a := range p.Accesses(in) {
		if a.Write {
			s.Writes = add(s.Writes, effects(of, []Path{a.At}))
		}
		s.Shares = s.Shares || p.Shares(a) && p.async[in] == nil && !p.DuringInit(in)
	}
}

// Shares reports whether an access writes to a package-level variable that has no lock, or is a call of
// a function of another package that does so with one of its own.
func (p *Package) Shares(a *Access) bool {
	g, ok := a.At.Root.(*ssa.Global)
	if !ok || !a.Write || OwnElement(a.Instr) {
		_, by := a.At.Root.(*ssa.Function)
		return by
	}
	t := deref(g.Type())
	fine, _ := p.Sendable(t)
	n := api.Named(t)
	return a.By == nil || g.Pkg == p.SSA && (!fine || n != nil && n.Obj().Pkg() == p.Pkg)
}

// OwnElement reports whether an instruction writes to an element whose number is not fixed: each
// turn may have one of its own.
func OwnElement(i ssa.Instruction) bool {
	st, ok := i.(*ssa.Store)
	if !ok {
		return false
	}
	for addr := st.Addr; ; {
		switch at := addr.(type) {
		case *ssa.FieldAddr:
			addr = at.X
		case *ssa.IndexAddr:
			_, fixed := at.Index.(*ssa.Const)
			return !fixed
		default:
			return false
		}
	}
}

// addKeeps notes values that outlive the call: values put into older memory, and sent values.
func (p *Package) addKeeps(s *Summary, in, of *ssa.Function) {
	for instr := range Instructions(in) {
		if at, v, _ := Stored(instr); v != nil && (at == nil || p.outlives(at)) {
			s.Keeps = add(s.Keeps, effects(of, p.shared(v, instr)))
		}
	}
	for _, c := range p.calls[in] {
		p.addSends(s, c, of)
		p.addDeclares(s, c)
	}
}

func (p *Package) addDeclares(s *Summary, c *Call) {
	callee := p.SummaryOf(c)
	for i, arg := range c.TypeArgs() {
		param, ok := types.Unalias(arg).(*types.TypeParam)
		if ok && (c.API != nil && i < c.API.Messages || slices.Contains(callee.Declares, i)) &&
			!slices.Contains(s.Declares, param.Index()) {
			s.Declares = append(s.Declares, param.Index())
		}
	}
}

func (p *Package) shared(v ssa.Value, when ssa.Instruction) []Path {
	var all []Path
	for _, part := range p.PartsWhen(v, when) {
		all = append(all, part.Path)
	}
	return all
}

func (p *Package) addSends(s *Summary, c *Call, of *ssa.Function) {
	callee := p.SummaryOf(c)
	s.Sends = add(s.Sends, p.passed(of, c, callee.Sends))
	s.Keeps = add(s.Keeps, p.passed(of, c, callee.Keeps))
	for _, v := range p.Messages(c) {
		if !p.ToSelf(c) && !c.API.Waits && !c.API.Freezes {
			s.Sends = add(s.Sends, effects(of, p.shared(v, c.Instr)))
		}
	}
}

// addCalls notes the fate of functions, interfaces, Isos and systems that are arguments of a call.
func (p *Package) addCalls(s *Summary, in, of *ssa.Function) {
	for instr := range Instructions(in) {
		ci, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		common := ci.Common()
		c := p.CallOf(instr)
		_, isGo := instr.(*ssa.Go)
		calls := &s.Calls // a function that is waited for counts as called
		if isGo && !p.Waited(instr) || in != of && p.async[in] != nil && !p.Waited(p.async[in]) {
			calls = &s.Starts
		}
		switch {
		case common.IsInvoke() && (c == nil || c.static == nil) && !isGo:
			for _, e := range effects(of, p.Paths(common.Value)) {
				e.Method = common.Method.Name()
				s.Calls = add(s.Calls, []Effect{e})
			}
		case c == nil || c.static == nil && !common.IsInvoke():
			called := effects(of, p.Paths(common.Value))
			*calls = add(*calls, called)
			for _, f := range called {
				for n, arg := range common.Args {
					p.addHands(s, of, arg, n, f)
				}
			}
		}
		if c == nil {
			continue
		}
		if c.API != nil {
			p.addOfAPI(s, c, of)
			continue
		}
		callee := p.SummaryOf(c)
		*calls = add(*calls, p.passed(of, c, callee.Calls))
		if len(callee.Starts) > 0 && p.Waited(instr) {
			s.Calls = add(s.Calls, p.passed(of, c, callee.Starts))
		} else {
			s.Starts = add(s.Starts, p.passed(of, c, callee.Starts))
		}
		p.addHandsOf(s, of, c, callee)
		s.Moves = add(s.Moves, p.passed(of, c, callee.Moves))
		if p.async[in] == nil && !isGo {
			s.Waits = add(s.Waits, p.passed(of, c, callee.Waits))
		}
	}
}

func (p *Package) addHands(s *Summary, of *ssa.Function, arg ssa.Value, n int, f Effect) {
	if f.Steps != "" || !Refers(arg.Type()) || p.Guarded(of) {
		return
	}
	for _, e := range effects(of, p.Paths(arg)) {
		e.Result, e.Method = n, strconv.Itoa(f.Param)
		s.Hands = add(s.Hands, []Effect{e})
	}
}

// addHandsOf notes the same for a called function, with its arguments.
func (p *Package) addHandsOf(s *Summary, of *ssa.Function, c *Call, callee *Summary) {
	args := c.Args()
	for arg, h := range c.With(callee.Hands) {
		n, _ := strconv.Atoi(h.Method)
		if n >= len(args) {
			continue
		}
		for _, f := range effects(of, p.Paths(args[n])) {
			for _, e := range effects(of, each(p.Paths(arg), h.Steps)) {
				if f.Steps == "" {
					e.Result, e.Method = h.Result, strconv.Itoa(f.Param)
					s.Hands = add(s.Hands, []Effect{e})
				}
			}
		}
	}
}

// addOfAPI notes the effects of a call of gallop on a parameter.
func (p *Package) addOfAPI(s *Summary, c *Call, of *ssa.Function) {
	for _, n := range c.API.Elsewhere {
		s.Starts = add(s.Starts, effects(of, p.Paths(c.Arg(n))))
	}
	for _, n := range c.API.Sync {
		s.Calls = add(s.Calls, effects(of, p.Paths(c.Arg(n))))
	}
	if c.API.Role == api.EndIso {
		s.Moves = add(s.Moves, effects(of, p.Paths(c.Arg(api.Recv))))
	}
	if c.API.InTurn == api.PanicsOfSystem && c.Instr.Parent() == of {
		if _, now := c.Instr.(*ssa.Call); now && p.always(c.Instr) {
			s.Waits = add(s.Waits, effects(of, p.Paths(c.Arg(api.Recv))))
		}
	}
}

func (p *Package) always(i ssa.Instruction) bool {
	fn := i.Parent()
	w := Walk{Stop: func(o ssa.Instruction) bool { return o == i }}
	first := fn.Blocks[0].Instrs[0]
	return first == i || !w.Ends(first)
}

func (p *Package) outlives(addr ssa.Value) bool {
	for _, q := range p.Paths(addr) {
		switch q.Root.(type) {
		case *ssa.Parameter, *ssa.Global:
			return true
		}
	}
	return false
}

// addReturns notes results that a parameter leads to, or that contain such a value. A value that
// the function has replaced before it returns is no longer its caller's.
func (p *Package) addReturns(s *Summary, fn *ssa.Function) {
	for instr := range Instructions(fn) {
		ret, ok := instr.(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			if ok, _ := p.Sendable(v.Type()); ok && !IsParam(v.Type()) && !Is[*types.Signature](v.Type()) {
				continue
			}
			if Is[*types.Interface](v.Type()) || Is[*types.Signature](v.Type()) {
				for _, e := range effects(fn, p.Paths(v)) {
					e.Result = i
					s.Returns = add(s.Returns, []Effect{e})
				}
				continue
			}
			for _, part := range p.PartsWhen(v, ret) {
				if part.Load != nil && part.Load.Parent() == fn && p.letsGo(part) {
					continue
				}
				for _, e := range effects(fn, []Path{part.Path}) {
					e.Result, e.At = i, part.At
					s.Returns = add(s.Returns, []Effect{e})
				}
			}
		}
	}
}

// letsGo reports whether a function replaces the memory it has read, on every path.
func (p *Package) letsGo(part Part) bool {
	w := Walk{Stop: func(i ssa.Instruction) bool { return p.Replaces(i, part.Path) }}
	return !w.Ends(part.Load)
}

func (p *Package) addRenews(s *Summary, fn *ssa.Function) {
	for instr := range Instructions(fn) {
		switch i := instr.(type) {
		case *ssa.Store:
			for _, at := range p.Paths(i.Addr) {
				if e := effects(fn, []Path{at}); len(e) > 0 && p.renewing(i, at) && p.always(i) {
					s.Renews = add(s.Renews, e)
				}
			}
		case *ssa.Call:
			c := p.CallOf(i)
			if callee := p.SummaryOf(c); len(callee.Renews) > 0 && p.always(i) {
				s.Renews = add(s.Renews, p.passed(fn, c, callee.Renews))
			}
		}
	}
}

// renewing reports whether a store puts memory at a place that the place did not lead to.
func (p *Package) renewing(i *ssa.Store, at Path) bool {
	from := p.Paths(i.Val)
	if Is[*types.Struct](i.Val.Type()) {
		from = p.shared(i.Val, i)
	} else if !Refers(i.Val.Type()) {
		return false
	}
	return !slices.ContainsFunc(from, func(q Path) bool { return q.Root == at.Root })
}
