package msg

import (
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestMessage_Size: "24 bytes, so that a payload of 64 bits makes 32".
func TestMessage_Size(t *testing.T) {
	word := unsafe.Sizeof(uintptr(0))
	if got := unsafe.Sizeof(Node[uintptr]{}); got > 32 {
		t.Errorf("a message with a payload of one word: %d bytes, want 32 at most", got)
	}
	if word == 8 && unsafe.Sizeof(Node[uint64]{}) != 32 {
		t.Errorf("Node[uint64]: %d bytes, want 32", unsafe.Sizeof(Node[uint64]{}))
	}
}

type aligned64 struct {
	small uint32
	big   atomic.Uint64 // 64-bit aligned, on 32-bit machines too
}

type pointed64 struct {
	p   *int
	big atomic.Int64
}

// compound has two fields, as requests have.
type compound[A, B any] struct {
	to    *B
	value A
}

// payloadLayout makes nodes for payloads of type M and checks the addresses of the payloads.
func payloadLayout[M any](t *testing.T) {
	typ := reflect.TypeFor[M]()
	t.Run(strings.ReplaceAll(typ.String(), " ", ""), func(t *testing.T) {
		s, _ := Of[M]()
		if again, _ := Of[M](); again != s {
			t.Error("two size classes for one type")
		}
		for range 100 {
			at := reflect.ValueOf(PayloadOf[M](s.newBlock(1))).Pointer()
			if at%uintptr(typ.Align()) != 0 {
				t.Fatalf("payload at %#x, want a multiple of %d", at, typ.Align())
			}
		}
		if off := unsafe.Offsetof(Node[M]{}.payload); off != headerSize {
			t.Errorf("payload at offset %d, want %d", off, headerSize)
		}
	})
}

// TestMessage_Layout: every payload follows its header directly, and is aligned for its type.
func TestMessage_Layout(t *testing.T) {
	payloadLayout[struct{}](t)
	payloadLayout[bool](t)
	payloadLayout[uint64](t)
	payloadLayout[complex128](t)
	payloadLayout[[3]uint64](t)
	payloadLayout[[5]uint64](t)
	payloadLayout[[6]uint64](t)
	payloadLayout[[4096]byte](t)
	payloadLayout[string](t)
	payloadLayout[any](t)
	payloadLayout[func()](t)
	payloadLayout[chan int](t)
	payloadLayout[*int](t)
	payloadLayout[aligned64](t)
	payloadLayout[pointed64](t)
	payloadLayout[compound[aligned64, pointed64]](t)
}

// TestMessage_HasPointers: HasPointers is true for the types into which the GC must look, and false
// for others.
func TestMessage_HasPointers(t *testing.T) {
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[int]():                       false,
		reflect.TypeFor[[4]struct{ a, b int8 }]():    false,
		reflect.TypeFor[[0]*int]():                   false,
		reflect.TypeFor[uintptr]():                   false,
		reflect.TypeFor[struct{}]():                  false,
		reflect.TypeFor[string]():                    true,
		reflect.TypeFor[[]int]():                     true,
		reflect.TypeFor[[2]string]():                 true,
		reflect.TypeFor[struct{ a, b any }]():        true,
		reflect.TypeFor[map[int]int]():               true,
		reflect.TypeFor[chan int]():                  true,
		reflect.TypeFor[func()]():                    true,
		reflect.TypeFor[compound[struct{}, int]]():   true,
		reflect.TypeFor[struct{ n, m [3]float32 }](): false,
		reflect.TypeFor[struct {
			a int
			p *int
		}](): true,
	} {
		if got := HasPointers(typ); got != want {
			t.Errorf("%v: %v, want %v", typ, got, want)
		}
	}
}

// TestMessage_Tag: the tag is one word, and has the size class and the owner; a mark has none.
func TestMessage_Tag(t *testing.T) {
	m := Message{OwnerTag: TagOf(7, Outside)}
	if m.SizeClass() != 7 || m.Owner() != Outside || m.IsMark() {
		t.Errorf("size class %d, owner %d, a mark: %v", m.SizeClass(), m.Owner(), m.IsMark())
	}
	if mark := (&Message{OwnerTag: MarkTag}); !mark.IsMark() {
		t.Error("a mark is none")
	}
}
