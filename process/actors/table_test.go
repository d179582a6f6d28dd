package actors_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// functions are the exported functions of packages process and process/actors, for one type of
// messages. The test fails if one is missing.
var functions = map[string]any{
	"process.Ask": process.Ask[int, int], "process.Call": process.Call[int, int],
	"process.NewReply": process.NewReply[int], "process.NewChan": process.NewChan[int],
	"process.SendTo": process.SendTo[int], "process.RecvFrom": process.RecvFrom[int],
	"process.After": process.After, "process.Done": process.Done, "process.When": process.When,
	"process.Block": process.Block, "process.Select": process.Select,
	"process.TrySelect": process.TrySelect, "process.Spawn": process.Spawn[int],
	"process.SpawnLinked": process.SpawnLinked[int], "process.Go": process.Go,
	"process.Start": process.Start, "process.WithBound": process.WithBound,
	"process.WithWatermarks": process.WithWatermarks, "process.WithType": process.WithType,
	"process.WithBestEffort": process.WithBestEffort, "process.Within": process.Within, "process.Register": process.Register[int],
	"process.Lookup": process.Lookup[int], "process.Panicked": process.Panicked,

	"actors.Join": actors.Join, "actors.Env": actors.Env, "actors.Sender": actors.Sender,
	"actors.With": actors.With, "actors.Ask": actors.Ask[puppet, int, int],
	"actors.Call":        actors.Call[puppet, int, int],
	"actors.CallContext": actors.CallContext[puppet, int, int],
	"actors.AskTo":       actors.AskTo[int, int, puppet],
	"actors.AskToWith":   actors.AskToWith[int, int, asker, string],
	"actors.Ref":         actors.Ref, "actors.Link": actors.Link, "actors.Unlink": actors.Unlink,
	"actors.Watch": actors.Watch[int], "actors.Child": actors.Child[int],
}

// receivers has a pointer to each exported type with methods.
var receivers = map[string][]any{
	"process": {new(process.Proc), new(process.Self[int]), new(process.Process), new(process.Ref[int]),
		new(process.Chan[int]), new(process.Mutex), new(process.Event), new(process.WaitGroup),
		new(process.Once), new(process.System), new(process.Goroutine), new(process.ReplyTo[int]),
		new(process.Asked[int]), new(process.Monitor), new(process.LinkedError), new(process.Status),
		new(process.Blocked)},
	"actors": {new(actors.Monitor), new(actors.LinkedError), new(actors.Proxy)},
}

// places are where a call is made that takes a process. Only in its own place is it no misuse.
var places = []string{"itself", "Blocking", "a match", "another process", "an ended process", "outside",
	"a behaviour"}

