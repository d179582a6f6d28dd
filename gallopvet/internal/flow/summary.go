package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Effect is something that a function does with what one of its parameters leads to. Parameters
// are counted from 0, with the receiver.
type Effect struct {
	Param  int
	Steps  string
	Result int // of what it returns
}

// Summary is a fact: what a function does with its parameters, and what it waits for.
type Summary struct {
	Writes  []Effect // it writes there
	Keeps   []Effect // it puts it where it outlives the call
	Sends   []Effect // it sends it to another actor
	Returns []Effect // it returns it
	Blocks  string   // the function by which it may wait for long, "" if none
	Syncs   bool     // it waits for others, so that what they did before is over
}

// AFact marks a fact.
func (*Summary) AFact() {}

// String is what tests of facts see.
func (s *Summary) String() string {
	var words []string
	for _, class := range []struct {
		word    string
		effects []Effect
	}{{"writes", s.Writes}, {"keeps", s.Keeps}, {"sends", s.Sends}, {"returns", s.Returns}} {
		if len(class.effects) > 0 {
			words = append(words, class.word)
		}
	}
	if s.Syncs {
		words = append(words, "waits for others")
	}
	if s.Blocks != "" {
		words = append(words, "waits in "+s.Blocks)
	}
	return strings.Join(words, ", ")
}

func (s *Summary) empty() bool {
	return len(s.Writes)+len(s.Keeps)+len(s.Sends)+len(s.Returns) == 0 && s.Blocks == "" && !s.Syncs
}

// Receiver is a fact about a package-level behaviour: what its method does with a message.
type Receiver struct{ Summary }

// rounds is how often functions are looked at again after others have changed.
const rounds = 4

// summarise finds what the functions do, and exports it.
func (p *Package) summarise() {
	p.summaries = map[*ssa.Function]*Summary{}
	for range rounds {
		p.accesses = map[*ssa.Function][]*Access{}
		p.forgetPaths()
		before := p.summaries
		p.summaries = map[*ssa.Function]*Summary{}
		for _, fn := range p.Funcs {
			p.summaries[fn] = before[fn]
		}
		changed := false
		for _, fn := range p.Funcs {
			s := p.summaryOf(fn)
			old := before[fn]
			changed = changed || old == nil || size(old) != size(s)
			p.summaries[fn] = s
		}
		if !changed {
			break
		}
	}
	p.accesses = map[*ssa.Function][]*Access{}
	p.forgetPaths()
	p.export()
}

func size(s *Summary) int {
	n := len(s.Writes) + len(s.Keeps) + len(s.Sends) + len(s.Returns) + len(s.Blocks)
	if s.Syncs {
		n++
	}
	return n
}

// export makes facts of what other packages may need.
func (p *Package) export() {
	for _, fn := range p.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if s := p.summaries[fn]; ok && s != nil && !s.empty() && obj.Pkg() == p.Pkg {
			p.ExportObjectFact(obj, s)
		}
	}
	for g, handlers := range p.behaviours {
		if g.Object() == nil || g.Pkg != p.SSA {
			continue
		}
		if s := p.ofMessage(handlers); !s.empty() {
			p.ExportObjectFact(g.Object(), &Receiver{*s})
		}
	}
}

