package heap_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gallop-go/gallop/heap"
)

// A list in an arena: linked by handles, freed whole.
func Example() {
	type node struct {
		value int
		next  heap.Ptr[node]
	}
	var a heap.Arena
	var head heap.Ptr[node]
	for i := range 3 {
		n := heap.New[node](&a)
		*n.Deref(&a) = node{value: i, next: head}
		head = n
	}
	for p := head; !p.IsZero(); p = p.Deref(&a).next {
		fmt.Println(p.Deref(&a).value)
	}
	a.Release()
	// Output:
	// 2
	// 1
	// 0
}

func ExamplePtr() {
	type point struct{ x, y int }
	var a heap.Arena
	p := heap.New[point](&a)
	p.Deref(&a).x = 7
	fmt.Println(*p.Deref(&a))
	// Output: {7 0}
}

// Types with Go pointers are refused by the path of the field.
func ExampleNew_refused() {
	type user struct {
		id   int
		tags [4]struct{ name string }
	}
	defer func() { fmt.Println(recover()) }()
	var a heap.Arena
	heap.New[user](&a)
	// Output: gallop: heap: type heap_test.user is not pointer-free: field tags[].name is a string (use heap.String)
}

func ExampleSlice() {
	var a heap.Arena
	s := heap.MakeSlice[int](&a, 3)
	*s.At(&a, 1) = 5
	for i, v := range s.Deref(&a) {
		fmt.Println(i, v)
	}
	// Output:
	// 0 0
	// 1 5
	// 2 0
}

func ExampleString() {
	var a heap.Arena
	s := heap.NewString(&a, "gallop")
	fmt.Println(s.Len(), s.Deref(&a))
	kept := s.Clone(&a) // outlives the arena
	a.Release()
	fmt.Println(kept)
	// Output:
	// 6 gallop
	// gallop
}

// An arena with a limit refuses an object that does not fit.
func ExampleArena_SetLimit() {
	var a heap.Arena
	a.SetLimit(4096)
	_, err := heap.TryMakeSlice[byte](&a, 10_000)
	fmt.Println(errors.Is(err, heap.ErrArenaLimit))
	fmt.Println(err)
	// Output:
	// true
	// gallop: heap: arena limit exceeded: 10000 bytes with 0 of 4096 reserved
}

// After Release all handles are dead, and Deref panics.
func ExampleArena_Release() {
	var a heap.Arena
	p := heap.New[int](&a)
	a.Release()
	fmt.Println(a.Stats())
	defer func() { fmt.Println(recover() != nil) }()
	p.Deref(&a)
	// Output:
	// {0 0 0}
	// true
}

// A worker lends its recycler to the arenas of the actors that it runs.
func ExampleRecycler() {
	var r heap.Recycler
	for range 1000 { // actors, one after another
		var a heap.Arena
		a.Bind(&r)
		heap.New[[100]int](&a)
		a.Release()
	}
	s := r.Stats()
	fmt.Println(s.Misses, s.Hits, s.Held)
	// Output: 1 999 1024
}

// A collection keeps the objects that the roots lead to, and changes their handles.
func ExampleArena_Collect() {
	var a heap.Arena
	var state struct{ kept heap.String }
	state.kept = heap.NewString(&a, "kept")
	for range 1000 {
		heap.NewString(&a, "garbage")
	}
	a.Collect(heap.RootAt(&state))
	fmt.Println(state.kept.Deref(&a), a.Stats().Used)
	// Output: kept 8
}

// Every handle in a root is followed. A root with a handle behind a Go pointer is refused.
func ExampleRootAt() {
	type state struct{ names []heap.String }
	defer func() { fmt.Println(recover()) }()
	heap.RootAt(new(state))
	// Output: gallop: heap: heap_test.state keeps handles out of the collector's reach, behind names[] (use heap.Ptr, heap.Slice or heap.Map)
}

// A collection in steps, with other work in between.
func ExampleArena_Step() {
	var a heap.Arena
	root := heap.New[int](&a)
	a.Begin(heap.RootAt(&root))
	for !a.Step(1000) {
		*root.Deref(&a)++ // behaviours may run here
	}
	fmt.Println(a.Collecting())
	// Output: false
}

func ExampleMap() {
	var a heap.Arena
	var ages heap.Map[int, float64]
	ages.Put(&a, 3, 0.5)
	ages.Put(&a, 1, 2.5)
	*ages.At(&a, 3) += 1
	for k, v := range ages.All(&a) { // in the order in which they were put
		fmt.Println(k, v)
	}
	// Output:
	// 3 1.5
	// 1 2.5
}

func ExampleTextMap() {
	var a heap.Arena
	var words heap.TextMap[int]
	words.Put(&a, "gallop", 1)
	n, ok := words.Get(&a, "gallop")
	fmt.Println(n, ok, words.Len(&a))
	// Output: 1 true 1
}

// Two arenas hold the same bytes, until both are released.
func ExampleBlob() {
	var sender, receiver heap.Arena
	before := heap.Blobs().Live
	b := heap.NewBlob(&sender, strings.Repeat("large ", 100))
	got := b.Pack(&sender).Unpack(&receiver) // a parcel goes into the message
	sender.Release()
	fmt.Println(got.Slice(&receiver, 0, 5).Deref(&receiver), heap.Blobs().Live-before)
	receiver.Release()
	fmt.Println(heap.Blobs().Live - before)
	// Output:
	// large 1
	// 0
}

// A parcel may come from outside of any arena.
func ExampleParcel() {
	var a heap.Arena
	p := heap.NewParcel("hello")
	fmt.Println(p.Len(), p.Unpack(&a).Deref(&a))
	// Output: 5 hello
}

// A region is built, moved, and joins the receiver's arena.
func ExampleRegion() {
	r := heap.NewRegion[int]()
	r.SetRoot(heap.New[int](r.Arena()))
	*r.Root().Deref(r.Arena()) = 7

	var receiver heap.Arena
	sent := r.Move() // goes into the message
	p := sent.Join(&receiver)
	fmt.Println(*p.Deref(&receiver))

	defer func() { fmt.Println(errors.Is(recover().(error), heap.ErrRegionGone)) }()
	r.Arena() //gallop:allow GV3 the example shows the panic
	// Output:
	// 7
	// true
}

func ExampleLayoutOf() {
	l := heap.LayoutOf(reflect.TypeFor[struct{ name heap.String }]())
	fmt.Println(l.HasHandles())
	// Output: true
}

// The regions and parcels of a message are discarded if the message will not run.
func ExampleOwnedIn() {
	type message struct {
		id   int
		note heap.Parcel
	}
	m := message{1, heap.NewParcel("never read")}
	o := heap.OwnedIn(reflect.TypeFor[message]())
	heap.DiscardIn(&m, o)
	fmt.Println(o.Any())
	// Output: true
}
