package api

import (
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNamesExist: every name in names.go is one of gallop's, so that a rename there is noticed
// here first.
func TestNamesExist(t *testing.T) {
	pkgs := load(t)
	for i := range funcs {
		f := &funcs[i]
		fn := findFunc(pkgs, f.Name)
		if fn == nil {
			t.Errorf("there is no function %s", f.Name)
			continue
		}
		if Lookup(fn) != f {
			t.Errorf("%s is not found by its own name", f.Name)
		}
		if n := fn.Signature().Params().Len(); most(f) > n {
			t.Errorf("%s has %d parameters, and not %d", f.Name, n, most(f))
		}
	}
	for _, names := range []map[string]bool{sendable, sendableIfArgs, constants()} {
		for name := range names {
			if findFunc(pkgs, name) != nil {
				continue
			}
			if pkg, typ, _ := strings.Cut(name, "."); lookup(pkgs, pkg, typ) == nil {
				t.Errorf("there is no type %s", name)
			}
		}
	}
}

// constants are the names that rules ask for.
func constants() map[string]bool {
	return Names(strings.Join([]string{Context, Iso, Immutable, Shared, Interceptor, Self, ContextSystem, Checkpoint,
		NewIso, IsoUse, IsoGone, ValGet, ValView, DeferReply, Hold, FromChan,
		ProcessSelf, Proc, Party, ReplyTo}, " "))
}

// load loads the packages of gallop that users import, as they are in this checkout.
func load(t *testing.T) map[string]*types.Package {
	t.Helper()
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	config := &packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedTypes |
		packages.NeedImports | packages.NeedDeps}
	pkgs := map[string]*types.Package{}
	var paths []string
	for _, name := range []string{
		"actor", "actortest", "bridge", "capability", "group", "heap", "process", "process/actors", "sched", "supervise",
	} {
		paths = append(paths, Module+"/"+name)
	}
	loaded, err := packages.Load(config, paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		pkgs[short(p.Types)] = p.Types
	}
	return pkgs
}

func lookup(pkgs map[string]*types.Package, pkg, name string) types.Object {
	if p := pkgs[pkg]; p != nil {
		return p.Scope().Lookup(name)
	}
	return nil
}

// findFunc returns the function or method of that name, or nil.
func findFunc(pkgs map[string]*types.Package, name string) *types.Func {
	parts := strings.Split(name, ".")
	obj := lookup(pkgs, parts[0], parts[1])
	if len(parts) == 2 {
		fn, _ := obj.(*types.Func)
		return fn
	}
	if obj == nil {
		return nil
	}
	found, _, _ := types.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), parts[2])
	fn, _ := found.(*types.Func)
	return fn
}

// most returns the largest number of a parameter that a row of the table has.
func most(f *Func) int {
	n := max(f.Payload, f.To, f.State, f.Turn, f.Request)
	for _, all := range [][]int{
		f.Elsewhere, f.Sync, f.NonNil, f.NonZero, f.NonEmpty, f.Own,
	} {
		for _, p := range all {
			n = max(n, p)
		}
	}
	for _, b := range f.Least {
		n = max(n, b.Param)
	}
	return n
}
