package heap

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// Layout has the places of the handles in values of a type, and the types that they lead to. The
// collector needs only layouts: objects have no headers. A layout is made once per type, by
// [LayoutOf], and is read-only from then on. Any goroutine.
type Layout struct {
	typ   reflect.Type
	id    uint32 // of this process
	flat  bool   // no part is inline
	size  uintptr
	parts []part
}

// part is a handle in a value, or an array with handles in its elements.
type part struct {
	_    nocmp.Field
	at   uintptr // from the start of the value
	kind partKind
	n    int     // inline: number of elements
	size uintptr // of one element at that place
	sub  *Layout // of one element; nil if it has no handles
}

// partKind is the kind of a part.
type partKind uint8

const (
	partPtr    partKind = iota // a Ptr
	partSlice                  // a Slice
	partString                 // a String: n bytes
	partBlob                   // a Blob: bytes here or shared
	partInline                 // an array, part of the value itself
)

// isHandle is implemented by the handle types, and by types that embed them.
type isHandle interface{ partKind() partKind }

func (Ptr[T]) partKind() partKind   { return partPtr }
func (Slice[T]) partKind() partKind { return partSlice }
func (String) partKind() partKind   { return partString }

var (
	handleType = reflect.TypeFor[isHandle]()
	rawHandle  = reflect.TypeFor[handle]()
	ownPath    = rawHandle.PkgPath()
)

// layouts is the registry of all layouts of this process.
var layouts struct {
	mu   sync.RWMutex
	done map[reflect.Type]*Layout
}

// LayoutOf returns the layout of a type. Any goroutine.
//
// Unlike objects, roots may have Go pointers besides their handles. But the collector cannot reach
// a handle behind a Go pointer, slice, map or channel: LayoutOf panics with the path of the first
// such handle. It does not look behind interfaces.
func LayoutOf(t reflect.Type) *Layout {
	if t == nil {
		panic("gallop: heap: LayoutOf: a nil type")
	}
	layouts.mu.RLock()
	l := layouts.done[t]
	layouts.mu.RUnlock()
	if l != nil {
		return l
	}
	if path := findHidden(t, "", false, map[hiddenKey]bool{}); path != "" {
		panic(fmt.Sprintf("gallop: heap: %v keeps handles out of the collector's reach, behind %s "+
			"(use heap.Ptr, heap.Slice or heap.Map)", t, strings.TrimPrefix(path, ".")))
	}
	layouts.mu.Lock()
	defer layouts.mu.Unlock()
	if layouts.done == nil {
		layouts.done = map[reflect.Type]*Layout{}
	}
	return layoutOf(t)
}

// HasHandles reports whether there is a handle in values of the type.
func (l *Layout) HasHandles() bool { return len(l.parts) > 0 }

// layoutOf finds or makes a layout. A type that leads back to itself finds the
// layout that is being made. Caller holds layouts.mu.
func layoutOf(t reflect.Type) *Layout {
	if l := layouts.done[t]; l != nil {
		return l
	}
	l := &Layout{typ: t, size: t.Size(), id: uint32(len(layouts.done))}
	layouts.done[t] = l
	l.describe(t, 0)
	if invariant.On {
		verifyLayout(l)
	}
	l.flat = !slices.ContainsFunc(l.parts, func(p part) bool { return p.kind == partInline })
	return l
}

// subLayout is layoutOf for the elements of a part. It returns nil if they have no handles. The
// parts of a layout that is still being made may be missing, so subLayout then looks at the type.
func subLayout(t reflect.Type) *Layout {
	_, started := layouts.done[t]
	if l := layoutOf(t); len(l.parts) > 0 || started && holdsHandle(t) {
		return l
	}
	return nil
}

// describe adds the parts of a value of type t that lies at an offset.
func (l *Layout) describe(t reflect.Type, at uintptr) {
	switch {
	case isHandleType(t):
		l.describeHandle(t, at)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			l.describe(f.Type, at+f.Offset)
		}
	case t.Kind() == reflect.Array && t.Len() > 0:
		if sub := subLayout(t.Elem()); sub != nil {
			l.parts = append(l.parts, part{at: at, kind: partInline, n: t.Len(), size: sub.size, sub: sub})
		}
	}
}

// describeHandle is describe for handles.
func (l *Layout) describeHandle(t reflect.Type, at uintptr) {
	kind := reflect.Zero(t).Interface().(isHandle).partKind()
	i := len(l.parts)
	l.parts = append(l.parts, part{at: at, kind: kind, size: 1})
	if kind == partPtr || kind == partSlice {
		elem := elemOf(t)
		l.parts[i].size, l.parts[i].sub = elem.Size(), subLayout(elem)
	}
}

