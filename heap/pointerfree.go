package heap

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gallop-go/gallop/internal/seam"
)

// The GC does not scan chunks, so a Go pointer in a chunk would not keep its
// target alive: types that could hold a Go pointer are refused. Reflection looks at a
// type once. From then on its type word is in a set, and the check costs two
// loads and a comparison.
//
// Rejected: a sync.Map by reflect.Type (10 ns, three times the price of the allocation
// it guards); the last type of each arena (two types in turn miss every time).

// admitted is the set of types that are pointer-free. A published set is never changed:
// admitting a type publishes a larger copy. A stale set costs one more look at
// the type. Any goroutine.
var admitted seam.Pointer[typeSet]

// typeSet is an open-addressed table of type words, at most half full.
type typeSet struct {
	words []uintptr // 0 if free
	count int
	shift uint8 // 64 - log2(len(words))
}

// admit panics if T is not pointer-free. Any goroutine.
func admit[T any]() {
	if word := typeWord[T](); !isAdmitted(word) {
		admitSlow(word, reflect.TypeFor[T]())
	}
}

// isAdmitted reports whether a word is in its home slot. It is inlined.
func isAdmitted(word uintptr) bool {
	s := admitted.Load()
	if s == nil {
		return false
	}
	i := s.startSlot(word)
	return i < uint64(len(s.words)) && s.words[i] == word
}

// typeWord returns a word that identifies T: the address of the type
// descriptor of *T, which is in read-only data and is never moved. It is the
// first word of an interface that holds a *T.
func typeWord[T any]() uintptr {
	var v any = (*T)(nil)
	return *(*uintptr)(unsafe.Pointer(&v))
}

// admitSlow is admit for a type that is not in its home slot. If the type is in
// no other slot either, admitSlow looks at the type itself. It panics if the
// type is not pointer-free, and adds it to the set otherwise.
func admitSlow(word uintptr, t reflect.Type) {
	for {
		old := admitted.Load()
		if old.has(word) {
			return
		}
		mustBePointerFree(t)
		if admitted.CompareAndSwap(old, old.with(word)) { // pairs with the Load in isAdmitted
			return
		}
	}
}

// startSlot returns the slot at which the search for a word starts.
func (s *typeSet) startSlot(word uintptr) uint64 { return uint64(word) * golden >> (s.shift & 63) }

// slot returns the slot of a word, or the free slot into which it would go.
func (s *typeSet) slot(word uintptr) *uintptr {
	i, mask := s.startSlot(word), uint64(len(s.words)-1)
	for s.words[i&mask] != word && s.words[i&mask] != 0 {
		i++
	}
	return &s.words[i&mask]
}

// has reports whether a word is in the set, which may be nil.
func (s *typeSet) has(word uintptr) bool { return s != nil && *s.slot(word) == word }

// with returns a copy of the set, which may be nil, with one more word.
func (s *typeSet) with(word uintptr) *typeSet {
	if s == nil {
		s = &typeSet{shift: 64 - 5}
	}
	c := &typeSet{count: s.count + 1, shift: s.shift}
	if 2*c.count >= 1<<(64-c.shift) {
		c.shift--
	}
	c.words = make([]uintptr, 1<<(64-c.shift))
	for _, w := range append([]uintptr{word}, s.words...) {
		if w != 0 {
			*c.slot(w) = w
		}
	}
	return c
}

// mustBePointerFree panics with the path of the first field that is, or holds, a Go pointer, or a
// handle that the collector does not recognize.
func mustBePointerFree(t reflect.Type) {
	p := findPointer(t, "")
	if p.is == nil {
		return
	}
	where := "it"
	if p.path != "" {
		where = "field " + p.path
	}
	if isConverted(p.is) {
		panic(fmt.Sprintf("gallop: heap: type %v keeps a handle out of the collector's reach: %s is a "+
			"%v, a type converted from a handle's (use heap.Ptr, heap.Slice, heap.String or heap.Blob "+
			"itself)", t, where, p.is))
	}
	panic(fmt.Sprintf("gallop: heap: type %v is not pointer-free: %s is a %v%s", t, where, p.is,
		p.remedy(t)))
}

// pointer is a Go pointer in a type, or a converted handle. The zero value means that there is
// none.
type pointer struct {
	path string       // the path of the field
	is   reflect.Type // the type of the field
	of   reflect.Type // the struct that has the field; nil: none
}

// findPointer returns the first part of t that is a Go pointer, or a converted handle.
func findPointer(t reflect.Type, path string) pointer {
	switch t.Kind() {
	case reflect.Struct:
		if isConverted(t) {
			return pointer{path: path, is: t}
		}
		return findPointerField(t, path)
	case reflect.Array:
		if t.Len() == 0 {
			return pointer{}
		}
		return findPointer(t.Elem(), path+"[]")
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func,
		reflect.Interface, reflect.Slice, reflect.String:
		return pointer{path: path, is: t}
	}
	return pointer{}
}

// findPointerField is findPointer for a struct.
func findPointerField(t reflect.Type, path string) pointer {
	if path != "" {
		path += "."
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if p := findPointer(f.Type, path+f.Name); p.is != nil {
			if p.of == nil {
				p.of = t
			}
			return p
		}
	}
	return pointer{}
}

// remedy returns advice for the author of root, or "". The author cannot change the fields of
// another package's struct.
func (p pointer) remedy(root reflect.Type) string {
	switch {
	case p.of == reflect.TypeFor[Parcel]():
		return " (use heap.Blob: Parcel.Unpack makes one)"
	case p.of != nil && (p.of.PkgPath() == ownPath || p.of.PkgPath() != "" &&
		p.of.PkgPath() != root.PkgPath() && root.PkgPath() != ""):
		return ""
	}
	switch p.is.Kind() {
	case reflect.Pointer:
		return fmt.Sprintf(" (use heap.Ptr[%v])", p.is.Elem())
	case reflect.Slice:
		return fmt.Sprintf(" (use heap.Slice[%v])", p.is.Elem())
	case reflect.String:
		return " (use heap.String)"
	}
	return ""
}
