package misuse

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// process reports misuse of package process that panics, or waits for ever.
func (c *checker) process(fn *ssa.Function, call *flow.Call) {
	if _, now := call.Instr.(*ssa.Call); !now {
		if call.Is(api.ChanClose) {
			c.closedBefore(fn, call)
		}
		return // a deferred call comes last
	}
	switch call.API.Name {
	case api.Select, api.TrySelect:
		c.sameCase(call)
	case api.ChanClose:
		c.closed(fn, call)
	case api.Unlock:
		c.unlocked(fn, call)
	case api.AskedReply:
		c.repliedTwice(fn, call)
	case api.Call:
		if c.IsSelf(call.Arg(2)) {
			c.reportf(call, "Call of the process itself waits for its own reply: until its time-out, "+
				"or for ever")
		}
	case api.SystemWait, api.SystemRun, api.SystemStop:
		if c.InProcess(fn) && c.isSystemOf(fn, call.Arg(api.Recv)) {
			c.reportf(call, "%s in a process of the system would wait for the process itself, and "+
				"panics: call it outside, or in a goroutine", name(call))
		}
	}
}

// sameCase reports a case that a select has twice.
func (c *checker) sameCase(call *flow.Call) {
	all, _ := flow.Variadic(call.Arg(2))
	seen := map[ssa.Value]bool{}
	for _, v := range all {
		made := flow.MadeBy(v)
		if made == nil || !made.Is(api.SendTo) && !made.Is(api.RecvFrom) && !made.Is(api.Replied) {
			continue
		}
		if seen[made.Instr.Value()] {
			c.reportf(call, "%s is given one case twice, and panics", name(call))
		}
		seen[made.Instr.Value()] = true
	}
}

// closed reports what comes after the end of a channel, in the same function.
func (c *checker) closed(fn *ssa.Function, end *flow.Call) {
	for _, call := range c.Calls(fn) {
		if call.API == nil || !c.follows(end, call) {
			continue
		}
		switch call.API.Name {
		case api.ChanClose, api.ChanSend, api.ChanTrySend:
			c.reportf(call, "%s comes after the channel is closed (%s), and panics", name(call),
				c.Where(end.Pos(), call.Pos()))
		}
	}
}

// closedBefore reports a channel that is closed although that is deferred, too.
func (c *checker) closedBefore(fn *ssa.Function, deferred *flow.Call) {
	for _, call := range c.Calls(fn) {
		if call.Is(api.ChanClose) && c.follows(deferred, call) {
			c.reportf(call, "%s is deferred, too (%s): the second one panics", name(call),
				c.Where(deferred.Pos(), call.Pos()))
		}
	}
}

// repliedTwice reports a second wait for one reply.
func (c *checker) repliedTwice(fn *ssa.Function, first *flow.Call) {
	for _, call := range c.Calls(fn) {
		if call.Is(api.AskedReply) && c.follows(first, call) {
			c.reportf(call, "the reply was taken before (%s): this waits for ever",
				c.Where(first.Pos(), call.Pos()))
		}
	}
}

// unlocked reports a second Unlock of a mutex, and one of a mutex that nothing has locked.
func (c *checker) unlocked(fn *ssa.Function, first *flow.Call) {
	if mu, ok := first.Arg(api.Recv).(*ssa.Alloc); ok && c.neverLocked(mu) {
		c.reportf(first, "%s of a mutex that is not locked panics", name(first))
		return
	}
	for _, call := range c.Calls(fn) {
		if call.Is(api.Unlock) && c.follows(first, call) && !c.locksBetween(first, call) {
			c.reportf(call, "%s comes after another (%s) of the same mutex, and panics", name(call),
				c.Where(first.Pos(), call.Pos()))
		}
	}
}

// neverLocked reports whether a local mutex is only unlocked.
func (c *checker) neverLocked(mu *ssa.Alloc) bool {
	for _, ref := range *mu.Referrers() {
		if call := flow.CallOf(ref); call == nil || !call.Is(api.Unlock) {
			return false
		}
	}
	return true
}

// locksBetween reports whether something on the paths between two calls may lock again.
func (c *checker) locksBetween(first, second *flow.Call) bool {
	found := false
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return i == second.Instr }}
	w.After(first.Instr, func(i ssa.Instruction) bool {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			return true
		}
		known := flow.CallOf(call)
		if known == nil || known.API == nil || strings.Contains(known.Name(), "Lock") {
			found = true
		}
		return !found
	})
	return found
}

// follows reports whether a call comes after another on every path, and is for the same thing.
func (c *checker) follows(first, second *flow.Call) bool {
	if _, now := second.Instr.(*ssa.Call); !now || first.Instr == second.Instr {
		return false
	}
	if !flow.Dominates(first.Instr, second.Instr) {
		return false
	}
	a, b := first.Arg(api.Recv), second.Arg(api.Recv)
	if a == b {
		return true
	}
	if maySet(a, first, second) {
		return false
	}
	one, two := c.Paths(a), c.Paths(b)
	return len(one) == 1 && len(two) == 1 && one[0] == two[0] && !strings.Contains(one[0].Steps, "[]")
}

// maySet reports whether the variable that a value was read from may be set between two calls.
func maySet(v ssa.Value, first, second *flow.Call) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	found := false
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return i == second.Instr }}
	w.After(first.Instr, func(i ssa.Instruction) bool {
		_, store := i.(*ssa.Store)
		found = found || store
		return !found
	})
	return found
}

// maxStarts is through how many processes the system of one is followed.
const maxStarts = 4

// isSystemOf reports whether a system is the one of the process that runs a function.
func (c *checker) isSystemOf(fn *ssa.Function, sys ssa.Value) bool {
	for range maxStarts {
		step := c.InTurn(fn)
		if step == nil {
			return false
		}
		by := c.Async(step.Turn.Fn)
		if by == nil {
			return false
		}
		from := flow.CallOf(by).Arg(1)
		if p, ok := flow.Plain(from).(*ssa.Parameter); ok && flow.IsParty(p.Type()) {
			fn = by.Parent()
			continue
		}
		one, two := c.Paths(from), c.Paths(sys)
		return len(one) == 1 && len(two) == 1 && one[0] == two[0]
	}
	return false
}

// workers reports a number of workers that Start refuses.
func (c *checker) workers(fn *ssa.Function) {
	for instr := range flow.Instructions(fn) {
		st, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		at, ok := st.Addr.(*ssa.FieldAddr)
		if !ok || api.TypeName(at.X.Type()) != api.ProcessConfig || c.InTest(st.Pos()) {
			continue
		}
		n, ok := flow.Int(st.Val)
		if field := flow.FieldName(at); ok && field == "Workers" && (n < 0 || n > api.MaxWorkers) {
			c.Reportf(st.Pos(), "Start wants up to %d workers, is given %d, and panics",
				api.MaxWorkers, n)
		}
	}
}
