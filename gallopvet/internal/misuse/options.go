package misuse

import (
	"go/types"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// options reports options that exclude each other.
func (c *checker) options(call *flow.Call) {
	switch call.API.Role {
	case api.MakeType:
		c.typeOptions(call)
	case api.Declare:
		c.behaviourOptions(call)
	}
}

func (c *checker) typeOptions(call *flow.Call) {
	o := call.Options(call.Arg(2))
	if o[api.BoundOption] != nil && o[api.WatermarkOption] != nil {
		c.reportf(call, "a type with a bound and with watermarks: NewType panics")
	}
	keep, state := o[api.KeepOption], call.TypeArgs()
	if keep == nil || len(state) != 1 || len(keep.TypeArgs()) != 1 {
		return
	}
	if differ(keep.TypeArgs()[0], state[0]) {
		c.reportf(call, "WithKeep for the state %s in a type of %s: NewType panics",
			short(keep.TypeArgs()[0]), short(state[0]))
	}
}

func (c *checker) behaviourOptions(call *flow.Call) {
	o := call.Options(call.Arg(3))
	if o[api.UrgentOption] != nil && o[api.DropOption] != nil {
		c.reportf(call, "a behaviour that is urgent and dropped on overload: %s panics", name(call))
	}
}

// arena reports types that cannot be in an arena, since the GC would not see what they
// point to.
func (c *checker) arena(call *flow.Call) {
	args := call.TypeArgs()
	if call.API.Role != api.InArena || len(args) != 1 || generic(args[0]) {
		return
	}
	if path, ok := goPointer(args[0], "", map[types.Type]bool{}); ok {
		c.reportf(call, "%s has a Go pointer%s, which an arena cannot hold: %s panics",
			short(args[0]), path, name(call))
	}
}

// goPointer finds a Go pointer in a type, and says where.
func goPointer(t types.Type, path string, seen map[types.Type]bool) (string, bool) {
	if seen[t] || api.TypeName(t) != "" {
		return "", false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		bad := u.Kind() == types.String || u.Kind() == types.UnsafePointer
		return at(path), bad
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if p, ok := goPointer(f.Type(), path+"."+f.Name(), seen); ok {
				return p, true
			}
			delete(seen, f.Type())
		}
		return "", false
	case *types.Array:
		if u.Len() == 0 {
			return "", false
		}
		return goPointer(u.Elem(), path+"[]", seen)
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return at(path), true
	}
	return "", false
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return " at " + path
}