// calls returns the functions to call, by name.
func calls(t *testing.T, pkg, dir string) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for name, f := range functions {
		all[name] = reflect.ValueOf(f)
	}
	for _, r := range receivers[pkg] {
		of := reflect.TypeOf(r)
		base, _, _ := strings.Cut(of.Elem().Name(), "[")
		for _, recv := range []reflect.Type{of, of.Elem()} {
			for m := range recv.NumMethod() {
				all[pkg+"."+base+"."+recv.Method(m).Name] = recv.Method(m).Func
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	found := map[string]reflect.Value{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_explore.go") ||
			filepath.Base(name) == "for_actors.go" { // is called by package actors alone
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := pkg + "." + fn.Name.Name
			if fn.Recv != nil {
				var text strings.Builder
				for _, r := range fn.Recv.List {
					ast.Inspect(r.Type, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok && text.Len() == 0 {
							text.WriteString(id.Name)
						}
						return true
					})
				}
				if !ast.IsExported(text.String()) {
					continue
				}
				name = pkg + "." + text.String() + "." + fn.Name.Name
			}
			if _, known := all[name]; !known {
				t.Errorf("%s is exported, and not in the table", name)
				continue
			}
			found[name] = all[name]
		}
	}
	return found
}

// world is the surroundings of one call.
type world struct {
	sys   *actor.System
	procs *process.System
	r     actor.Ref[puppet]
	good  []any
	mu    sync.Mutex
	late  error // a panic of Go's own that came afterwards
}

func newWorld() *world {
	w := &world{}
	w.sys = actor.Start(actor.WithWorkers(2), quietLogger, actor.WithHooks(actor.Hooks{
		DeadLetter: func(actor.DeadLetter) {},
		Panic: func(p actor.PanicReport) {
			if e, ok := p.Value.(runtime.Error); ok {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.late = fmt.Errorf("%w in %s\n%s", e, p.Type, p.Stack)
			}
		}}))
	w.procs = actors.Join(w.sys)
	w.r = puppetType.Spawn(w.sys, puppet{})
	c := process.NewChan[int](3)
	c.TrySend(w.procs, 1)
	other := process.Spawn(w.procs, func(self *process.Self[int]) { self.Receive() })
	asked, reply := process.NewReply[int]()
	reply.Reply(w.procs, 1)
	asks, back := process.NewReply[int]()
	_ = asks
	n := 1
	m, g := new(process.Mutex), new(process.WaitGroup)
	g.Add(w.procs, 1)
	m.TryLock()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.good = []any{w.r, double, quietly, askerHear, other, other.Process, c, m, g, new(process.Once), new(process.Event),
		back, asked, &n, process.Config{Workers: 1}, process.After(time.Millisecond), ctx, w.procs.Goroutine(),
		&process.LinkedError{From: other.Process, Reason: errPlanted}, &actors.LinkedError{Reason: errPlanted},
		errPlanted, process.Mark{}, process.Blocked{}}
	return w
}

var (
	procOf    = reflect.TypeFor[*process.Proc]()
	selfOf    = reflect.TypeFor[*process.Self[int]]()
	partyOf   = reflect.TypeFor[process.Party]()
	envOf     = reflect.TypeFor[process.Env]()
	contextOf = reflect.TypeFor[*actor.Context]()
	systemOf  = reflect.TypeFor[*process.System]()
)

// isOwn reports whether a parameter belongs to the process that calls.
func isOwn(t reflect.Type) bool {
	return t == procOf || t == selfOf || t == partyOf || t == envOf
}

// arg returns a good argument.
func (w *world) arg(t reflect.Type, self *process.Self[int], c *actor.Context) reflect.Value {
	switch {
	case t == procOf:
		return reflect.ValueOf(&self.Proc)
	case t == selfOf, t == partyOf, t == envOf:
		return reflect.ValueOf(self)
	case t == contextOf:
		return reflect.ValueOf(c)
	case t == reflect.TypeFor[actor.Sender](), t == reflect.TypeFor[*actor.System]():
		return reflect.ValueOf(w.sys)
	case t == systemOf:
		return reflect.ValueOf(w.procs)
	case t == reflect.TypeFor[process.Monitor]():
		return reflect.ValueOf(self.Watch(w.good[5].(process.Process), func(process.Down) int { return 1 }))
	case t == reflect.TypeFor[actors.Monitor]():
		return reflect.ValueOf(actors.Watch(self, w.r, func(actor.Down) int { return 1 }))
	}
	for _, a := range w.good {
		if v := reflect.ValueOf(a); v.Type().AssignableTo(t) {
			return v
		}
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return reflect.ValueOf(1).Convert(t)
	case reflect.String:
		return reflect.ValueOf("name")
	case reflect.Func:
		return reflect.MakeFunc(t, func([]reflect.Value) (results []reflect.Value) {
			for i := range t.NumOut() {
				results = append(results, reflect.Zero(t.Out(i)))
				if t.Out(i).Kind() == reflect.Bool {
					results[i] = reflect.ValueOf(true)
				}
			}
			return results
		})
	case reflect.Pointer:
		return reflect.New(t.Elem())
	}
	return reflect.Zero(t)
}

// odd are values that are none, for parameters of interface types.
var odd = []any{(*process.System)(nil), new(process.System), (*process.Goroutine)(nil),
	new(process.Goroutine), (*process.Proc)(nil), new(process.Proc), (*process.Self[int])(nil),
	(*actor.System)(nil), new(actor.System), actor.Ref[puppet]{}, actor.AnyRef{}}

// change is an argument that is replaced; at is -1 for none.
type change struct {
	at   int
	with reflect.Value
	what string
}

func changes(f reflect.Value) []change {
	all := []change{{at: -1, what: "good arguments"}}
	for i := range f.Type().NumIn() {
		t := f.Type().In(i)
		if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
			t = t.Elem()
		}
		all = append(all, change{i, reflect.Zero(t), fmt.Sprintf("argument %d a zero %v", i, t)})
		switch t.Kind() {
		case reflect.Pointer:
			all = append(all, change{i, reflect.New(t.Elem()), fmt.Sprintf("argument %d a new %v", i, t)})
		case reflect.Int, reflect.Int64:
			all = append(all, change{i, reflect.ValueOf(-1).Convert(t), fmt.Sprintf("argument %d negative", i)})
		case reflect.Interface:
			for _, o := range odd {
				if v := reflect.ValueOf(o); v.Type().Implements(t) {
					all = append(all, change{i, v, fmt.Sprintf("argument %d a zero %T", i, o)})
				}
			}
		}
	}
	return all
}

