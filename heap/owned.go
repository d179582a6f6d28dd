package heap

import (
	"reflect"
	"unsafe"

	"github.com/gallop-go/gallop/internal/nocmp"
)

// Owned has the places of regions and parcels in the values of a type. They are discarded when a
// message will not run. The zero value has no places. It is made by [OwnedIn] and read-only.
type Owned struct{ fields []ownedField }

// ownedField is the place of a region or a parcel.
type ownedField struct {
	_      nocmp.Field
	offset uintptr
	zero   owner // the zero value of the type of the region or parcel
}

// owner is implemented by all Regions, and by Parcel. They are discarded through it, so that a
// program without them does not link the code.
type owner interface{ discardAt(at unsafe.Pointer) }

func (Region[T]) discardAt(at unsafe.Pointer) { (*Region[T])(at).Discard() }
func (Parcel) discardAt(at unsafe.Pointer)    { (*Parcel)(at).Discard() }

// ownerOf returns the zero value of t if it is a Region or Parcel.
func ownerOf(t reflect.Type) owner {
	if t.Kind() != reflect.Struct || t.PkgPath() != ownPath {
		return nil
	}
	o, _ := reflect.Zero(t).Interface().(owner)
	return o
}

// OwnedIn finds the regions and parcels in a type, except those behind pointers,
// slices, maps and interfaces. Any goroutine.
func OwnedIn(t reflect.Type) Owned {
	if t == nil {
		panic("gallop: heap: OwnedIn: a nil type")
	}
	var o Owned
	o.find(t, 0)
	return o
}

// Any reports whether there is anything to discard.
func (o Owned) Any() bool { return len(o.fields) > 0 }

// find looks for owned regions and parcels in a value of type t at an offset.
func (o *Owned) find(t reflect.Type, at uintptr) {
	if z := ownerOf(t); z != nil {
		o.fields = append(o.fields, ownedField{offset: at, zero: z})
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			o.find(f.Type, at+f.Offset)
		}
	case reflect.Array:
		for i := range t.Len() {
			o.find(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	}
}

// DiscardIn discards the regions and parcels of a value. The value begins at at and has the type
// for which o was made; the type of at is ignored. Regions and parcels that are gone stay gone. The
// owner of the value only.
func DiscardIn[T any](at *T, o Owned) {
	for _, p := range o.fields {
		p.zero.discardAt(unsafe.Add(unsafe.Pointer(at), p.offset))
	}
}
