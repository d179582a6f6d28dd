package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Call is a call of a function that is known by name.
type Call struct {
	Instr ssa.CallInstruction
	Fn    *types.Func // of a generic function, the generic one
	API   *api.Func   // nil if it is not one of gallop's

	static *ssa.Function
}

// CallOf returns the call that an instruction makes, or nil.
func CallOf(instr ssa.Instruction) *Call {
	ci, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	common := ci.Common()
	if common.IsInvoke() {
		fn := common.Method.Origin()
		return &Call{Instr: ci, Fn: fn, API: api.Lookup(fn)}
	}
	static := common.StaticCallee()
	if static == nil {
		return nil
	}
	c := &Call{Instr: ci, static: static}
	if o := static.Origin(); o != nil {
		c.static = o
	}
	for _, f := range []*ssa.Function{c.static, static} {
		if fn, ok := f.Object().(*types.Func); ok {
			c.Fn = fn.Origin()
			c.API = api.Lookup(c.Fn)
		}
	}
	return c
}

// CallOf is the function CallOf with the package's knowledge: the method of an interface that has
// one implementation, and the function that a variable holds.
func (p *Package) CallOf(instr ssa.Instruction) *Call {
	if known, ok := p.callAt[instr]; ok {
		return known
	}
	ci, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	c := CallOf(instr)
	var fn *ssa.Function
	switch common := ci.Common(); {
	case c != nil && c.static == nil && c.API == nil:
		fn = p.dispatched(common)
	case c == nil:
		fn = p.FuncOf(common.Value)
	}
	if fn != nil {
		c = &Call{Instr: ci, static: fn}
		if obj, ok := fn.Object().(*types.Func); ok {
			c.Fn = obj.Origin()
		}
	}
	p.callAt[instr] = c
	return c
}

// dispatched returns the method that a call through an interface runs, if the value in it is to be
// seen, or if one type of the package alone implements an interface of the package; or nil.
func (p *Package) dispatched(common *ssa.CallCommon) *ssa.Function {
	t := concrete(p, common.Value, maxSelf)
	if t == nil {
		t = p.implementation(common.Value.Type())
	}
	if t == nil {
		return nil
	}
	m := types.NewMethodSet(t).Lookup(common.Method.Pkg(), common.Method.Name())
	if m == nil {
		return nil
	}
	return p.unwrap(p.SSA.Prog.MethodValue(m))
}

func concrete(p *Package, v ssa.Value, left int) types.Type {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return concrete(p, v.X, left)
	case *ssa.UnOp:
		if held := p.Only(v.X); held != nil && left > 0 {
			return concrete(p, held, left-1)
		}
	}
	return nil
}

// implementation returns the only type of the package that implements an interface of it, or nil.
func (p *Package) implementation(iface types.Type) types.Type {
	n, ok := types.Unalias(iface).(*types.Named)
	if !ok || n.Obj().Pkg() != p.Pkg || n.TypeParams().Len() > 0 {
		return nil
	}
	if known, ok := p.implements[n.Obj()]; ok {
		return known
	}
	i, _ := n.Underlying().(*types.Interface)
	var found types.Type
	for _, name := range p.Pkg.Scope().Names() {
		obj, ok := p.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || i == nil || obj.IsAlias() || Is[*types.Interface](obj.Type()) || api.Named(obj.Type()).TypeParams().Len() > 0 {
			continue
		}
		t := obj.Type()
		if !types.Implements(t, i) {
			if t = types.NewPointer(t); !types.Implements(t, i) {
				continue
			}
		}
		if found != nil {
			found = nil
			break
		}
		found = t
	}
	p.implements[n.Obj()] = found
	return found
}

// Args returns the arguments of the call, with the receiver, as effects count them.
func (c *Call) Args() []ssa.Value {
	common := c.Instr.Common()
	if common.IsInvoke() {
		return append([]ssa.Value{common.Value}, common.Args...)
	}
	return common.Args
}

// With yields effects with the arguments that they are of.
func (c *Call) With(all []Effect) iter.Seq2[ssa.Value, Effect] {
	return func(yield func(ssa.Value, Effect) bool) {
		if len(all) == 0 {
			return
		}
		args := c.Args()
		for _, e := range all {
			if e.Param < len(args) && !yield(args[e.Param], e) {
				return
			}
		}
	}
}

// Is reports whether the call is one of a function of gallop.
func (c *Call) Is(name string) bool { return c != nil && c.API != nil && c.API.Name == name }

// Callee returns the function that is called if it is known, or nil. It may have no body.
func (c *Call) Callee() *ssa.Function { return c.static }

// Pos returns where the call is.
func (c *Call) Pos() token.Pos { return c.Instr.Pos() }

// Arg returns the argument for a parameter, as package api counts them, or nil.
func (c *Call) Arg(param int) ssa.Value {
	common := c.Instr.Common()
	hasRecv := !common.IsInvoke() && common.Signature().Recv() != nil
	switch {
	case param == api.Recv && common.IsInvoke():
		return common.Value
	case param == api.Recv && hasRecv:
		return common.Args[0]
	case param < 1:
		return nil
	}
	if !hasRecv {
		param--
	}
	if param >= len(common.Args) {
		return nil
	}
	return common.Args[param]
}

// Param returns how package api counts a parameter that effects count with the receiver.
func (c *Call) Param(n int) int {
	switch {
	case c.Fn == nil || c.Fn.Signature().Recv() == nil:
		return n + 1
	case n == 0:
		return api.Recv
	}
	return n
}

