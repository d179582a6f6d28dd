package policy

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

// Code that is not the runtime's own is called in few places, each with a guard: see the comment of
// package guard. This is the list of them, as far as they are functions in fields.

// guards are the ways in which a misdeed of called code is handled.
const (
	inTurn  = "the turn is its guard"  // a panic is the fault of the actor or the process that runs
	apart   = "a goroutine of its own" // guard.Apart, or System.Guard
	asked   = "a panic is an answer"   // recovered on the spot
	byUser  = "the caller's own"       // the caller's goroutine, by way of one call
	ownCode = "not the user's"         // made by the package itself
)

// calledFields are the functions in fields that are called, by directory and "Type.field"; a * stands
// for part of a name. A row that fits no call fails. A function that was copied to a variable is not
// found.
var calledFields = []struct{ dir, field, guard string }{
	{"internal/kernel", "Interceptor.*", inTurn},
	{"internal/kernel", "Options.On*", apart},
	{"internal/kernel", "TypeInfo.On*", inTurn},        // OnStart, OnStop
	{"internal/kernel", "supervision.decides", inTurn}, // Decide
	{"internal/kernel", "supervision.init", inTurn},    // of the child's state
	{"internal/kernel", "supervision.zero", apart},     // WithKeep
	{"internal/kernel", "struct.*", ownCode},           // Face
	{"internal/kernel", "processHolder.where", ownCode},
	{"internal/kernel", "lookAtState.f", apart}, // Inspect, LogValue: in internal/inspect
	{"internal/kernel", "unitTurn.f", inTurn},   // of a test
	{"actor", "sharedOption.*", ownCode},
	{"internal/kernel", "*.cancel", ownCode}, // of contexts
	{"internal/kernel", "*.deliver", ownCode},
	{"internal/kernel", "supervision.restarts", ownCode}, // made by package supervise
	{"internal/kernel", "delayProbe.f", ownCode},
	{"internal/kernel", "Descriptor.*", ownCode},
	{"internal/kernel", "ProcessEnv.stand", ownCode},
	{"internal/kernel", "Outlives.End", ownCode},
	{"internal/kernel", "sieve.refuse", ownCode},
	{"group", "Policy.start", byUser}, // or in the turn of the pool's actor
	{"group", "custom.f", byUser},     // the same; without the lock of the table
	{"group", "hashRing.key", byUser}, // the same
	{"group", "askerFactory.bind", ownCode},
	{"group", "memberFactory.bind", ownCode},
	{"group", "crew.resizeTo", ownCode}, // made by package supervise
	{"group", "crew.tell", ownCode},
	{"group", "relay.onEnd", ownCode},
	{"supervise", "childSpec.*", ownCode},
	{"process", "told.event", ownCode},
	{"internal/inspect", "delays.each", apart},
	{"internal/inspect", "Letter.receiver", ownCode},
	{"internal/inspect", "delays.found", ownCode},
	{"internal/inspect", "*.stop", ownCode},
	{"internal/inspect", "watch.*", ownCode},
	{"observe", "*.redact", asked},
	{"observe", "l*.*", ownCode}, // look, loops
	{"observe", "probes.*", ownCode},
	{"observe", "route.answer", ownCode},
	{"observe", "view.overview", ownCode},
	{"process", "Self.f", inTurn},  // the body of a process
	{"process", "plain.f", inTurn}, // the same
	{"process", "whenCase.try", inTurn},
	{"process", "reports.dead", apart},
	{"process", "trap.settle", ownCode},
	{"process", "cell.*", ownCode},
	{"process", "doneCase.stop", inTurn}, // of AfterFunc of a context
	{"process", "monitor.tell", ownCode},
	{"process/actors", "Proxy.start", ownCode},
	{"process/actors", "errand.f", ownCode},
	{"process/actors", "errand.lost", ownCode},
}

// foreignDirs are the packages that call code of the user's.
var foreignDirs = []string{"actor", "internal/kernel", "group", "supervise", "process", "process/actors", "bridge",
	"internal/inspect", "flight", "observe"}

// textsOfErrors are calls of Error that need no guard, by file and receiver: of the runtime's own
// errors, or where a panic is the caller's.
var textsOfErrors = []struct{ file, of string }{
	{"internal/kernel/life_stop.go", "ErrStopped"},
	{"internal/kernel/backoff_mail.go", "e.is"},
	{"internal/kernel/system.go", "err"}, // of the scheduler
	{"group/member_spec.go", "err"},      // of a type
	{"supervise/spec.go", "err"},         // of a type
	{"process/system.go", "err"},         // of the scheduler
	{"flight/dump.go", "err"},
	{"observe/routes.go", "err"}, // of a query, and of package json
}

