package misuse

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// waits reports calls in a turn that would wait for the turn itself.
func (c *checker) waits(fn *ssa.Function, call *flow.Call) {
	if _, isGo := call.Instr.(*ssa.Go); isGo || call.API.InTurn == api.Fine {
		return
	}
	if c.InProcess(fn) && strings.HasPrefix(call.API.Name, "actor.") && call.API.InTurn == api.Panics {
		c.reportf(call, "%s in a process panics where it would have to wait: %s", name(call),
			insteadInProcess(call))
	}
	if !c.runsInTurn(fn) {
		return
	}
	switch call.API.InTurn {
	case api.Panics:
		c.reportf(call, "%s in a behaviour%s panics where it would have to wait: %s",
			name(call), c.how(fn), instead(call))
	case api.PanicsOfSystem:
		if isOwnSystem(call.Arg(api.Recv)) {
			c.reportf(call, "%s in a behaviour%s would wait for the behaviour itself, and panics: "+
				"call it outside, or in a goroutine", name(call), c.how(fn))
		}
	case api.AskOfSelf:
		if made := flow.MadeBy(call.Arg(call.API.To)); made != nil && made.Is(api.Self) {
			c.reportf(call, "%s of the running actor itself%s fails with ErrDeadlock: use AskTo",
				name(call), c.how(fn))
		}
	}
}

// waitsBy reports a call, in a turn, of a function that always waits for the system it is given.
func (c *checker) waitsBy(fn *ssa.Function, call *flow.Call) {
	s := c.SummaryOf(call)
	if _, now := call.Instr.(*ssa.Call); s == nil || !now || !c.runsInTurn(fn) {
		return
	}
	args := call.Args()
	for _, e := range s.Waits {
		if e.Param < len(args) && e.Steps == "" && isOwnSystem(args[e.Param]) {
			c.reportf(call, "%s in a behaviour%s would wait for the behaviour itself, and panics: "+
				"call it outside, or in a goroutine", call.Name(), c.how(fn))
			return
		}
	}
}

// runsInTurn reports whether a function runs in a turn: it is called from there, or is given the
// context of one.
func (c *checker) runsInTurn(fn *ssa.Function) bool {
	if c.Elsewhere(fn) || c.InProcess(fn) {
		return false
	}
	if c.InTurn(fn) != nil {
		return true
	}
	return flow.ContextParam(fn) != nil
}

// how says by which calls a function comes to run in a behaviour.
func (c *checker) how(fn *ssa.Function) string {
	step := c.InTurn(fn)
	if step == nil || step.By == nil {
		return ""
	}
	return " (" + step.Turn.Name + " comes here by " + step.By.Name() + ")"
}

// isOwnSystem reports whether a system is that of the running actor.
func isOwnSystem(sys ssa.Value) bool {
	made := flow.MadeBy(sys)
	return made != nil && made.Is(api.ContextSystem)
}

// instead says what to do.
func instead(call *flow.Call) string {
	switch call.Fn.Name() {
	case "SendWait":
		return "use Send, or SendWait in a function of Pipe"
	case "Join":
		return "use Watch"
	}
	return "call it outside, or in a goroutine"
}

// insteadInProcess says what a process is to do.
func insteadInProcess(call *flow.Call) string {
	if call.Fn.Name() == "SendWait" {
		return "use Send, which suspends the process"
	}
	return "use Watch of package process/actors"
}