// Payload returns the sent value, or nil.
func (c *Call) Payload() ssa.Value {
	if c.API == nil || c.API.Payload == 0 {
		return nil
	}
	return c.Arg(c.API.Payload)
}

// TypeArgs returns the type arguments of a call of a generic function.
func (c *Call) TypeArgs() []types.Type {
	if static := c.Instr.Common().StaticCallee(); static != nil {
		return static.TypeArgs()
	}
	return nil
}

// Calls returns the calls in a function.
func (p *Package) Calls(fn *ssa.Function) []*Call { return p.calls[fn] }

// AllCalls yields the calls in all functions, in the order of the source.
func (p *Package) AllCalls() iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for _, fn := range p.Funcs {
			for _, c := range p.calls[fn] {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Variadic returns the arguments of a variadic parameter, one by one. It reports false if the call
// does not list them.
func Variadic(v ssa.Value) ([]ssa.Value, bool) {
	if c, ok := v.(*ssa.Const); ok && c.IsNil() {
		return nil, true
	}
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	return elements(array), true
}

func elements(array *ssa.Alloc) []ssa.Value {
	var all []ssa.Value
	for _, ref := range *array.Referrers() {
		if at, ok := ref.(*ssa.IndexAddr); ok {
			for _, r := range *at.Referrers() {
				if st, ok := r.(*ssa.Store); ok && st.Addr == at {
					all = append(all, st.Val)
				}
			}
		}
	}
	return all
}

// MadeBy returns the call whose result a value is, or nil.
func MadeBy(v ssa.Value) *Call {
	switch v := Plain(v).(type) {
	case *ssa.Call:
		return CallOf(v)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return CallOf(call)
		}
	}
	return nil
}

// Plain removes conversions that keep the value.
func Plain(v ssa.Value) ssa.Value {
	for {
		switch c := v.(type) {
		case *ssa.ChangeType:
			v = c.X
		case *ssa.ChangeInterface:
			v = c.X
		case *ssa.MakeInterface:
			v = c.X
		default:
			return v
		}
	}
}

// IsZero reports whether a value is the zero value of its type, written or implied.
func IsZero(v ssa.Value) bool {
	switch v := Plain(v).(type) {
	case *ssa.Const:
		return v.Value == nil
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if a, ok := v.X.(*ssa.Alloc); ok {
				return untouched(a)
			}
		}
	}
	return false
}

func untouched(a *ssa.Alloc) bool {
	return !slices.ContainsFunc(*a.Referrers(), func(ref ssa.Instruction) bool {
		load, ok := ref.(*ssa.UnOp)
		return !ok || load.Op != token.MUL
	})
}

// Int returns the constant integer that a value is.
func Int(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

// ConstText returns the constant string that a value is.
func ConstText(v ssa.Value) (string, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Value), true
}

// GlobalOf returns the package-level variable whose value v is, or nil.
func GlobalOf(v ssa.Value) *ssa.Global {
	load, ok := Plain(v).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, _ := load.X.(*ssa.Global)
	return g
}

// FieldOf returns the address of the field that a value is read from, or nil.
func FieldOf(v ssa.Value) *ssa.FieldAddr {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	at, _ := load.X.(*ssa.FieldAddr)
	return at
}

// Expr returns the call as it is written, or nil.
func (p *Package) Expr(c *Call) *ast.CallExpr {
	at := c.Instr.Common().Pos()
	for _, n := range p.Enclosing(at, at) {
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == at {
			return call
		}
	}
	return nil
}

// ArgExpr returns an argument as it is written, or nil.
func (p *Package) ArgExpr(c *Call, param int) ast.Expr {
	e := p.Expr(c)
	if e != nil && param >= 1 && param <= len(e.Args) {
		return e.Args[param-1]
	}
	if e != nil && param == api.Recv {
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			return sel.X
		}
	}
	return nil
}

// ArgText returns how an argument is written, or other words for it.
func (p *Package) ArgText(c *Call, param int) string { return Text(p.ArgExpr(c, param)) }

// Text returns how an expression is written, or other words for nil.
func Text(e ast.Expr) string {
	if e == nil {
		return "the value"
	}
	return types.ExprString(e)
}

// At returns the position of the name of the function that is called, where reports are made.
func (p *Package) At(c *Call) token.Pos {
	e := p.Expr(c)
	if e == nil {
		return c.Pos()
	}
	fun := ast.Unparen(e.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Pos()
	case *ast.Ident:
		return f.Pos()
	}
	return c.Pos()
}

// FullName returns the name of the function that is called, with its package; "" if it has none.
func (c *Call) FullName() string {
	if c == nil || c.Fn == nil {
		return ""
	}
	return c.Fn.FullName()
}

// Name returns the name of the function that is called.
func (c *Call) Name() string {
	if c.Fn == nil {
		return "a function"
	}
	return c.Fn.Name()
}

// SentExpr returns the value that a statement sends into a channel, or returns as the first result,
// as it is written; or nil.
func (p *Package) SentExpr(pos token.Pos) ast.Expr {
	for _, n := range p.Enclosing(pos, pos) {
		switch n := n.(type) {
		case *ast.SendStmt:
			return n.Value
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				return n.Results[0]
			}
		}
	}
	return nil
}

// Enclosing returns the code from one position to another, and all that it is part of, from within.
func (p *Package) Enclosing(pos, end token.Pos) []ast.Node {
	for _, f := range p.Files {
		if f.FileStart <= pos && end < f.FileEnd {
			path, _ := astutil.PathEnclosingInterval(f, pos, end)
			return path
		}
	}
	return nil
}
