package durable

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

// Codec turns values into bytes and back. The default is JSON, and then the declaration panics if a
// part of the value would be lost. Use a codec of your own, for instance of protocol buffers, for
// data that is kept for years. A panic of a codec ends the actor.
type Codec[T any] interface {
	// Encode returns v as bytes.
	Encode(v *T) ([]byte, error)
	// Decode fills v. Of a state, exported fields are zero before, and the others are as they were
	// when the actor was spawned. It must not keep data.
	Decode(data []byte, v *T) error
}

type jsonCodec[T any] struct{}

func (jsonCodec[T]) Encode(v *T) ([]byte, error)    { return json.Marshal(v) }
func (jsonCodec[T]) Decode(data []byte, v *T) error { return json.Unmarshal(data, v) }

var (
	marshaler       = reflect.TypeFor[json.Marshaler]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	actorType       = reflect.TypeFor[Actor]()
)

// keepable returns an error with the path of the first part of t that JSON would lose or could not
// read again.
func keepable(t reflect.Type, path string) error { return (&keeper{}).check(t, path) }

// keeper has the types that it has looked at, which may contain themselves.
type keeper struct{ seen map[reflect.Type]bool }

func (k *keeper) check(t reflect.Type, path string) error {
	if hasOwn(t) {
		return promoted(t, path)
	}
	if k.seen[t] {
		return nil
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Pointer:
		return k.check(t.Elem(), path)
	case reflect.Slice, reflect.Array:
		return k.check(t.Elem(), path+"[]")
	case reflect.Map:
		if key := t.Key(); !hasOwn(key) && (key.Kind() < reflect.Int || key.Kind() > reflect.Uintptr) && key.Kind() != reflect.String {
			return fmt.Errorf("%s has keys of type %s", path, key)
		}
		return k.check(t.Elem(), path+"[]")
	case reflect.Struct:
		if k.seen == nil {
			k.seen = map[reflect.Type]bool{}
		}
		k.seen[t] = true
		for f := range t.Fields() {
			if err := k.field(f, path); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s is of type %s", path, t)
}

func (k *keeper) field(f reflect.StructField, path string) error {
	path += "." + f.Name
	switch {
	case f.Type == actorType || f.Tag.Get("json") == "-":
		return nil
	case !f.IsExported() && f.Tag.Get("durable") == "-":
		return nil
	case !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct):
		return fmt.Errorf("%s is not exported", path)
	}
	return k.check(f.Type, path)
}

// hasOwn reports whether values of type t turn themselves into JSON and back.
func hasOwn(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshaler) && p.Implements(unmarshaler) ||
		p.Implements(textMarshaler) && p.Implements(textUnmarshaler)
}

// promoted returns an error if t may have its JSON from one of several fields, as a struct has that
// embeds a time.Time: the others would be lost.
func promoted(t reflect.Type, path string) error {
	if t.Kind() != reflect.Struct || t.NumField() < 2 {
		return nil
	}
	for f := range t.Fields() {
		if f.Anonymous && hasOwn(f.Type) {
			return fmt.Errorf("%s may have the JSON of %s, which it embeds", path, f.Name)
		}
	}
	return nil
}

// clearKept sets the exported fields of the state to zero, except fields that JSON leaves out.
func clearKept(state reflect.Value) {
	if state.Kind() != reflect.Struct {
		return
	}
	for i := range state.NumField() {
		f := state.Type().Field(i)
		if f.Anonymous && !f.IsExported() {
			clearKept(state.Field(i))
		} else if f.Type != actorType && f.Tag.Get("json") != "-" && state.Field(i).CanSet() {
			state.Field(i).SetZero()
		}
	}
}
