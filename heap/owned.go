package heap

import (
	"reflect"
	"unsafe"
)

// Owned says where in the values of a type there are regions and parcels: what has
// to be discarded when a message will not run. The zero value says that there are
// none. Made by [OwnedIn]; read-only.
type Owned struct {
	regions, parcels []uintptr
}

// isRegion is implemented by all Regions.
type isRegion interface{ region() *region }

func (r Region[T]) region() *region { return r.r }

var (
	regionType = reflect.TypeFor[isRegion]()
	parcelType = reflect.TypeFor[Parcel]()
)

// OwnedIn finds the regions and parcels in a type, but for those behind pointers,
// slices, maps and interfaces. Any goroutine.
func OwnedIn(t reflect.Type) Owned {
	var o Owned
	o.find(t, 0)
	return o
}

// Any tells whether there is anything to discard.
func (o Owned) Any() bool { return len(o.regions)+len(o.parcels) > 0 }

// find looks for what is owned in a t that lies at an offset.
func (o *Owned) find(t reflect.Type, at uintptr) {
	switch {
	case t == parcelType:
		o.parcels = append(o.parcels, at)
	case t.Kind() == reflect.Struct && t.PkgPath() == ownPath && t.Implements(regionType):
		o.regions = append(o.regions, at)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			o.find(f.Type, at+f.Offset)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			o.find(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	}
}

// DiscardIn discards the regions and parcels of a value of the type that o is of,
// which begins at at, whatever the type of at says. What is gone already stays so.
// The owner of the value only.
func DiscardIn[T any](at *T, o Owned) {
	p := unsafe.Pointer(at)
	for _, offset := range o.regions {
		(*(*Region[int])(unsafe.Add(p, offset))).Discard()
	}
	for _, offset := range o.parcels {
		(*(*Parcel)(unsafe.Add(p, offset))).Discard()
	}
}
