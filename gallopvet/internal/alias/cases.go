package alias

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// selected looks at the cases of a select that send what a variable holds.
func (c *checker) selected(call *flow.Call) {
	all, _ := flow.Variadic(call.Arg(2))
	for n, v := range all {
		made := flow.MadeBy(v)
		if made == nil || !made.Is(api.SendTo) {
			continue
		}
		held := c.held(made.Arg(2))
		if held == nil || !flow.Refers(held.Type()) {
			continue
		}
		c.check(&send{
			at: call.Instr, call: call, value: held, op: "is sent", text: "what SendTo sends",
			refused: flow.NotChosen(call, int64(n)),
		})
	}
}

// held returns what is in a variable whose address a case has, if only one thing was put there.
func (c *checker) held(addr ssa.Value) ssa.Value {
	a, ok := addr.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var v ssa.Value
	for _, ref := range *a.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == a {
			if v != nil {
				return nil
			}
			v = st.Val
		}
	}
	return v
}
