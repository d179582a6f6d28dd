// Package payload is rule GV1: types that no message should have.
package payload

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV1",
	Title: "report types of messages that hide what sender and receiver share",
	Doc: `A function in a message carries whatever it has captured into the receiver's turn, and so
do unsafe.Pointer, reflect.Value and any. A channel of what may not be sent is a way around the mailbox.`,
	Run: run,
}

func run(p *rule.Pass) {
	c := &checker{p}
	for call := range p.AllCalls() {
		c.declared(call)
		c.hidden(call)
	}
	c.instances()
}

type checker struct{ *rule.Pass }

// declared judges the messages of a behaviour at its declaration, and the messages of a process or
// a channel where it is made.
func (c *checker) declared(call *flow.Call) {
	if call.API == nil || call.API.Messages == 0 {
		return
	}
	args := call.TypeArgs()
	for i := 0; i < call.API.Messages && i < len(args); i++ {
		if flow.IsAny(args[i]) && call.API.Role != api.Declare && !c.Strict {
			continue // its dynamic values are judged where they are sent
		}
		c.judge(c.At(call), args[i], declaredName(call))
	}
}

func (c *checker) hidden(call *flow.Call) {
	for _, v := range c.Messages(call) {
		m, ok := v.(*ssa.MakeInterface)
		if ok && flow.IsAny(m.Type()) && strings.HasPrefix(call.API.Name, "process.") {
			c.judge(c.At(call), m.X.Type(), call.Name())
		}
	}
}

func declaredName(call *flow.Call) string {
	switch {
	case call.Is(api.NewChan):
		return "the channel"
	case call.API.Process:
		return "the process"
	}
	if name, ok := flow.ConstText(call.Arg(2)); ok {
		return name
	}
	return "the behaviour"
}

// judge reports a type that no message should have. In tests, functions are a usual way to look
// into an actor.
func (c *checker) judge(at token.Pos, t types.Type, behaviour string) {
	r := c.Worst(t, c.Strict)
	if r.Kind != flow.Opaque && r.Kind != flow.Channel || c.InTest(at) {
		return
	}
	part := types.TypeString(r.Part, types.RelativeTo(c.Pkg))
	if r.Path != "" {
		part += " at " + r.Path
	}
	if r.Kind == flow.Channel {
		c.Reportf(at, "messages of %s hold a channel (%s) of what may not be sent: send the values "+
			"as messages, or a Ref", behaviour, part)
		return
	}
	c.Reportf(at, "messages of %s hold %s, and what that reaches is shared with the receiver: "+
		"send data, and let the receiver decide what to do with it", behaviour, part)
}

// instances judges instances of generic functions that declare behaviours for their type
// parameters.
func (c *checker) instances() {
	for ident, inst := range c.TypesInfo.Instances {
		fn, ok := c.TypesInfo.Uses[ident].(*types.Func)
		if !ok || api.Lookup(fn) != nil {
			continue
		}
		for _, i := range c.SummaryOfObject(fn.Origin()).Declares {
			if i < inst.TypeArgs.Len() {
				c.judge(ident.Pos(), inst.TypeArgs.At(i), "what "+fn.Name()+" declares")
			}
		}
	}
}
