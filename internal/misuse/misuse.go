// Package misuse calls the exported functions and methods of a package with wrong arguments: zero,
// nil, a nil pointer in an interface, a value that cannot be compared. Each call must either
// return, or panic with a string that begins with "gallop: ". Another panic, a call that hangs, and
// a failure that follows later are errors. For tests.
package misuse

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// World is the surroundings of a single call: a system, for example. Each call has a new World.
type World struct {
	// Args has good arguments, receivers of methods included. A parameter gets the first argument
	// of a fitting type. Functions, numbers, strings, pointers and channels are made on demand.
	Args []any
	// Inside calls f in the goroutine of an actor or a process, and returns after f has. It is nil
	// if no call of the package needs that.
	Inside func(f func())
	// Close ends the World and waits until it is idle. It returns an error if the runtime's own
	// code has panicked since the call.
	Close func() error
}

// Table says how the exported functions and methods of a package are called.
type Table struct {
	// Dir is the directory of the package, with its sources.
	Dir string
	// Funcs has the exported functions by name. Generic functions are instantiated.
	Funcs map[string]any
	// Types has a value of each exported type with methods, or a nil pointer to it. Generic types
	// are instantiated. Methods are called with a value as the receiver where it has them, and else
	// with a pointer.
	Types []any
	// Inside has values of parameter and receiver types, such as *Context. A call with a parameter
	// of such a type is made in World.Inside. All other calls are made outside.
	Inside []any
	// Odd are wrong values for parameters of interface types: nil pointers, zero structs, values
	// that cannot be compared.
	Odd []any
	// Left has the functions ("F") and methods ("T.M") that are not called, with the reason.
	Left map[string]string
	// Over has the names of calls that would wait for ever: their good context has ended.
	Over []string
	// New makes a World.
	New func() *World
}

// limit is the time after which a call hangs.
const limit = time.Minute

// Run makes all calls, and returns their number.
func (tb *Table) Run(t *testing.T) (n int) {
	calls := tb.calls(t)
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if tb.Left[name] != "" {
			continue
		}
		for _, change := range tb.changes(calls[name]) {
			n++
			if wrong := tb.try(calls[name], change); wrong != "" {
				t.Errorf("%s with %s: %s", name, change.what, wrong)
			}
		}
	}
	return n
}

// call is a function, or a method whose first parameter is the receiver.
type call struct {
	name     string
	f        reflect.Value
	isMethod bool
}

// calls returns all functions and methods to call, by name. It fails the test if the table is not
// complete.
func (tb *Table) calls(t *testing.T) map[string]call {
	declared, err := Exported(tb.Dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]call{}
	for name, f := range tb.Funcs {
		all[name] = call{name: name, f: reflect.ValueOf(f)}
	}
	for _, v := range tb.Types {
		of := reflect.TypeOf(v)
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		base, _, _ := strings.Cut(of.Name(), "[")
		for _, recv := range []reflect.Type{reflect.PointerTo(of), of} { // by value if possible
			for m := range recv.NumMethod() {
				name := base + "." + recv.Method(m).Name
				all[name] = call{name, recv.Method(m).Func, true}
			}
		}
	}
	tb.isComplete(t, declared, all)
	maps.DeleteFunc(all, func(name string, _ call) bool {
		return !slices.Contains(declared, name) // declared in a test, or promoted
	})
	return all
}

// isComplete checks that each declared name is called, or left out for a reason.
func (tb *Table) isComplete(t *testing.T, declared []string, calls map[string]call) {
	for _, name := range declared {
		if _, is := calls[name]; !is && tb.Left[name] == "" {
			t.Errorf("%s: not in the table", name)
		}
	}
	for name := range tb.Left {
		if !slices.Contains(declared, name) {
			t.Errorf("%s is left out, and is not declared", name)
		}
	}
	for name := range tb.Funcs {
		if !slices.Contains(declared, name) {
			t.Errorf("%s is in the table, and is not declared", name)
		}
	}
}

// Exported returns the exported functions of a package, and the exported methods of its exported
// types. Interfaces have no entries.
func Exported(dir string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_explore.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				if of := receiver(fn); of == "" {
					names = append(names, fn.Name.Name)
				} else if ast.IsExported(of) {
					names = append(names, of+"."+fn.Name.Name)
				}
			}
		}
	}
	return names, nil
}

