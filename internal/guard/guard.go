// Package guard has the calls by which the runtime runs code that is not its own: functions and
// methods of the user's, of contexts, errors and loggers among them. Such code may panic, call
// runtime.Goexit, block, call back into the runtime, leave its thread locked, or leave labels of a
// profile set.
//
//   - A behaviour, or a function that runs in its place, is called without a guard: the turn is the
//     guard. A panic or a Goexit there is the actor's fault, which is reported and answered. The
//     runtime has finished its own work before such a call, and holds no lock.
//   - A user's context is asked in the middle of the runtime's work, for example while a request is
//     sent. Each function that takes a context calls Guarded first. The result of Guarded may be
//     asked anywhere.
//   - All other code is called by Apart, or by Text and Is, which use it: in a goroutine of its
//     own, for which its caller waits. A panic or a Goexit ends that goroutine, and is returned as
//     a Fault. The end of the goroutine also removes a lock on its thread and its labels.
//
// A guard does not end a call that blocks: its caller waits. So the runtime holds no lock during a
// guarded call.
package guard

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/pprof"
)

// Unlabel removes the labels of profiles from the calling goroutine. A goroutine that outlives the
// call which starts it begins with this call: Go gives a new goroutine the labels of its parent,
// which may name a single request.
func Unlabel() { pprof.SetGoroutineLabels(context.Background()) }

// Go runs f, which is the runtime's own, in a goroutine without labels.
func Go(f func()) {
	go func() {
		Unlabel()
		f()
	}()
}

// Fault describes the end of a call that did not return.
type Fault struct {
	Value  any // of the panic; nil for a Goexit
	Goexit bool
}

// String returns the value of the panic, or "runtime.Goexit".
func (f *Fault) String() string {
	if f.Goexit {
		return "runtime.Goexit"
	}
	return Text(f.Value)
}

// says describes the fault as the action of a method.
func (f *Fault) says() string {
	if f.Goexit {
		return "calls runtime.Goexit"
	}
	return "panics: " + Text(f.Value)
}

// Apart calls f in a goroutine of its own, and waits for it. It returns nil if f has returned, and
// else the panic or the Goexit that ended it.
func Apart(f func()) *Fault {
	ended := make(chan *Fault)
	go func() {
		fault := &Fault{Goexit: true}
		defer func() {
			if fault != nil {
				if v := recover(); v != nil {
					fault = &Fault{Value: v}
				}
			}
			ended <- fault
		}()
		f()
		fault = nil
	}()
	return <-ended
}

// Text returns the text of a value of the user's, from its method Error or String, or from package
// fmt. The text is "<nil>" for a nil pointer whose method panics, as package fmt has it. For
// another value whose method panics or calls runtime.Goexit, the text names its type.
func Text(v any) (text string) {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case string:
		return v
	}
	f := Apart(func() {
		switch v := v.(type) {
		case error:
			text = v.Error()
		case fmt.Stringer:
			text = v.String()
		default:
			text = fmt.Sprint(v)
		}
	})
	if f == nil {
		return text
	}
	switch p := reflect.ValueOf(v); {
	case f.Goexit:
		return fmt.Sprintf("a %T whose text calls runtime.Goexit", v)
	case p.Kind() == reflect.Pointer && p.IsNil():
		return "<nil>"
	}
	return fmt.Sprintf("a %T whose text panics", v)
}

// Wrapped returns an error that wraps err, and whose text is Text(err). Pass it to package fmt,
// which calls Error in the goroutine of its caller.
func Wrapped(err error) error { return wrapped{err} }

type wrapped struct{ err error }

func (w wrapped) Error() string { return Text(w.err) }
func (w wrapped) Unwrap() error { return w.err }

// Is is errors.Is. If a method of an error panics or calls runtime.Goexit, err is not target.
func Is(err, target error) (is bool) {
	if Same(err, target) {
		return true
	}
	switch err.(type) {
	case interface{ Is(error) bool }, interface{ Unwrap() error }, interface{ Unwrap() []error }:
		Apart(func() { is = errors.Is(err, target) })
	}
	return is
}

// Same reports whether a and b are equal. Values that cannot be compared are not equal.
func Same(a, b any) (same bool) {
	defer func() { _ = recover() }()
	return a == b
}
