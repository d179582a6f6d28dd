// Package isolation is rule GV3: values of package capability that are used against their rules.
package isolation

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV3",
	Title: "report an Iso that is used after it was given away, and values that leave their Iso",
	Doc: `An Iso that was moved, taken, frozen or sent is gone: to use it panics. What Use, View and
NewIso show to a function must stay there, and nothing may be written to a Val.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls(fn) {
			c.ends(call)
			c.shown(call)
		}
		c.writes(fn)
	}
}

// ends looks for uses of an Iso after a call that gives it away.
func (c *checker) ends(call *flow.Call) {
	if call.API == nil {
		c.moved(call)
		return
	}
	if _, now := call.Instr.(*ssa.Call); !now {
		return // a deferred call comes last
	}
	if call.API.Role == api.EndIso {
		c.trace(call, call.Arg(api.Recv))
		return
	}
	if v := call.Payload(); v != nil && !call.API.ToSelf {
		for _, iso := range c.isos(v) {
			c.trace(call, iso)
		}
	}
}

// moved looks at a call of a function that gives away an Iso which it is given.
func (c *checker) moved(call *flow.Call) {
	s := c.SummaryOf(call)
	_, now := call.Instr.(*ssa.Call)
	if s == nil || !now {
		return
	}
	for arg, e := range call.With(s.Moves) {
		if e.Steps == "" && isIso(arg) {
			c.trace(call, arg)
		}
	}
}

func isIso(v ssa.Value) bool { return api.TypeName(v.Type()) == api.Iso }

// isos returns the Isos in a message: the message itself, or fields of it.
func (c *checker) isos(v ssa.Value) []ssa.Value {
	return slices.DeleteFunc(c.Fields(v), func(v ssa.Value) bool { return !isIso(v) })
}

// trace follows an Iso that a call has given away, and reports its uses.
func (c *checker) trace(by *flow.Call, iso ssa.Value) {
	for _, alias := range aliasesOf(iso, by) {
		t := &trace{c: c, by: by, seen: map[string]bool{}}
		if by.API != nil && by.API.Refuses {
			t.refused = flow.Refused(by)
		}
		t.start(alias)
	}
}

// used reports a use of an Iso that is gone.
func (c *checker) used(use, by *flow.Call) {
	how := "was given away by " + by.Name()
	if by.API != nil && by.API.Role != api.EndIso {
		how = "was sent by " + by.Fn.Name()
	}
	param := api.Recv
	if use.API.Role != api.UseIso && use.API.Role != api.EndIso {
		param = use.API.Payload
	}
	c.Report(rule.Finding{
		Pos: c.At(use),
		Message: c.ArgText(use, param) + " " + how + " (" + c.Where(by.Pos(), use.Pos()) +
			") and is used here: this panics, or races with the new owner",
		Related: rule.Related(by.Pos(), "it is given away here"),
	})
}
