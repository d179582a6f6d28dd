// Package guard has the calls by which the runtime runs code that is not its own: functions and
// methods of the user's, of contexts, errors and loggers among them. Such code may panic, call
// runtime.Goexit, block, call back into the runtime, leave its thread locked, or leave labels of a
// profile behind.
//
//   - A behaviour, and what runs in its place, is called without a guard: the turn is the guard. A
//     panic or a Goexit there is the actor's fault, which is reported and answered. Nothing of the
//     runtime's is half done at such a call, and no lock is held.
//   - A function that answers at once, and that the runtime asks in the middle of its own work, is
//     called by Text, Is, Same or the methods of Context. A panic there is an answer, too.
//   - All else is called by Apart, in a goroutine of its own, for which its caller waits. A panic and
//     a Goexit end that goroutine, and so do a locked thread and labels.
//
// A guard does not end a call that blocks: its caller waits. So a guarded call is never made under a
// lock of the runtime's.
package guard

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/pprof"
)

// Unlabel takes the labels of a profile off the calling goroutine. A goroutine that outlives the
// call which starts it begins with this: Go gives a new goroutine the labels of its parent, which may
// be those of one request.
func Unlabel() { pprof.SetGoroutineLabels(context.Background()) }

// Go runs f, which is the runtime's own, in a goroutine without labels.
func Go(f func()) {
	go func() {
		Unlabel()
		f()
	}()
}

// Fault says how a call ended that did not return.
type Fault struct {
	Value  any // of the panic; nil for a Goexit
	Goexit bool
}

// String returns the value of the panic, or "runtime.Goexit".
func (f *Fault) String() string {
	if f.Goexit {
		return "runtime.Goexit"
	}
	return TextApart(f.Value)
}

// Apart calls f in a goroutine of its own, and waits for it. It returns how f ended; nil: it has
// returned.
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
// fmt. The text is "<nil>" for a nil pointer whose method panics, as package fmt has it. For another
// value whose method panics, the text names its type.
func Text(v any) (text string) {
	defer func() {
		if recover() == nil {
			return
		}
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
			text = "<nil>"
		} else {
			text = fmt.Sprintf("a %T whose text panics", v)
		}
	}()
	switch v := v.(type) {
	case string:
		return v
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

// TextApart is Text on a goroutine of its own, where no other code of the user's may stop.
func TextApart(v any) (text string) {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case string:
		return v
	}
	if f := Apart(func() { text = Text(v) }); f != nil {
		return fmt.Sprintf("a %T whose text calls runtime.Goexit", v)
	}
	return text
}

// Is is errors.Is. If a method of err panics, err is not target.
func Is(err, target error) (is bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, target)
}

// Same reports whether a and b are equal. Values that cannot be compared are not.
func Same(a, b any) (same bool) {
	defer func() { _ = recover() }()
	return a == b
}