// comparedErrors are calls of errors.Is and errors.As that need no guard, by file and error: of the
// runtime's own errors, or where a panic is the caller's.
var comparedErrors = []struct{ file, of string }{
	{"internal/kernel/system.go", "err"},   // of the scheduler
	{"internal/kernel/clock.go", "err"},    // the same
	{"process/errors.go", "reason"},        // the caller's
	{"observe/supervisors.go", "err"},      // of supervise.Tree
	{"supervise/child_requests.go", "err"}, // of accept
	{"observe/instruments.go", "t.sys.Wait(ctx)"},
}

// rawContexts are exported functions that ask a context of the user's without guard.Guarded, by file and
// name: nothing of the runtime's is half done there, and a misdeed is the caller's.
var rawContexts = []struct{ file, name string }{
	{"process/proc.go", "Wait"},
	// The callers are the exported functions of package actor, which have guarded it.
	{"internal/kernel/ask.go", "Park"},
	{"internal/kernel/backoff_mail.go", "WaitsForRestart"},
	{"internal/kernel/clock.go", "Sleep"},
	{"internal/kernel/context_life.go", "ActorOf"},
	{"internal/kernel/send_outside.go", "AcquirePermit"},
}

// asksRaw reports whether an exported function asks a context that it is given as it is, or has package
// context ask it.
func asksRaw(f *goFile, fn *ast.FuncDecl) bool {
	if fn.Body == nil || !fn.Name.IsExported() {
		return false
	}
	ctx := map[string]bool{}
	for _, p := range fn.Type.Params.List {
		if types.ExprString(p.Type) == f.importName("context")+".Context" {
			for _, n := range p.Names {
				ctx[n.Name] = true
			}
		}
	}
	raw := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt: // ctx = mustHave(ctx, …), or the like
			if x, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 && n.Tok == token.ASSIGN {
				delete(ctx, x.Name)
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			of, _ := sel.X.(*ast.Ident)
			if of == nil {
				break
			}
			if of.Name == f.importName("context") && sel.Sel.Name != "WithValue" &&
				sel.Sel.Name != "WithoutCancel" && len(n.Args) > 0 {
				of, _ = n.Args[0].(*ast.Ident)
			}
			raw = raw || of != nil && ctx[of.Name]
		}
		return true
	})
	return raw
}

// nothing is an importer whose packages are empty. The declarations of other packages do not matter
// here.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// foreignCode holds that functions in fields, and texts of errors, are called where the list says.
func foreignCode(r *repo) []string {
	var problems []string
	fields, texts := make([]bool, len(calledFields)), make([]bool, len(textsOfErrors))
	compared, contexts := make([]bool, len(comparedErrors)), make([]bool, len(rawContexts))
	for _, dir := range foreignDirs {
		files := slices.DeleteFunc(r.production(), func(f *goFile) bool { return f.dir != dir })
		if len(files) == 0 {
			continue
		}
		info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
		parsed := make([]*ast.File, len(files))
		for i, f := range files {
			parsed[i] = f.File
		}
		conf := types.Config{Importer: nothing{}, Error: func(error) {}}
		_, _ = conf.Check(dir, r.fset, parsed, info)
		for _, f := range files {
			ast.Inspect(f.File, func(n ast.Node) bool {
				if fn, ok := n.(*ast.FuncDecl); ok && asksRaw(f, fn) {
					i := slices.IndexFunc(rawContexts, func(row struct{ file, name string }) bool {
						return row.file == f.path && row.name == fn.Name.Name
					})
					if i >= 0 {
						contexts[i] = true
					} else {
						problems = append(problems, r.at(n)+fn.Name.Name+
							" asks a context of the user's: begin with guard.Guarded")
					}
				}
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if s := info.Selections[sel]; s != nil && s.Kind() == types.FieldVal {
					name := ownerOf(s.Recv()) + "." + sel.Sel.Name
					i := slices.IndexFunc(calledFields, func(row struct{ dir, field, guard string }) bool {
						fits, _ := path.Match(row.field, name)
						return row.dir == dir && fits
					})
					if i >= 0 {
						fields[i] = true
					} else {
						problems = append(problems, r.at(n)+name+
							" is called, and has no row in calledFields: which guard does it have?")
					}
				}
				if x, ok := sel.X.(*ast.Ident); ok && len(call.Args) == 2 && x.Name == f.importName("errors") &&
					(sel.Sel.Name == "Is" || sel.Sel.Name == "As") {
					of := types.ExprString(call.Args[0])
					i := slices.IndexFunc(comparedErrors, func(row struct{ file, of string }) bool {
						return row.file == f.path && row.of == of
					})
					if i >= 0 {
						compared[i] = true
					} else {
						problems = append(problems, r.at(n)+"errors."+sel.Sel.Name+" of "+of+
							" may panic: use guard.Is")
					}
				}
				if sel.Sel.Name == "Error" && len(call.Args) == 0 {
					of := types.ExprString(sel.X)
					i := slices.IndexFunc(textsOfErrors, func(row struct{ file, of string }) bool {
						return row.file == f.path && row.of == of
					})
					if i >= 0 {
						texts[i] = true
					} else {
						problems = append(problems, r.at(n)+of+".Error() may panic: use guard.Text")
					}
				}
				return true
			})
		}
	}
	for i, row := range calledFields {
		if !fields[i] && r.hasGo(row.dir) {
			problems = append(problems, row.dir+": no call of "+row.field+": take its row out of calledFields")
		}
	}
	for i, row := range textsOfErrors {
		if !texts[i] && r.hasGo(path.Dir(row.file)) {
			problems = append(problems, row.file+": no "+row.of+".Error(): take its row out of textsOfErrors")
		}
	}
	for i, row := range comparedErrors {
		if !compared[i] && r.hasGo(path.Dir(row.file)) {
			problems = append(problems, row.file+": errors.Is of "+row.of+": take its row out of comparedErrors")
		}
	}
	for i, row := range rawContexts {
		if !contexts[i] && r.hasGo(path.Dir(row.file)) {
			problems = append(problems, row.file+": "+row.name+" asks no context: take its row out of rawContexts")
		}
	}
	return problems
}

