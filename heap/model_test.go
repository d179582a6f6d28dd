package heap_test

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/heap"
)

// The model of an arena is a list of byte slices in Go's heap.

// object is an object in an arena, with its expected bytes.
type object struct {
	bytes  func(a *heap.Arena) []byte // the memory itself, a copy if frozen
	want   []byte
	frozen bool
	root   heap.Root // the handle
}

// space is an arena with its model.
type space struct {
	arena *heap.Arena
	limit int
	// The arena may hold limit*times bytes. times is 2 after a collection, and 1 before.
	times int
	live  []object
}

// machine has two spaces on one recycler, and the handles that died.
type machine struct {
	spaces [2]space
	dead   []object
}

func newMachine(t *rapid.T) *machine {
	m := new(machine)
	r := heap.NewRecycler(rapid.SampledFrom([]int{0, 1 << 10, 64 << 10, 1 << 20}).Draw(t, "bound"))
	for i := range m.spaces {
		s := &m.spaces[i]
		s.arena, s.limit = new(heap.Arena), rapid.SampledFrom([]int{0, 1, 5000, 300_000}).Draw(t, "limit")
		s.arena.SetLimit(s.limit)
		s.times = 1
		s.arena.Bind(r)
	}
	return m
}

// space draws one of the spaces.
func (m *machine) space(t *rapid.T) *space {
	return &m.spaces[rapid.IntRange(0, 1).Draw(t, "space")]
}

// makers try to make an object. Some of them use n as its length.
var makers = []func(a *heap.Arena, n int) (object, int, error){
	makePtr[node], makePtr[byte], makePtr[struct{}], makePtr[[7]uint16], makePtr[[1000]byte],
	makePtr[[9000]uint64],
	makeSlice[byte], makeSlice[node], makeSlice[[3]byte], makeString,
}

func makePtr[T any](a *heap.Arena, _ int) (object, int, error) {
	p, err := heap.TryNew[T](a)
	size := len(bytesOf(new(T)))
	return object{func(a *heap.Arena) []byte { return bytesOf(p.Deref(a)) }, make([]byte, size), false,
		heap.RootAt(&p)}, size, err
}

func makeSlice[T any](a *heap.Arena, n int) (object, int, error) {
	s, err := heap.TryMakeSlice[T](a, n)
	size := n * len(bytesOf(new(T)))
	view := func(a *heap.Arena) []byte {
		row := s.Deref(a)
		return unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), size)
	}
	return object{view, make([]byte, size), false, heap.RootAt(&s)}, size, err
}

func makeString(a *heap.Arena, n int) (object, int, error) {
	text := bytes.Repeat([]byte("s"), n)
	s, err := heap.TryNewString(a, string(text))
	return object{func(a *heap.Arena) []byte { return []byte(s.Deref(a)) }, text, true,
		heap.RootAt(&s)}, n, err
}

// make makes an object, or checks that the limit forbids it.
func (m *machine) make(t *rapid.T) {
	s := m.space(t)
	n := rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(1, 100_000)).Draw(t, "n")
	before := s.arena.Stats()
	o, size, err := rapid.SampledFrom(makers).Draw(t, "maker")(s.arena, n)
	after := s.arena.Stats()
	if err == nil {
		s.live = append(s.live, o)
		if padded := (max(size, 1) + 7) / 8 * 8; after.Used-before.Used != padded {
			t.Fatalf("%d bytes counted as %d", size, after.Used-before.Used)
		}
		return
	}
	if !errors.Is(err, heap.ErrArenaLimit) || after != before {
		t.Fatalf("refused with %v, %+v became %+v", err, before, after)
	}
	if s.limit == 0 || before.Reserved+leastChunk(size) <= s.limit {
		t.Fatalf("%d bytes refused in %+v with a limit of %d", size, before, s.limit)
	}
}

// leastChunk is the size of the smallest chunk that holds size bytes.
func leastChunk(size int) int {
	for class := 1 << 10; class <= 64<<10; class *= 2 {
		if size <= class {
			return class
		}
	}
	return (size + 7) / 8 * 8
}

// write overwrites an object through its handle.
func (m *machine) write(t *rapid.T) {
	s := m.space(t)
	if len(s.live) == 0 {
		t.Skip("nothing to write to")
	}
	o, b := rapid.SampledFrom(s.live).Draw(t, "object"), rapid.Byte().Draw(t, "byte")
	if !o.frozen {
		fill(o.bytes(s.arena), b)
		fill(o.want, b)
	}
}

// release frees a space.
func (m *machine) release(t *rapid.T) {
	s := m.space(t)
	s.arena.Release()
	s.times = 1
	m.dead = append(m.dead, s.live...)
	s.live = nil
	if got := s.arena.Stats(); got != (heap.Stats{}) {
		t.Fatalf("a released arena has %+v", got)
	}
}

// collect collects a space. First it forgets some of the objects: all handles to them are dead
// afterwards. The collection is done at once, or begun and left to later operations.
func (m *machine) collect(t *rapid.T) {
	s := m.space(t)
	s.arena.Finish() // so that forgotten objects die in the collection below
	s.times = 2
	kept := s.live[:0:0]
	for _, o := range s.live {
		if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
			m.dead = append(m.dead, o)
		} else {
			kept = append(kept, o)
		}
	}
	if s.live = kept; rapid.Bool().Draw(t, "at once") {
		s.arena.Collect(s.roots()...)
		return
	}
	s.arena.Begin(s.roots()...)
	s.arena.Step(rapid.IntRange(0, 10_000).Draw(t, "gas"))
}

// roots are all live handles.
func (s *space) roots() (roots []heap.Root) {
	for _, o := range s.live {
		roots = append(roots, o.root)
	}
	return roots
}

// misuse dereferences a dead handle, or a handle of the other space.
func (m *machine) misuse(t *rapid.T) {
	here, there := &m.spaces[0], &m.spaces[1]
	if rapid.Bool().Draw(t, "swap") {
		here, there = there, here
	}
	wrong := append(append([]object{}, m.dead...), there.live...)
	if len(wrong) == 0 {
		t.Skip("no handle is dead")
	}
	o := rapid.SampledFrom(wrong).Draw(t, "wrong")
	wantPanic(t, dead, func() { o.bytes(here.arena) })
}

// check compares all live objects with the model.
func (m *machine) check(t *rapid.T) {
	for i := range m.spaces {
		s := &m.spaces[i]
		for j, o := range s.live {
			if got := o.bytes(s.arena); !bytes.Equal(got, o.want) {
				t.Fatalf("object %d of %d bytes differs from its twin", j, len(o.want))
			}
		}
		if st := s.arena.Stats(); s.limit != 0 && st.Reserved > s.limit*s.times {
			t.Fatalf("%+v with a limit of %d", st, s.limit)
		}
	}
}

func property(t *rapid.T) {
	m := newMachine(t)
	t.Repeat(map[string]func(*rapid.T){
		"make": m.make, "make more": m.make, "write": m.write, "release": m.release, "collect": m.collect,
		"misuse": m.misuse, "": m.check,
	})
}

// TestModel compares arenas with their models over random operations.
func TestModel(t *testing.T) { rapid.Check(t, property) }

// FuzzModel is TestModel, guided by the coverage of Go's fuzzer.
func FuzzModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(property)) }
