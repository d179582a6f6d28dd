package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Syncs reports whether an instruction waits for other goroutines or for a system, so that what
// they did before is over and seen afterwards.
func (p *Package) Syncs(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return true
	case *ssa.Call:
		return p.syncsCall(CallOf(i))
	}
	return false
}

// Locks reports whether a function takes a lock: then it is no accident that it shares something.
func (p *Package) Locks(fn *ssa.Function) bool {
	for _, c := range p.calls[fn] {
		if c.Fn != nil && (c.Fn.Name() == "Lock" || c.Fn.Name() == "RLock") {
			return true
		}
	}
	return false
}

func (p *Package) syncsCall(c *Call) bool {
	switch {
	case c == nil:
		return false
	case c.API != nil:
		return c.API.Waits || c.API.Syncs
	case c.Fn == nil:
		return false
	}
	switch c.Fn.FullName() {
	case "(*sync.WaitGroup).Wait", "(*sync.Cond).Wait", "(*sync.Mutex).Lock",
		"(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock", "testing/synctest.Wait",
		"(*golang.org/x/sync/errgroup.Group).Wait":
		return true
	}
	s := p.SummaryOf(c)
	return s != nil && s.Syncs
}
