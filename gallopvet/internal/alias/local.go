package alias

import (
	"cmp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// local judges memory that the function has made, was given, or has captured.
func (c *checker) local(s *send, part flow.Part) {
	if w := c.after(s, part, true); w != nil {
		c.report(s, "and written to afterwards%s", w.Instr.Pos())
		return
	}
	if w := c.kept(s, part); w != nil {
		c.report(s, "but is kept in the state, and behaviours write to it%s", w.Instr.Pos())
		return
	}
	if w := c.elsewhere(s, part); w != nil {
		where := "the function that has started this one"
		if fn := asyncOf(c, w.Instr.Parent()); fn != nil {
			where = flow.Where(c.Async(fn))
		}
		c.report(s, "and "+where+" writes to it%s", w.Instr.Pos())
		return
	}
	if c.receiverWrites(s, part) {
		c.shared(s, part)
		return
	}
	if c.Strict {
		if r := c.after(s, part, false); r != nil {
			c.report(s, "and used afterwards%s", r.Instr.Pos())
		}
	}
}

// kept returns a write of behaviours to memory that the same function puts into the state.
func (c *checker) kept(s *send, part flow.Part) *flow.Access {
	for i := range flow.Instructions(s.at.Parent()) {
		addr, v, step := flow.Stored(i)
		if addr == nil {
			continue
		}
		for _, at := range c.Paths(addr) {
			state := c.StateOf(at)
			if state == nil || at.Steps+step == "" {
				continue
			}
			for _, p := range c.PartsWhen(v, i) {
				if p.Path != part.Path || !(flow.Walk{}).Reaches(i, s.at) && !c.walk(s, part).Reaches(s.at, i) {
					continue
				}
				in := flow.Path{Root: at.Root, Steps: at.Steps + step + p.At}
				w := flow.Walk{Stop: func(i ssa.Instruction) bool { return c.Replaces(i, in) }}
				if !w.Ends(i) {
					continue
				}
				if w := c.TurnWrite(state, in.Steps, true); w != nil && !c.locked(w) && w.Instr.Parent() != s.at.Parent() {
					return w
				}
				if w := c.after(s, flow.Part{Path: in, Type: part.Type}, true); w != nil {
					return w
				}
			}
		}
	}
	return nil
}

// shared judges memory that the receiver writes to.
func (c *checker) shared(s *send, part flow.Part) {
	if r := c.after(s, part, false); r != nil {
		c.report(s, "and used afterwards%s, while the receiver writes to it%s", r.Instr.Pos(), s.wrote)
		return
	}
	if s.many {
		c.report(s, "to several receivers, which write to it%s", s.wrote)
		return
	}
	if again := c.again(s, part); again != nil {
		c.report(s, "and sent again%s, to receivers that write to it%s", again.Pos(), s.wrote)
	}
}

// after returns an access to a part that may come after the send: in the same function, or, if that
// is a literal, after a call of it.
func (c *checker) after(s *send, part flow.Part, write bool) *flow.Access {
	const sites = 3 // how many literals around a send are left
	return c.afterIn(s, s.at, part, write, sites)
}

func (c *checker) afterIn(s *send, at ssa.Instruction, part flow.Part, write bool, left int) *flow.Access {
	accesses := map[ssa.Instruction]*flow.Access{} // the first of each
	ends := c.ends(at.Parent())
	for _, a := range c.Accesses(at.Parent()) {
		if !a.Write && write || !a.At.Inside(part.Path) || a.Instr == at || !c.counts(s, a) {
			continue
		}
		if d, ok := a.Instr.(*ssa.Defer); ok {
			if _, both := at.(*ssa.Defer); both && !(flow.Walk{}).Reaches(d, at) {
				continue // it was deferred later, and runs before the send
			}
			for _, end := range ends {
				accesses[end] = cmp.Or(accesses[end], a)
			}
			continue
		}
		accesses[a.Instr] = cmp.Or(accesses[a.Instr], a)
	}
	starts := []ssa.Instruction{at}
	if _, ok := at.(*ssa.Defer); ok {
		starts = ends
	}
	w := c.walkFrom(s, at, part)
	for _, start := range starts {
		if a := accesses[start]; a != nil && start != at {
			return a
		}
		if len(accesses) == 0 {
			continue
		}
		if i := w.First(start, func(i ssa.Instruction) bool { return accesses[i] != nil && i != at }); i != nil {
			return accesses[i]
		}
	}
	if left == 0 || part.Root.Parent() == at.Parent() {
		return nil
	}
	for _, site := range c.Sites(at.Parent()) {
		if found := c.afterIn(s, site, part, write, left-1); found != nil {
			return found
		}
	}
	return nil
}

// ends returns where a function runs what it has deferred.
func (c *checker) ends(fn *ssa.Function) []ssa.Instruction {
	var all []ssa.Instruction
	for i := range flow.Instructions(fn) {
		if _, ok := i.(*ssa.RunDefers); ok && (fn.Recover == nil || i.Block() != fn.Recover) {
			all = append(all, i)
		}
	}
	return all
}

// counts reports whether an access is one of its own, and not the send or another one.
func (c *checker) counts(s *send, a *flow.Access) bool {
	if a.By == nil {
		return true
	}
	call := flow.CallOf(a.Instr)
	return a.Write || call == nil || len(c.Messages(call)) == 0
}

// walk follows the paths on which the memory is still the same: until it is made anew, and not
// where the message was refused.
func (c *checker) walk(s *send, part flow.Part) flow.Walk { return c.walkFrom(s, s.at, part) }

// walkFrom is walk from the send, or from a call of the literal that the send is in.
func (c *checker) walkFrom(s *send, at ssa.Instruction, part flow.Part) flow.Walk {
	root, _ := part.Root.(ssa.Instruction)
	w := flow.Walk{
		Skip: flow.Contradicts(at),
		Stop: func(i ssa.Instruction) bool {
			return root != nil && i == root || c.renews(i, part) || c.Syncs(i) && i != at
		},
	}
	if at != s.at {
		return w
	}
	refused := s.refused
	if s.call != nil && s.call.API != nil && s.call.API.Refuses {
		refused = flow.Refused(s.call)
	}
	if contradicts := w.Skip; refused != nil {
		w.Skip = func(from, to *ssa.BasicBlock) bool { return contradicts(from, to) || refused(from, to) }
	}
	return w
}

// renews reports whether an instruction reads the part anew, from another element.
func (c *checker) renews(i ssa.Instruction, part flow.Part) bool {
	return i == part.Load && strings.Contains(part.Steps, "[]")
}

// again returns a send of the same memory that may come after the first one: the same, in a loop,
// or another.
func (c *checker) again(s *send, part flow.Part) ssa.Instruction {
	sends := map[ssa.Instruction]bool{}
	for _, call := range c.Calls(s.at.Parent()) {
		messages := c.Messages(call)
		if s.state {
			messages = nil
			if call.API != nil && call.API.State != 0 {
				messages = []ssa.Value{call.Arg(call.API.State)}
			}
		}
		if len(messages) == 0 || !s.state && (c.ToSelf(call) || c.sameReceiver(s, call)) {
			continue
		}
		for _, v := range messages {
			for _, p := range c.PartsWhen(v, call.Instr) {
				sends[call.Instr] = sends[call.Instr] || p.Path == part.Path
			}
		}
	}
	return c.walk(s, part).First(s.at, func(i ssa.Instruction) bool { return sends[i] })
}

// sameReceiver reports whether two sends are to the same actor, which has one message after the
// other. What the receiver of s does is known, so that s is a call.
func (c *checker) sameReceiver(s *send, other *flow.Call) bool {
	one, two := receiverOf(s.call), receiverOf(other)
	if one == nil || two == nil || !c.SamePlace(one, two) {
		return false
	}
	made, ok := c.Paths(one)[0].Root.(ssa.Instruction)
	return !ok || !flow.Walk{}.Reaches(s.at, made)
}

// receiverOf returns the ref, or the handler, that a call sends to.
func receiverOf(call *flow.Call) ssa.Value {
	if to := call.Arg(call.API.To); to != nil {
		return to
	}
	return call.Arg(api.Recv)
}

// elsewhere returns an access to a part in a function that may run at the same time as the
// receiver: a goroutine, if the send is not in it, or the function that has started it.
func (c *checker) elsewhere(s *send, part flow.Part) *flow.Access {
	for _, fn := range flow.WithLiterals(flow.Outermost(s.at.Parent())) {
		if asyncOf(c, fn) == asyncOf(c, s.at.Parent()) {
			continue // it runs in the same goroutine
		}
		for _, a := range c.Accesses(fn) {
			if a.Write && a.At.Inside(part.Path) && !c.locked(a) && !c.late(a) &&
				c.mayFollow(s, a, part) {
				return a
			}
		}
	}
	return nil
}

// asyncOf returns the function with which fn runs in a goroutine; nil for that of the caller.
func asyncOf(c *checker, fn *ssa.Function) *ssa.Function {
	for fn != nil && c.Async(fn) == nil {
		fn = fn.Parent()
	}
	return fn
}

// mayFollow reports whether an access in another function may come after the send: a goroutine
// that uses what was made before it; or, in the function that starts the goroutine with the send,
// what comes after the start.
func (c *checker) mayFollow(s *send, a *flow.Access, part flow.Part) bool {
	goroutine := asyncOf(c, s.at.Parent())
	if goroutine == nil {
		return asyncOf(c, a.Instr.Parent()) != nil && !c.waited(s.at)
	}
	by := c.Async(goroutine)
	if by == nil || by.Parent() != a.Instr.Parent() {
		return false
	}
	return c.walk(&send{at: by}, part).Reaches(by, a.Instr)
}

// late reports whether a process has waited before an access: for the message, perhaps, so that the
// memory is its own by then.
func (c *checker) late(a *flow.Access) bool {
	return c.InProcess(c.Started(a.Instr.Parent())) && c.waited(a.Instr)
}

// waited reports whether the send comes after a wait for other goroutines.
func (c *checker) waited(at ssa.Instruction) bool {
	for i := range flow.Instructions(at.Parent()) {
		if c.Syncs(i) && flow.Dominates(i, at) {
			return true
		}
	}
	return false
}
