// Package misuse is rule GV5: calls of gallop that panic, or wait for ever, whenever they run.
package misuse

import (
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
	ID:    "GV5",
	Title: "report calls of gallop that panic whenever they run",
	Doc: `A behaviour that waits for its own system waits for itself; a message to a zero Ref has no
receiver. gallop panics in such cases, at the call. This rule finds them before the program runs.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for call := range p.AllCalls() {
		fn := call.Instr.Parent()
		if call.API == nil {
			c.waitsBy(fn, call)
			continue
		}
		c.arguments(call)
		switch {
		case call.Is(api.DeferReply):
			c.running(fn, call, call.Arg(2))
		case call.Is(api.Stash) || call.Is(api.AskStash):
			c.running(fn, call, call.Arg(api.Recv))
		case (call.Is(api.Select) || call.Is(api.TrySelect)) && twice(call):
			c.reportf(call, "a case stands twice in a %s, and this panics: make another one", name(call))
		}
		c.waits(fn, call)
		c.sequels(fn, call)
	}
}

// reportf reports a call. In test files such a call is the subject of the test, or the test fails
// at once, so nothing is reported there.
func (c *checker) reportf(call *flow.Call, format string, args ...any) {
	if !c.InTest(call.Pos()) {
		c.Reportf(c.At(call), format, args...)
	}
}

func (c *checker) arguments(call *flow.Call) {
	nonNil := call.API.NonNil
	if from := call.Arg(1); from != nil && api.Calls(from.Type()) {
		nonNil = append([]int{1}, nonNil...)
	}
	for _, n := range nonNil {
		if k, ok := flow.Plain(call.Arg(n)).(*ssa.Const); ok && k.IsNil() && !flow.Is[*types.Struct](k.Type()) {
			c.reportf(call, "%s is given a nil %s and panics", name(call), what(call, n))
		}
	}
	for _, n := range call.API.NonZero {
		if v := call.Arg(n); v != nil && flow.Is[*types.Struct](flow.Plain(v).Type()) && flow.IsZero(v) {
			c.reportf(call, "%s is given a zero %s and panics", name(call), what(call, n))
		}
	}
	for _, n := range call.API.NonEmpty {
		if s, ok := flow.ConstText(call.Arg(n)); ok && s == "" {
			c.reportf(call, "%s is given an empty name and panics", name(call))
		}
	}
	for _, b := range call.API.Least {
		if n, ok := flow.Int(call.Arg(b.Param)); ok && n < b.Value {
			c.reportf(call, "%s is given %d, wants at least %d, and panics", name(call), n, b.Value)
		}
	}
}

func name(call *flow.Call) string {
	return call.API.Name[strings.IndexByte(call.API.Name, '.')+1:]
}

func what(call *flow.Call, param int) string {
	t := call.Arg(param).Type()
	switch t.Underlying().(type) {
	case *types.Signature:
		return "function"
	case *types.Chan:
		return "channel"
	}
	if n := api.TypeName(t); n != "" {
		return n[strings.IndexByte(n, '.')+1:]
	}
	return types.TypeString(t, (*types.Package).Name)
}

const ownSystem = "would wait for the %s itself, and panics: call it outside, or in a goroutine"

func (c *checker) waits(fn *ssa.Function, call *flow.Call) {
	if _, isGo := call.Instr.(*ssa.Go); isGo {
		return
	}
	switch in := call.API.InTurn; {
	case c.InProcess(fn):
		c.waitsInProcess(fn, call)
	case !c.runsInTurn(fn):
	case in == api.Panics:
		c.reportf(call, "%s in a behaviour%s panics where it would have to wait: %s",
			name(call), c.How(fn), instead(call, "use Send, or SendWait in a function of Pipe", "use Watch, or call it in a goroutine"))
	case in == api.PanicsOfSystem && c.isOwnSystem(call.Arg(api.Recv)):
		c.reportf(call, "%s in a behaviour%s "+ownSystem, name(call), c.How(fn), "behaviour")
	case in == api.AskOfSelf:
		if made := flow.MadeBy(call.Arg(call.API.To)); made != nil && made.Is(api.Self) {
			c.reportf(call, "%s of the running actor itself%s fails with ErrDeadlock: use AskTo",
				name(call), c.How(fn))
		}
	}
}

func (c *checker) waitsInProcess(fn *ssa.Function, call *flow.Call) {
	switch {
	case call.API.InTurn == api.Panics && strings.HasPrefix(call.API.Name, "actor."):
		c.reportf(call, "%s in a process panics where it would have to wait: %s", name(call),
			instead(call, "use Send, which suspends the process", "use Watch of package process/actors"))
	case call.Is(api.SystemWait) || call.Is(api.SystemRun) || call.Is(api.SystemStop):
		if c.isSystemOf(fn, call.Arg(api.Recv)) {
			c.reportf(call, "%s in a process of the system "+ownSystem, name(call), "process")
		}
	case call.Is(api.Call) && c.IsSelf(call.Arg(2)):
		c.reportf(call, "Call of the process itself waits for its own reply: until its time-out, or for ever")
	}
}

// waitsBy reports a call, in a turn, of a function that always waits for the system it is given.
func (c *checker) waitsBy(fn *ssa.Function, call *flow.Call) {
	_, now := call.Instr.(*ssa.Call)
	for arg, e := range call.With(c.SummaryOf(call).Waits) {
		if now && e.Steps == "" && c.isOwnSystem(arg) && c.runsInTurn(fn) {
			c.reportf(call, "%s in a behaviour%s "+ownSystem, call.Name(), c.How(fn), "behaviour")
		}
	}
}

// runsInTurn reports whether a function runs in a turn: it is called from there, or is given the
// context of one.
func (c *checker) runsInTurn(fn *ssa.Function) bool {
	return !c.Elsewhere(fn) && !c.InProcess(fn) && (c.InTurn(fn) != nil || flow.ContextParam(fn) != nil)
}

// isOwnSystem reports whether a system is the running actor's: its Context has it, or functions
// that have spawned such actors in it put it into the state.
func (c *checker) isOwnSystem(sys ssa.Value) bool {
	if flow.MadeBy(sys).Is(api.ContextSystem) {
		return true
	}
	at := flow.FieldOf(sys)
	if at == nil {
		return false
	}
	held, state := c.Held(at), flow.TypeName(at.X.Type())
	return len(held) > 0 && !slices.ContainsFunc(held, func(v ssa.Value) bool {
		return !slices.ContainsFunc(c.Calls(v.Parent()), func(call *flow.Call) bool {
			return call.API != nil && call.API.Role == api.Spawn && c.SamePlace(call.Arg(1), v) &&
				flow.TypeName(call.Arg(call.API.State).Type()) == state
		})
	})
}

// isSystemOf reports whether a system is the system in which the process that runs a function was
// started.
func (c *checker) isSystemOf(fn *ssa.Function, sys ssa.Value) bool {
	by := c.Async(c.InTurn(fn).Turn.Fn)
	if by == nil {
		return false
	}
	if from := flow.CallOf(by).Arg(1); !flow.IsParty(flow.Plain(from).Type()) {
		return c.SamePlace(from, sys)
	}
	return c.InProcess(by.Parent()) && c.isSystemOf(by.Parent(), sys) // a process of its process
}

func instead(call *flow.Call, send, other string) string {
	if call.Fn.Name() == "SendWait" {
		return send
	}
	return other
}

// after lists calls that panic, or wait for ever, after another one of the same thing.
var after = map[string][]string{
	api.ChanClose:  {api.ChanClose, api.ChanSend, api.ChanTrySend},
	api.AskedReply: {api.AskedReply},
	api.Unlock:     {api.Unlock},
	api.Yield:      {api.Yield},
	api.Stash:      {api.Stash, api.DeferReply},
	api.AskStash:   {api.AskStash, api.DeferReply},
	api.DeferReply: {api.DeferReply},
}

// sequels reports calls that panic after a call, if they come after it on every path. Of deferred
// calls, only another Close is known to come too early.
func (c *checker) sequels(fn *ssa.Function, first *flow.Call) {
	_, deferred := first.Instr.(*ssa.Defer)
	for _, call := range c.Calls(fn) {
		if _, now := call.Instr.(*ssa.Call); !now || call.API == nil || call.Instr == first.Instr ||
			!slices.Contains(after[first.API.Name], call.API.Name) || deferred && !call.Is(api.ChanClose) ||
			!flow.Dominates(first.Instr, call.Instr) || !c.unchanged(first, call) {
			continue
		}
		at := c.Where(first.Pos(), call.Pos())
		switch {
		case deferred:
			c.reportf(call, "%s is deferred, too (%s): the second one panics", name(call), at)
		case call.Is(api.AskedReply):
			c.reportf(call, "the reply was taken before (%s): this waits for ever", at)
		default:
			c.reportf(call, "%s comes after %s (%s), and panics", name(call), name(first), at)
		}
	}
}

// unchanged reports whether two calls are of the same thing, and nothing between them may change
// that: a store, a Lock, or a function that is not known.
func (c *checker) unchanged(first, second *flow.Call) bool {
	a, b := first.Arg(api.Recv), second.Arg(api.Recv)
	if a != b && !c.SamePlace(a, b) {
		return false
	}
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return i == second.Instr }}
	return w.First(first.Instr, func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.Store:
			return a != b
		case ssa.CallInstruction:
			known := flow.CallOf(i)
			return first.Is(api.Unlock) && (known == nil || known.API == nil || known.Is(api.Lock))
		}
		return false
	}) == nil
}

// running reports a Defer, or a Stash, of another behaviour than the running one.
func (c *checker) running(fn *ssa.Function, call *flow.Call, b ssa.Value) {
	step, g := c.InTurn(fn), flow.GlobalOf(b)
	if g == nil || g.Pkg != c.SSA || step == nil || step.By != nil || !step.Turn.Behaviour {
		return
	}
	if !slices.Contains(c.Handlers(g), fn) {
		c.reportf(call, "%s of %s in the method of another behaviour panics", name(call), g.Name())
	}
}

// twice reports whether a case stands twice in a Select.
func twice(call *flow.Call) bool {
	all, _ := flow.Variadic(call.Arg(2))
	for i, v := range all {
		if slices.Contains(all[:i], v) {
			return true
		}
	}
	return false
}