// ownerOf returns the name of the type that has a field.
func ownerOf(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	name := types.TypeString(t, func(*types.Package) string { return "" })
	name, _, _ = strings.Cut(name, "[")
	if strings.HasPrefix(name, "struct{") {
		return "struct"
	}
	return name
}

// TestForeignCodeHasAGuard: no function in a field, and no text of an error, is called outside of the
// guards, no error of the user's is compared outside of them, and no context is asked.
func TestForeignCodeHasAGuard(t *testing.T) {
	const code = `package observe
type handler struct{ redact func(string) string }
func (h *handler) show(err error) string { return h.redact(textOf(err)) }
`
	accepts := tree{"observe/show.go": code}
	for _, row := range calledFields { // one call of each, in a type of that name
		if row.dir != "observe" || row.field == "*.redact" {
			continue
		}
		typ, field, _ := strings.Cut(strings.ReplaceAll(row.field, "*", "x"), ".")
		accepts["observe/"+typ+".go"] = "package observe\ntype " + typ + " struct{ " + field +
			" func() }\nfunc (t *" + typ + ") run() { t." + field + "() }\n"
	}
	accepts["observe/instruments.go"] = "package observe\nimport \"errors\"\n" +
		"func (t *toolbox) over(of error) bool { return errors.Is(t.sys.Wait(ctx), of) }\n"
	accepts["observe/supervisors.go"] = "package observe\nimport \"errors\"\n" +
		"func of(err, end error) bool { return errors.Is(err, end) }\n"
	accepts["observe/routes.go"] = "package observe\nfunc text(err error) string { return err.Error() }\n"
	enforce(t, policy{check: foreignCode, accepts: accepts, rejects: []fault{
		{"a function in a field", tree{"observe/new.go": "package observe\ntype hook[S any] struct{ f func(S) }\n" +
			"func (h *hook[S]) call(s S) { h.f(s) }\n"}, "observe/new.go:3: hook.f is called, and has no row"},
		{"a text", tree{"observe/new.go": "package observe\nfunc say(last error) string { return last.Error() }\n"},
			"observe/new.go:2: last.Error() may panic"},
		{"a comparison", tree{"observe/new.go": "package observe\nimport \"errors\"\n" +
			"func is(err, of error) bool { return errors.Is(err, of) }\n"},
			"observe/new.go:3: errors.Is of err may panic: use guard.Is"},
		{"a context", tree{"observe/new.go": "package observe\nimport \"context\"\n" +
			"func Over(ctx context.Context) error { return ctx.Err() }\n"},
			"observe/new.go:3: Over asks a context of the user's"},
		{"a context that is derived", tree{"observe/new.go": "package observe\nimport \"context\"\n" +
			"func Soon(ctx context.Context) { context.AfterFunc(ctx, f) }\n"},
			"observe/new.go:3: Soon asks a context of the user's"},
		{"a stale row", tree{"observe/show.go": ""}, "observe: no call of *.redact"},
		{"a stale text", tree{"observe/routes.go": ""}, "observe/routes.go: no err.Error()"},
	}})
}