// ofMessage returns what the methods of a behaviour do with its messages, as effects on
// parameter 0.
func (p *Package) ofMessage(handlers []*ssa.Function) *Summary {
	all := &Summary{}
	for _, fn := range handlers {
		if s := p.summaries[fn]; s != nil {
			all.Writes = append(all.Writes, only(s.Writes, 2)...)
			all.Keeps = append(all.Keeps, only(s.Keeps, 2)...)
			all.Sends = append(all.Sends, only(s.Sends, 2)...)
		}
	}
	return all
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

// SummaryOf returns what is known of the function that a call calls, or nil.
func (p *Package) SummaryOf(c *Call) *Summary {
	if c == nil {
		return nil
	}
	if fn := p.unwrap(c.static); fn != nil {
		if s := p.summaries[fn]; s != nil {
			return s
		}
	}
	if c.Fn == nil || c.Fn.Pkg() == nil || c.Fn.Pkg() == p.Pkg {
		return nil
	}
	var s Summary
	if p.ImportObjectFact(c.Fn, &s) {
		return &s
	}
	return nil
}

// SummaryOfFunc returns what is known of a function of this package, or nil.
func (p *Package) SummaryOfFunc(fn *ssa.Function) *Summary { return p.summaries[fn] }

// ReceiverOf returns what the methods of a behaviour do with its messages, as effects on
// parameter 0; nil if that is not known.
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

// summaryOf looks at one function, with the literals in it.
func (p *Package) summaryOf(fn *ssa.Function) *Summary {
	s := &Summary{}
	p.addWrites(s, fn, fn)
	p.addKeeps(s, fn, fn)
	for _, anon := range fn.AnonFuncs {
		p.addWrites(s, anon, fn)
		p.addKeeps(s, anon, fn)
	}
	p.addReturns(s, fn)
	p.addBlocks(s, fn)
	for instr := range instructions(fn) {
		s.Syncs = s.Syncs || p.Syncs(instr)
	}
	return s
}

// effects turns paths that begin at a parameter of fn into effects.
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
		known := false
		for _, o := range to {
			known = known || o == e
		}
		if !known && len(to) < 32 {
			to = append(to, e)
		}
	}
	return to
}

// addWrites notes what a function writes to, unless it takes a lock.
func (p *Package) addWrites(s *Summary, in, of *ssa.Function) {
	if p.Locks(in) {
		return
	}
	for _, a := range p.Accesses(in) {
		if a.Write {
			s.Writes = add(s.Writes, effects(of, []Path{a.At}))
		}
	}
}

// addKeeps notes what outlives the call: what is put into memory that was there before, or is
// sent.
func (p *Package) addKeeps(s *Summary, in, of *ssa.Function) {
	for instr := range instructions(in) {
		switch i := instr.(type) {
		case *ssa.Store:
			if p.outlives(i.Addr) {
				s.Keeps = add(s.Keeps, effects(of, p.shared(i.Val)))
			}
		case *ssa.MapUpdate:
			if p.outlives(i.Map) {
				s.Keeps = add(s.Keeps, effects(of, p.shared(i.Value)))
			}
		case *ssa.Send:
			s.Keeps = add(s.Keeps, effects(of, p.shared(i.X)))
		}
	}
	for _, c := range p.calls[in] {
		p.addSends(s, c, of)
	}
}

func (p *Package) shared(v ssa.Value) []Path {
	var all []Path
	for _, part := range p.Parts(v) {
		all = append(all, part.Path)
	}
	return all
}

func (p *Package) addSends(s *Summary, c *Call, of *ssa.Function) {
	if sent := p.Messages(c); len(sent) > 0 {
		if p.ToSelf(c) || c.API.Waits {
			return
		}
		for _, v := range sent {
			s.Sends = add(s.Sends, effects(of, p.shared(v)))
		}
		return
	}
	if c.API != nil {
		return
	}
	callee := p.SummaryOf(c)
	if callee == nil {
		return
	}
	args := c.Instr.Common().Args
	for _, e := range callee.Sends {
		if e.Param < len(args) {
			s.Sends = add(s.Sends, effects(of, each(p.Paths(args[e.Param]), e.Steps)))
		}
	}
	for _, e := range callee.Keeps {
		if e.Param < len(args) {
			s.Keeps = add(s.Keeps, effects(of, each(p.Paths(args[e.Param]), e.Steps)))
		}
	}
}

// outlives reports whether memory was there before the function was called.
func (p *Package) outlives(addr ssa.Value) bool {
	for _, q := range p.Paths(addr) {
		switch q.Root.(type) {
		case *ssa.Parameter, *ssa.Global:
			return true
		}
	}
	return false
}

// addReturns notes which results are what a parameter leads to.
func (p *Package) addReturns(s *Summary, fn *ssa.Function) {
	for instr := range instructions(fn) {
		ret, ok := instr.(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			if ok, _ := p.Sendable(v.Type()); ok {
				continue
			}
			for _, e := range effects(fn, p.Paths(v)) {
				e.Result = i
				s.Returns = add(s.Returns, []Effect{e})
			}
		}
	}
}
