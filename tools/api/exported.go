package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// line is one exported identifier.
type line struct {
	name string // as a changelog calls it: "Start", "System.Run"
	text string // with its package and its type
}

// exported returns the API of all packages of a module that can be imported from outside, sorted.
func exported(root string) ([]line, error) {
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Dir: root,
	}, "./...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(all) > 0 {
		return nil, fmt.Errorf("%s does not compile", root)
	}
	var lines []line
	for _, p := range all {
		path := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/")
		if p.Name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") {
			lines = append(lines, ofPackage(path, p.Types)...)
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.text, b.text) })
	return slices.Compact(lines), nil
}

func ofPackage(path string, p *types.Package) (lines []line) {
	short := types.RelativeTo(p)
	add := func(name, text string) { lines = append(lines, line{name, path + ": " + text}) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		t, isType := o.(*types.TypeName)
		if !isType {
			add(name, types.ObjectString(o, short))
			continue
		}
		add(name, "type "+name+typeParams(t, short)+" "+shapeOf(t, short))
		for _, m := range members(t) {
			add(name+"."+m.Name(), types.ObjectString(m, short)+in(m, name))
		}
	}
	return lines
}

// in says to which struct a field belongs. The text of a method says it already.
func in(o types.Object, typ string) string {
	if v, ok := o.(*types.Var); ok && v.IsField() {
		return " of " + typ
	}
	return ""
}

// shapeOf is the type behind a name, without the fields of a struct and the methods of an
// interface, which have lines of their own.
func shapeOf(t *types.TypeName, short types.Qualifier) string {
	switch u := t.Type().Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	default:
		return types.TypeString(u, short)
	}
}

func typeParams(t *types.TypeName, short types.Qualifier) string {
	n, ok := t.Type().(*types.Named)
	if !ok || n.TypeParams().Len() == 0 {
		return ""
	}
	var all []string
	for p := range n.TypeParams().TypeParams() {
		all = append(all, p.Obj().Name()+" "+types.TypeString(p.Constraint(), short))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// members are the exported methods and fields of a type.
func members(t *types.TypeName) (all []types.Object) {
	add := func(o types.Object) {
		if o.Exported() {
			all = append(all, o)
		}
	}
	if n, ok := t.Type().(*types.Named); ok {
		for m := range n.Methods() {
			add(m)
		}
	}
	switch u := t.Type().Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			add(f)
		}
	case *types.Interface:
		for m := range u.Methods() {
			add(m)
		}
	}
	return all
}
