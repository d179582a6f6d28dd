package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// IsParty reports whether a type is that of a process, as its own code sees it: *Self or *Proc.
func IsParty(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return false
	}
	name := api.TypeName(t)
	return name == api.ProcessSelf || name == api.Proc
}

// InProcess reports whether a function runs in a process: it is the process's, is called from
// there, or is given the process.
func (p *Package) InProcess(fn *ssa.Function) bool {
	step := p.inTurn[fn]
	return step != nil && step.Turn.Process && !p.Elsewhere(fn)
}

// Elsewhere reports whether a function runs in another goroutine, or in the turn of another actor,
// of which nothing is known. The function of a process runs elsewhere than its starter, but it is
// known to be a process.
func (p *Package) Elsewhere(fn *ssa.Function) bool {
	if p.async[fn] == nil {
		return false
	}
	step := p.inTurn[fn]
	return step == nil || step.By != nil || !step.Turn.Process
}

// Started returns the outermost function that runs in the same process or goroutine as a literal;
// the outermost function of the literal, if none in between is started on its own.
func (p *Package) Started(fn *ssa.Function) *ssa.Function {
	for p.async[fn] == nil && fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// Messages returns the messages of a call: an argument, or the results of a function that makes the
// message.
func (p *Package) Messages(c *Call) []ssa.Value {
	if v := c.Payload(); v != nil {
		return []ssa.Value{v}
	}
	if c.API == nil || c.API.Request == 0 {
		return nil
	}
	return p.Results(p.FuncOf(c.Arg(c.API.Request)))
}

// Results returns the results of a function of the package that has one result.
func (p *Package) Results(fn *ssa.Function) []ssa.Value {
	if fn = p.local(p.unwrap(fn)); fn == nil {
		return nil
	}
	var all []ssa.Value
	for instr := range Instructions(fn) {
		if ret, ok := instr.(*ssa.Return); ok && len(ret.Results) == 1 {
			all = append(all, ret.Results[0])
		}
	}
	return all
}

func (p *Package) ownRef(c *Call) bool {
	if !c.Is(api.ProcessRef) {
		return false
	}
	all := p.Paths(c.Arg(api.Recv))
	return len(all) > 0 && !slices.ContainsFunc(all, func(q Path) bool {
		param, ok := q.Root.(*ssa.Parameter)
		return !ok || p.Started(param.Parent()) != p.Started(c.Instr.Parent())
	})
}

// ReceivedBy returns the effects on received values by the process of a ref, or by the receivers of
// a channel, as effects on parameter 0; nil if they are unknown. Only processes of the sending
// function, and of the literals in it, are known.
func (p *Package) ReceivedBy(c *Call) *Summary {
	if c.API == nil {
		return nil
	}
	switch c.API.Name {
	case api.ChanSend, api.ChanTrySend:
		return p.receivedFrom(c.Arg(api.Recv), c.Instr.Parent())
	}
	to := c.Arg(c.API.To)
	if to == nil {
		return nil
	}
	all := p.Paths(to)
	if len(all) != 1 || all[0].Steps != "" {
		return nil
	}
	spawned := MadeBy(all[0].Root)
	if spawned == nil || spawned.API == nil || !spawned.API.Process {
		return nil
	}
	fn := p.local(p.FuncOf(spawned.Arg(spawned.API.Turn)))
	if fn == nil {
		return nil
	}
	return p.writesTo(WithLiterals(fn), func(c *Call) bool {
		return c.API.Syncs && strings.HasPrefix(c.API.Name, "process.Self.Receive")
	})
}

func (p *Package) receivedFrom(ch ssa.Value, in *ssa.Function) *Summary {
	sent := p.Paths(ch)
	return p.writesTo(WithLiterals(Outermost(in)), func(c *Call) bool {
		if !c.Is(api.ChanRecv) && !c.Is(api.ChanTryRecv) {
			return false
		}
		at := p.Paths(c.Arg(api.Recv))
		return len(at) == 1 && slices.Contains(sent, at[0])
	})
}

func (p *Package) writesTo(fns []*ssa.Function, receives func(*Call) bool) *Summary {
	s := &Summary{}
	for _, fn := range fns {
		if p.Locks(fn) {
			continue
		}
		for _, a := range p.Accesses(fn) {
			if c := MadeBy(a.At.Root); a.Write && c != nil && c.API != nil && receives(c) {
				s.Writes = add(s.Writes, []Effect{{Steps: a.At.Steps}})
			}
		}
	}
	return s
}
