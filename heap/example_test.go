package heap_test

import (
	"errors"
	"fmt"

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

// An arena with a limit refuses what does not fit.
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

// After Release all handles are dead, and say so.
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
