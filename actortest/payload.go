package actortest

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Payloads are printed by this file and not by fmt. fmt prints addresses, which differ from run to
// run. It follows all pointers of a message, and prints a ref in an unexported field as the
// runtime's internals. The output of this file is bounded, and the same in every run.

const (
	payloadLength = 160 // bytes of a payload that are printed, about
	payloadDepth  = 5   // how deep it is followed
	payloadItems  = 16  // of a list or a map
)

// printer prints one payload.
type printer struct {
	strings.Builder
	name func(actor uint64) string
}

// describe returns the text for a payload, or "" for an empty one. name returns the name of an
// actor.
func describe(v any, name func(uint64) string) string {
	if v == nil || reflect.TypeOf(v).Kind() == reflect.Struct && reflect.TypeOf(v).NumField() == 0 {
		return ""
	}
	p := &printer{name: name}
	p.print(reflect.ValueOf(v), 0)
	if p.full() {
		return strings.ToValidUTF8(p.String()[:payloadLength], "") + "…"
	}
	return p.String()
}

func (p *printer) full() bool { return p.Len() > payloadLength }

// print prints a value.
func (p *printer) print(v reflect.Value, depth int) {
	switch {
	case p.full():
	case !v.IsValid():
		p.WriteString("nil")
	case isContext(v):
		p.WriteString("context")
	case p.ownString(v), p.runtimeValue(v):
	case depth == payloadDepth:
		p.WriteString("…")
	default:
		p.byKind(v, depth)
	}
}

var contextType = reflect.TypeFor[context.Context]()

// isContext reports whether a value is a context, and not a message in which one is embedded. The
// content of a context tells a reader nothing, and differs from run to run.
func isContext(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() == reflect.Interface {
		return !v.IsNil() && (t.Implements(contextType) || isContext(v.Elem()))
	}
	if !t.Implements(contextType) {
		return false
	}
	of := t
	if t.Kind() == reflect.Pointer {
		of = t.Elem()
	}
	if of.Kind() == reflect.Struct && !strings.HasPrefix(of.PkgPath()+"/", module) &&
		of.PkgPath() != "context" {
		for i := range of.NumField() {
			if f := of.Field(i); f.Anonymous && f.Type.Implements(contextType) && of.NumField() > 1 {
				return false
			}
		}
	}
	return true
}

// ownString prints a value by its Error or String method, and reports whether it has one.
func (p *printer) ownString(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer && v.IsNil() || !v.CanInterface() {
		return false
	}
	switch x := v.Interface().(type) {
	case error:
		p.call(x.Error)
	case fmt.Stringer:
		p.call(x.String)
	default:
		return false
	}
	return true
}

// call prints the result of f. f is user code, and may panic.
func (p *printer) call(f func() string) {
	defer func() {
		if recover() != nil {
			p.WriteString("(its String panics)")
		}
	}()
	p.WriteString(f())
}

// module is how the paths of gallop's packages begin.
const module = "github.com/gallop-go/gallop/"

// runtimeValue prints refs and other values of the runtime, and times, even in unexported fields.
func (p *printer) runtimeValue(v reflect.Value) bool {
	t := v.Type()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		p.WriteString(time.Duration(v.Int()).String())
	case t == reflect.TypeFor[time.Time]():
		p.WriteString("time")
	case isPublic(v):
		return false
	default:
		if a := cellIn(v); a != nil {
			p.WriteString(p.name(a.ID))
			break
		}
		name, _, _ := strings.Cut(t.Name(), "[")
		p.WriteString(name)
	}
	return true
}

// isPublic reports whether a value is none of the runtime's own, or one whose fields users know, like
// those of a Result.
func isPublic(v reflect.Value) bool {
	switch t := v.Type(); {
	case t == reflect.TypeFor[*kernel.Cell]():
		return v.IsNil()
	case t.Kind() != reflect.Struct || t == reflect.TypeFor[kernel.ChildDown]() ||
		t == reflect.TypeFor[kernel.ChildUp]():
		return true
	case t.PkgPath() == module+"internal/kernel":
		return false
	case t.PkgPath() != module+"actor":
		return true
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !f.Anonymous { // not a type of the kernel's
			return true
		}
	}
	return false
}

// cellIn returns the actor that a value of the runtime leads to, for example a ref or a handler; nil
// if there is none.
func cellIn(v reflect.Value) *kernel.Cell {
	if v.Type() == reflect.TypeFor[*kernel.Cell]() {
		return (*kernel.Cell)(v.UnsafePointer())
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).Anonymous && f.Type() != reflect.TypeFor[*kernel.Cell]() {
			continue
		}
		if a := cellIn(f); a != nil {
			return a
		}
	}
	return nil
}

// byKind prints a value by its kind.
func (p *printer) byKind(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		p.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		p.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()))
	case reflect.Complex64, reflect.Complex128:
		fmt.Fprint(p, v.Complex())
	case reflect.String:
		p.WriteString(strconv.Quote(v.String()[:min(v.Len(), payloadLength)]))
	case reflect.Interface:
		p.print(v.Elem(), depth)
	case reflect.Pointer:
		if v.IsNil() {
			p.WriteString("nil")
			return
		}
		p.WriteByte('&')
		p.print(v.Elem(), depth+1)
	case reflect.Struct:
		p.structure(v, depth)
	case reflect.Array, reflect.Slice:
		p.list(v, depth)
	case reflect.Map:
		p.table(v, depth)
	default: // a func, a channel, an address
		p.WriteString("(" + v.Kind().String() + ")")
	}
}

func (p *printer) structure(v reflect.Value, depth int) {
	p.WriteByte('{')
	for i := range v.NumField() {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(v.Type().Field(i).Name + ":")
		p.print(v.Field(i), depth+1)
	}
	p.WriteByte('}')
}

func (p *printer) list(v reflect.Value, depth int) {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		p.WriteString(strconv.Quote(string(v.Bytes()[:min(v.Len(), payloadLength)])))
		return
	}
	p.WriteByte('[')
	for i := range min(v.Len(), payloadItems) {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.print(v.Index(i), depth+1)
	}
	if v.Len() > payloadItems {
		fmt.Fprintf(p, " … %d", v.Len())
	}
	p.WriteByte(']')
}

// table prints a map, sorted by its printed keys.
func (p *printer) table(v reflect.Value, depth int) {
	if v.Len() > payloadItems {
		fmt.Fprintf(p, "map of %d", v.Len())
		return
	}
	type entry struct{ key, value string }
	var all []entry
	for at := v.MapRange(); at.Next(); {
		k, e := &printer{name: p.name}, &printer{name: p.name}
		k.print(at.Key(), depth+1)
		e.print(at.Value(), depth+1)
		all = append(all, entry{k.String(), e.String()})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.value, b.value))
	})
	p.WriteString("map[")
	for i, e := range all {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(e.key + ":" + e.value)
	}
	p.WriteByte(']')
}
