// Package api describes the functions and types of gallop for the rules.
//
// names.go has every name; the other files look names up.
package api

import (
	"go/types"
	"slices"
	"strings"
)

// Role is the purpose of a function of gallop, as far as a rule asks.
type Role uint8

// The roles.
const (
	None Role = iota
	Declare
	Handle
	StartHook
	Spawn
	Blocking
	UseIso
	EndIso
)

// InTurn is the effect of a call of a waiting function in a behaviour.
type InTurn uint8

// The effects.
const (
	Fine           InTurn = iota
	Panics                // for the system of the caller or of the receiver
	PanicsOfSystem        // for the system that is the receiver of the method
	AskOfSelf             // an error, if the actor asks itself
)

// Bound is the least constant that a parameter takes.
type Bound struct {
	Param int
	Value int64
}

// Func describes one function or method of gallop. Parameters are numbers: see [Recv].
type Func struct {
	Name string // package, type of the receiver, and name
	Role Role

	// For functions that declare behaviours, start processes or make channels: how many of the type
	// arguments, from the first, are messages.
	Messages int

	// For functions that send.
	Payload  int  // the message
	To       int  // the ref of the receiver
	ToSelf   bool // the running actor is the receiver
	Many     bool // there may be several receivers
	Refuses  bool // with an error or false the message is the caller's
	Waits    bool // the caller waits for the reply
	Syncs    bool // the caller waits for actors or processes
	Suspends bool // the process that calls lets others run, and may wait
	Freezes  bool // its argument must not change any more
	State    int  // the state of a new actor

	// Functions among the parameters.
	Turn      int   // it becomes a behaviour, a hook or a process
	Process   bool  // a process
	Replies   bool  // its result is sent
	Request   int   // it makes the message, and runs within the call
	Elsewhere []int // these run in a goroutine or in another actor's turn
	Sync      []int // these run within the call

	// Arguments that cause panics.
	NonNil   []int
	NonZero  []int
	NonEmpty []int // strings
	Least    []Bound
	Own      []int // behaviours of the running actor
	InTurn   InTurn
}

func in(params ...int) []int { return params }

func at(param int, value int64) []Bound { return []Bound{{param, value}} }

// Names makes a set of the names in a text.
func Names(text string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(text) {
		set[name] = true
	}
	return set
}

// byName indexes funcs.
var byName = func() map[string]*Func {
	m := make(map[string]*Func, len(funcs))
	for i := range funcs {
		f := &funcs[i]
		f.Syncs = f.Syncs || f.InTurn != Fine && f.Payload == 0
		m[funcs[i].Name] = &funcs[i]
	}
	return m
}()

// Lookup returns the description of a function, or nil.
func Lookup(fn *types.Func) *Func {
	if fn == nil || !Is(fn.Pkg()) {
		return nil
	}
	return byName[Name(fn)]
}

// Is reports whether a package is one of gallop's that users import.
func Is(pkg *types.Package) bool {
	return pkg != nil && strings.HasPrefix(pkg.Path(), Module+"/")
}

// Uses reports whether a package imports one of gallop's.
func Uses(pkg *types.Package) bool {
	for _, p := range pkg.Imports() {
		if Is(p) {
			return true
		}
	}
	return false
}

// Name returns the name of a function as the table has it: "actor.Behaviour.Send".
func Name(fn *types.Func) string {
	if fn.Pkg() == nil {
		return fn.Name()
	}
	name := short(fn.Pkg()) + "."
	if recv := fn.Signature().Recv(); recv != nil {
		if n := Named(recv.Type()); n != nil {
			name += n.Obj().Name() + "."
		}
	}
	return name + fn.Name()
}

func short(pkg *types.Package) string { return strings.TrimPrefix(pkg.Path(), Module+"/") }

// TypeName returns the name of a type, or of the type it points to, as the table has it:
// "actor.Ref". It returns "" for a type that is not gallop's.
func TypeName(t types.Type) string {
	n := Named(t)
	if n == nil || !Is(n.Obj().Pkg()) {
		return ""
	}
	return short(n.Obj().Pkg()) + "." + n.Obj().Name()
}

// Named returns the named type that t is or points to, or nil.
func Named(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// TypeArgs returns the type arguments of a type, or of the type it points to.
func TypeArgs(t types.Type) []types.Type {
	n := Named(t)
	if n == nil {
		return nil
	}
	return slices.Collect(n.TypeArgs().Types())
}

// Sendable reports whether values of a type of gallop may be sent, and whether that depends on
// the type arguments.
func Sendable(t types.Type) (yes, ifArgs bool) {
	name := TypeName(t)
	return sendable[name], sendableIfArgs[name]
}

// Calls reports whether an argument of a type says who calls.
func Calls(t types.Type) bool { return callers[TypeName(t)] || t.String() == "context.Context" }

// RunsElsewhere reports whether a field of a struct of gallop holds a function that runs in the
// turn of an actor that does not exist yet.
func RunsElsewhere(structType types.Type, field string) bool {
	name := TypeName(structType)
	return name != "" && elsewhereFields[name+"."+field]
}
