package capability

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// fingerprint returns a text of a value, its slices and maps, and the addresses in its pointers.
// Values that differ in one of these have different texts. It calls no method of the value: a
// method might follow pointers, or omit something. The contents of a slice or map are written once,
// for any number of paths to it. The contents of an interface are written at each path: values with
// interfaces nested a million deep, or each holding the next one twice, are too expensive for this
// check.
func fingerprint[T any](v T) string {
	m := visited{done: make(map[location]bool)}
	l := valueWriter{visited: &m}
	l.value(reflect.ValueOf(&v).Elem())
	var all []string // sorted: independent of the order of maps
	for len(m.pending) > 0 {
		last := len(m.pending) - 1
		next := m.pending[last]
		m.pending = m.pending[:last]
		one := valueWriter{visited: &m}
		one.location(next)
		one.parts(next)
		all = append(all, one.String())
	}
	slices.Sort(all)
	return l.String() + strings.Join(all, "")
}

// valueWriter writes a value, without the contents of its slices and maps.
type valueWriter struct {
	strings.Builder
	visited *visited
}

// visited is the set of slices and maps that fingerprint has found.
type visited struct {
	done    map[location]bool
	pending []reflect.Value // not written yet
}

// location identifies a slice or map.
type location struct {
	p uintptr
	n int
	t reflect.Type
}

// location writes the type, length and address of a slice or map.
func (l *valueWriter) location(v reflect.Value) {
	fmt.Fprintf(l, "%v[%d]@%#x ", v.Type(), v.Len(), v.Pointer())
}

// value writes v.
func (l *valueWriter) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		l.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		l.float(real(v.Complex()))
		l.float(imag(v.Complex()))
	case reflect.Bool:
		fmt.Fprintf(l, "%t ", v.Bool())
	case reflect.String:
		fmt.Fprintf(l, "%q ", v.String())
	case reflect.Interface:
		if v.IsNil() {
			l.WriteString("nil ")
			return
		}
		fmt.Fprintf(l, "%v@%p:", v.Elem().Type(), v.Elem().Type())
		l.value(v.Elem())
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		fmt.Fprintf(l, "%#x ", v.Pointer())
	case reflect.Array, reflect.Struct:
		l.parts(v)
	case reflect.Slice, reflect.Map:
		l.location(v)
		if me := (location{v.Pointer(), v.Len(), v.Type()}); !v.IsNil() && !l.visited.done[me] {
			l.visited.done[me] = true
			l.visited.pending = append(l.visited.pending, v)
		}
	default:
		l.number(v)
	}
}

// number writes an integer. It does not pass v to fmt, which would call v's methods.
func (l *valueWriter) number(v reflect.Value) {
	if v.CanInt() {
		fmt.Fprintf(l, "%d ", v.Int())
	} else {
		fmt.Fprintf(l, "%d ", v.Uint())
	}
}

// float writes a number and its bits: NaNs may have different bits.
func (l *valueWriter) float(f float64) { fmt.Fprintf(l, "%v(%x) ", f, math.Float64bits(f)) }

// parts writes the fields, entries or elements of v.
func (l *valueWriter) parts(v reflect.Value) {
	l.WriteString(v.Type().String() + "{")
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			l.value(v.Field(i))
		}
	case reflect.Map:
		var all []string
		for key, value := range v.Seq2() {
			pair := valueWriter{visited: l.visited}
			pair.value(key)
			pair.value(value)
			all = append(all, pair.String())
		}
		slices.Sort(all)
		fmt.Fprint(l, all)
	default:
		for i := range v.Len() {
			l.value(v.Index(i))
		}
	}
	l.WriteString("} ")
}