// elemOf returns T for a Ptr[T] or Slice[T]: their first field is a [0]*T.
func elemOf(t reflect.Type) reflect.Type { return t.Field(0).Type.Elem().Elem() }

// isHandleType reports whether t is a handle type itself. A type that embeds a handle has the
// method partKind too, but belongs to another package.
func isHandleType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == ownPath && t.Implements(handleType)
}

// isConverted reports whether t is a type of another package with the fields of a handle, such as
// "type T heap.Ptr[int]". It lacks the handle's methods, so the collector would not recognize it.
func isConverted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.PkgPath() == ownPath {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Type == rawHandle {
			return true
		}
	}
	return false
}

// holdsHandle reports whether a value of type t has a handle in it.
func holdsHandle(t reflect.Type) bool {
	switch {
	case isHandleType(t):
		return true
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if holdsHandle(t.Field(i).Type) {
				return true
			}
		}
	case t.Kind() == reflect.Array:
		return t.Len() > 0 && holdsHandle(t.Elem())
	}
	return false
}

// hiddenKey is a type that findHidden has looked at, and whether the type was behind a pointer.
type hiddenKey struct {
	t      reflect.Type
	behind bool
}

// findHidden returns the path to the first handle in t that the collector cannot reach, or "". Such
// a handle is behind a Go pointer, slice, map or channel.
func findHidden(t reflect.Type, path string, behind bool, seen map[hiddenKey]bool) string {
	if isHandleType(t) {
		if behind {
			return path
		}
		return ""
	}
	key := hiddenKey{t, behind}
	if seen[key] || keepsOwnArena(t) {
		return ""
	}
	seen[key] = true
	switch t.Kind() {
	case reflect.Struct:
		return findHiddenField(t, path, behind, seen)
	case reflect.Array:
		return findHidden(t.Elem(), path+"[]", behind, seen)
	case reflect.Map:
		if p := findHidden(t.Key(), path+"[key]", true, seen); p != "" {
			return p
		}
		return findHidden(t.Elem(), path+"[]", true, seen)
	case reflect.Slice, reflect.Chan:
		return findHidden(t.Elem(), path+"[]", true, seen)
	case reflect.Pointer:
		return findHidden(t.Elem(), path+"*", true, seen)
	}
	return ""
}

// findHiddenField is findHidden for a struct.
func findHiddenField(t reflect.Type, path string, behind bool, seen map[hiddenKey]bool) string {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == rawHandle { // a type converted from one of ours
			return path + "." + f.Name
		}
		if p := findHidden(f.Type, path+"."+f.Name, behind, seen); p != "" {
			return p
		}
	}
	return ""
}

// keepsOwnArena reports whether t is a type of this package without handles, such as a Region, or a
// struct with an arena of its own, to which its handles belong. A pointer to an arena does not
// count: it may be the actor's.
func keepsOwnArena(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	if t.PkgPath() == ownPath {
		return !holdsHandle(t)
	}
	arenaType := reflect.TypeFor[Arena]()
	for i := range t.NumField() {
		if t.Field(i).Type == arenaType {
			return true
		}
	}
	return false
}

// Root is a value outside of the arena whose handles keep objects alive. The zero value
// is no root: use [RootAt].
type Root struct {
	at     unsafe.Pointer
	layout *Layout
}

// mustLead panics if one of the roots is zero. It is called before any root is used.
func mustLead(call string, roots []Root) {
	for _, r := range roots {
		if r.layout == nil {
			panic("gallop: heap: " + call + " with a zero Root: use RootAt")
		}
	}
}

// RootAt makes a root of the value that p points to. It panics if p is nil, and as
// [LayoutOf] does.
func RootAt[T any](p *T) Root {
	if p == nil {
		panic("gallop: heap: RootAt of a nil pointer")
	}
	return Root{unsafe.Pointer(p), LayoutOf(reflect.TypeFor[T]())}
}

// RootOf is [RootAt] for a value whose type is known only by its layout. The value begins at at,
// and the type of at is ignored. The runtime needs RootOf; other code uses RootAt. RootOf panics if
// at or l is nil.
func RootOf[T any](at *T, l *Layout) Root {
	if at == nil || l == nil {
		panic("gallop: heap: RootOf of a nil pointer or layout")
	}
	return Root{unsafe.Pointer(at), l}
}