// receiver returns the name of the type whose method a function is.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	at := fn.Recv.List[0].Type
	for {
		switch x := at.(type) {
		case *ast.StarExpr:
			at = x.X
		case *ast.IndexExpr:
			at = x.X
		case *ast.IndexListExpr:
			at = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// change replaces one argument of a call; at is -1 for no change.
type change struct {
	at   int
	with reflect.Value
	what string
}

// changes returns the ways in which c is called: with good arguments, and with one wrong argument.
func (tb *Table) changes(c call) []change {
	all := []change{{at: -1, what: "good arguments"}}
	t := c.f.Type()
	for i := range t.NumIn() {
		p, name := t.In(i), fmt.Sprintf("argument %d", i+1)
		if c.isMethod {
			name = fmt.Sprintf("argument %d", i)
			if i == 0 {
				name = "a receiver"
			}
		}
		if t.IsVariadic() && i == t.NumIn()-1 {
			p = p.Elem()
		}
		all = append(all, change{i, reflect.Zero(p), fmt.Sprintf("%s that is a zero %v", name, p)})
		switch p.Kind() {
		case reflect.Pointer:
			all = append(all, change{i, reflect.New(p.Elem()), name + " that leads to a zero value"})
		case reflect.Interface:
			for _, odd := range tb.Odd {
				if v := reflect.ValueOf(odd); v.Type().Implements(p) {
					all = append(all, change{i, v, fmt.Sprintf("%s that is a zero %v", name, v.Type())})
				}
			}
		case reflect.Int, reflect.Int64:
			all = append(all, change{i, reflect.ValueOf(-1).Convert(p), name + " that is negative"})
		}
	}
	return all
}

// try makes one call in a new World, and returns a description of its failure, or "".
func (tb *Table) try(c call, ch change) (wrong string) {
	ended := make(chan string, 1)
	go func() {
		said := "it has called runtime.Goexit"
		defer func() { ended <- said }()
		w := tb.New()
		said = tb.tryIn(w, c, ch)
		if err := w.Close(); err != nil && said == "" {
			said = "later: " + err.Error()
		}
	}()
	select {
	case wrong = <-ended:
		return wrong
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		return "it hangs\n" + string(stacks[:runtime.Stack(stacks, true)])
	}
}

func (tb *Table) tryIn(w *World, c call, ch change) (wrong string) {
	t, isInside := c.f.Type(), false
	var args []reflect.Value
	do := func() {
		for i := range t.NumIn() {
			switch isLast := t.IsVariadic() && i == t.NumIn()-1; {
			case i == ch.at:
				args = append(args, ch.with)
			case isLast: // no options
			case t.In(i) == reflect.TypeFor[context.Context]() && slices.Contains(tb.Over, c.name):
				args = append(args, reflect.ValueOf(over()))
			default:
				args = append(args, w.good(t.In(i)))
			}
		}
		defer func() {
			if v := recover(); v != nil {
				if s, ok := v.(string); !ok || !strings.HasPrefix(s, "gallop: ") {
					wrong = fmt.Sprintf("panic: %v", v)
				}
			}
		}()
		c.f.Call(args)
	}
	for i := range t.NumIn() {
		for _, in := range tb.Inside {
			isInside = isInside || t.In(i) == reflect.TypeOf(in)
		}
	}
	if isInside {
		w.Inside(do)
	} else {
		do()
	}
	return wrong
}

// over returns a context that has ended.
func over() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}

// good returns a good argument.
func (w *World) good(t reflect.Type) reflect.Value {
	for _, a := range w.Args {
		if v := reflect.ValueOf(a); v.Type().AssignableTo(t) {
			return v
		}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint8, reflect.Float64:
		return reflect.ValueOf(1).Convert(t)
	case reflect.String:
		return reflect.ValueOf("name").Convert(t)
	case reflect.Func:
		return reflect.MakeFunc(t, func([]reflect.Value) (results []reflect.Value) {
			for i := range t.NumOut() {
				results = append(results, w.good(t.Out(i)))
			}
			return results
		})
	case reflect.Pointer:
		return reflect.New(t.Elem())
	case reflect.Chan:
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 1)
		return c.Convert(t)
	}
	return reflect.Zero(t)
}