// make makes one call in a place, and returns the faults.
func (w *world) make(f reflect.Value, ch change, place string) (wrong string) {
	made := make(chan string, 1)
	call := func(self *process.Self[int], c *actor.Context, args []reflect.Value) {
		said := ""
		defer func() {
			if v := recover(); v != nil {
				if s, ok := v.(string); !ok || !strings.HasPrefix(s, "gallop: ") {
					said = fmt.Sprintf("panics with %v", v)
				}
			} else if said == "" && place != "itself" && place != "a behaviour" {
				said = "is no misuse"
			}
			made <- said
		}()
		for i := len(args); i < f.Type().NumIn(); i++ {
			switch isLast := f.Type().IsVariadic() && i == f.Type().NumIn()-1; {
			case i == ch.at:
				args = append(args, ch.with)
			case isLast:
			default:
				args = append(args, w.arg(f.Type().In(i), self, c))
			}
		}
		f.Call(args)
		if place != "itself" && place != "a behaviour" {
			return
		}
		said = " " // it has returned
	}
	// The arguments of a wrong place were made by the process itself.
	prepared := func(self *process.Self[int]) (args []reflect.Value) {
		for i := range f.Type().NumIn() {
			if !f.Type().IsVariadic() || i < f.Type().NumIn()-1 {
				args = append(args, w.arg(f.Type().In(i), self, nil))
			}
		}
		return args
	}
	var args []reflect.Value
	p := process.Spawn(w.procs, func(self *process.Self[int]) {
		switch place {
		case "itself":
			call(self, nil, nil)
		case "Blocking":
			args := prepared(self)
			self.Blocking(func() { call(self, nil, args) })
		case "a match":
			args := prepared(self)
			self.Ref().Send(self, 1)
			self.ReceiveMatch(func(int) bool { call(self, nil, args); return true })
		case "another process", "outside":
			args = prepared(self)
			process.Select(self)
		case "an ended process":
			args = prepared(self)
		}
	})
	w.settle()
	switch place {
	case "another process":
		process.Go(w.procs, func(*process.Proc) { call(nil, nil, args) })
	case "outside", "an ended process":
		call(nil, nil, args)
	case "a behaviour":
		in(w.sys, w.r, func(_ *puppet, c *actor.Context) { call(nil, c, nil) })
	}
	w.settle()
	select {
	case wrong = <-made:
	default: // it waits, or has ended the process
		if place != "itself" {
			wrong = "waits"
		}
	}
	p.Kill(w.procs)
	w.settle()
	ran := false
	process.Go(w.procs, func(*process.Proc) { ran = true })
	w.settle()
	w.sys.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ran && wrong == "" {
		wrong = "stops the system"
	}
	if w.late != nil {
		wrong += fmt.Sprint(" later: ", w.late)
	}
	return strings.TrimSpace(wrong)
}

// settle waits until nothing goes on.
func (w *world) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), hangTimeout)
	defer cancel()
	_ = w.sys.Wait(ctx)
}

// free are calls that are no misuse in a wrong place, although they take a process: they ask for
// constants, or nest.
var free = map[string]bool{
	"process.Proc.Process": true, "process.Proc.String": true, "process.Self.Ref": true,
	"process.Self.Receives": true, "process.Chan.All": true, // the loop panics
}

// TestMisuse_Everything: each exported function and method is called with each nil or zero
// argument, and in each wrong place. It returns, waits, or panics with a text of gallop's; it never
// panics in Go's own words, and nothing fails later.
func TestMisuse_Everything(t *testing.T) {
	n := 0
	var wrongs []string
	for pkg, dir := range map[string]string{"process": "..", "actors": "."} {
		all := calls(t, pkg, dir)
		var names []string
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			f := all[name]
			own, inTurn := false, false
			for i := range f.Type().NumIn() {
				own = own || isOwn(f.Type().In(i))
				inTurn = inTurn || f.Type().In(i) == contextOf
			}
			for _, place := range places {
				isGood := place == "itself" && !inTurn || place == "a behaviour" && inTurn
				if !isGood && (!own || free[name] || inTurn || place == "a behaviour") ||
					name == "process.Proc.Blocking" && place == "Blocking" ||
					name == "process.System.Stop" && place != "itself" {
					continue
				}
				all := changes(f)
				if !isGood {
					all = all[:1]
				}
				for _, ch := range all {
					n++
					if wrong := newWorld().make(f, ch, place); wrong != "" {
						wrongs = append(wrongs, fmt.Sprintf("%s with %s in %s %s", name, ch.what, place, wrong))
					}
				}
			}
		}
	}
	for _, w := range wrongs {
		t.Error(w)
	}
	if t.Logf("%d combinations", n); n < 600 {
		t.Errorf("%d combinations, want 600", n)
	}
}
