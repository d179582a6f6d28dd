package alias

import (
	"cmp"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

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
		if by := c.Async(c.Started(w.Instr.Parent())); by != nil {
			where = flow.Where(by)
		}
		c.report(s, "and "+where+" writes to it%s", w.Instr.Pos())
		return
	}
	if at := c.later(s, part); at.IsValid() {
		c.report(s, "and is given to a later turn of the sender, which writes to it%s", at)
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

// later returns where a later turn of the sender writes to memory that the function gives it in a
// message to itself.
func (c *checker) later(s *send, part flow.Part) token.Pos {
	for _, call := range c.Calls(s.at.Parent()) {
		if call.API == nil || !c.ToSelf(call) || len(call.API.Own) == 0 || s.at == call.Instr {
			continue
		}
		for _, own := range c.PartsWhen(call.Payload(), call.Instr) {
			if at := c.MessageWrite(call.Arg(call.API.Own[0])); at.IsValid() && own.Path == part.Path &&
				(c.walk(s, part).Reaches(s.at, call.Instr) || flow.Walk{}.Reaches(call.Instr, s.at)) {
				return at
			}
		}
	}
	return token.NoPos
}

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

// ends returns where a function runs its deferred calls.
func (c *checker) ends(fn *ssa.Function) []ssa.Instruction {
	var all []ssa.Instruction
	for i := range flow.Instructions(fn) {
		if _, ok := i.(*ssa.RunDefers); ok && (fn.Recover == nil || i.Block() != fn.Recover) {
			all = append(all, i)
		}
	}
	return all
}

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
			return root != nil && i == root || c.renews(i, part) || c.Syncs(i) && i != at && !s.isReply()
		},
	}
	refused, contradicts := s.refusedOn(), w.Skip
	if at == s.at && refused != nil {
		w.Skip = func(from, to *ssa.BasicBlock) bool { return contradicts(from, to) || refused(from, to) }
	}
	return w
}

// isReply reports whether a process replies: it waits for another request next, and not for a sign
// that the asker is done.
func (s *send) isReply() bool { return s.call.Is("process.ReplyTo.Reply") }

// refusedOn returns the edges on which the message was refused, or nil.
func (s *send) refusedOn() func(from, to *ssa.BasicBlock) bool {
	if s.call != nil && s.call.API != nil && s.call.API.Refuses {
		return flow.Refused(s.call)
	}
	return s.refused
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

// sameReceiver reports whether two sends are to the same actor, which runs one message after the
// other. The effects of the receiver of s are known, so s is a call.
func (c *checker) sameReceiver(s *send, other *flow.Call) bool {
	one, two := receiverOf(s.call), receiverOf(other)
	if one == nil || two == nil || !c.SamePlace(one, two) {
		return false
	}
	made, ok := c.Paths(one)[0].Root.(ssa.Instruction)
	return !ok || !flow.Walk{}.Reaches(s.at, made)
}

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
		if c.Started(fn) == c.Started(s.at.Parent()) {
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

// mayFollow reports whether an access in another function may come after the send. That is a
// goroutine that uses values made before it; or, in the function that starts the goroutine with the
// send, an access after the start.
func (c *checker) mayFollow(s *send, a *flow.Access, part flow.Part) bool {
	by := c.Async(c.Started(s.at.Parent()))
	if by == nil {
		return c.Async(c.Started(a.Instr.Parent())) != nil && !c.waited(s.at)
	}
	if by.Parent() != a.Instr.Parent() {
		return false
	}
	return c.walk(&send{at: by}, part).Reaches(by, a.Instr)
}

// late reports whether a process has waited before an access: for the message, perhaps, so that the
// memory is its own by then.
func (c *checker) late(a *flow.Access) bool {
	return c.InProcess(c.Started(a.Instr.Parent())) && c.waited(a.Instr)
}

func (c *checker) waited(at ssa.Instruction) bool {
	for i := range flow.Instructions(at.Parent()) {
		if c.Syncs(i) && flow.Dominates(i, at) {
			return true
		}
	}
	return false
}
