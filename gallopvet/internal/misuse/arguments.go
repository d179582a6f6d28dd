package misuse

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// arguments reports arguments for which a function panics: nil, zero, empty, or out of range.
func (c *checker) arguments(call *flow.Call) {
	for _, n := range call.API.NonNil {
		if v := call.Arg(n); v != nil && refersToNothing(v) {
			c.reportf(call, "%s is given a nil %s and panics", name(call), what(call, n))
			return
		}
	}
	for _, n := range call.API.NonZero {
		if v := call.Arg(n); v != nil && isStruct(flow.Plain(v)) && flow.IsZero(v) {
			c.reportf(call, "%s is given a zero %s and panics", name(call), what(call, n))
			return
		}
	}
	for _, n := range call.API.NonEmpty {
		if s, ok := flow.Text(call.Arg(n)); ok && s == "" {
			c.reportf(call, "%s is given an empty name and panics", name(call))
			return
		}
	}
	if all, _ := flow.Variadic(call.Arg(call.API.Options)); slices.ContainsFunc(all, refersToNothing) {
		c.reportf(call, "%s is given a nil option and panics", name(call))
		return
	}
	c.ranges(call)
}

// ranges reports constants that a function refuses.
func (c *checker) ranges(call *flow.Call) {
	for _, b := range call.API.Least {
		if n, ok := flow.Int(call.Arg(b.Param)); ok && n < b.Value {
			c.reportf(call, "%s is given %d, wants at least %d, and panics", name(call), n, b.Value)
			return
		}
	}
	for _, b := range call.API.Most {
		if n, ok := flow.Int(call.Arg(b.Param)); ok && n > b.Value {
			c.reportf(call, "%s is given %d, wants at most %d, and panics", name(call), n, b.Value)
			return
		}
	}
	if call.API.Role == api.WatermarkOption {
		high, ok := flow.Int(call.Arg(1))
		low, known := flow.Int(call.Arg(2))
		if ok && known && low >= high {
			c.reportf(call, "%s wants low below high, is given high %d and low %d, and panics",
				name(call), high, low)
		}
	}
}

// refersToNothing reports whether a value is nil.
func refersToNothing(v ssa.Value) bool {
	k, ok := flow.Plain(v).(*ssa.Const)
	return ok && k.IsNil() && !isStruct(k)
}

func isStruct(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Struct)
	return ok
}

// name is what a function is called in reports: without the package.
func name(call *flow.Call) string {
	if call.Fn.Signature().Recv() == nil {
		return call.Fn.Name()
	}
	t := api.TypeName(call.Fn.Signature().Recv().Type())
	return fmt.Sprintf("%s.%s", afterDot(t), call.Fn.Name())
}

func afterDot(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}

// what says what a parameter is.
func what(call *flow.Call, param int) string {
	sig := call.Fn.Signature()
	var t types.Type
	if param == api.Recv {
		t = sig.Recv().Type()
	} else {
		t = sig.Params().At(param - 1).Type()
	}
	if n := api.TypeName(t); n != "" {
		return afterDot(n)
	}
	switch t.Underlying().(type) {
	case *types.Signature:
		return "function"
	case *types.Chan:
		return "channel"
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Name() + "." + n.Obj().Name()
	}
	return "argument"
}
