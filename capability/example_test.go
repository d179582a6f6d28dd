package capability_test

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/capability"
)

// An Iso is built in place, changed by its owner, and given away.
func ExampleIso() {
	i := capability.NewIso(func(m *map[string]int) { *m = map[string]int{"a": 1} })
	i.Use(func(m *map[string]int) { (*m)["b"] = 2 })
	moved := i.Move() // the handle to send
	moved.Use(func(m *map[string]int) { fmt.Println(len(*m)) })
	defer func() { fmt.Println(errors.Is(recover().(error), capability.ErrGone)) }()
	//gallop:allow GV3 shows that it panics
	i.Use(func(*map[string]int) {})
	// Output:
	// 2
	// true
}

// A Val is an Iso that was made immutable.
func ExampleVal() {
	v := capability.NewIso(func(s *[]int) { *s = []int{1, 2, 3} }).Freeze()
	v.View(func(s *[]int) { fmt.Println(len(*s)) })
	// Output: 3
}

// A Tag identifies a value, and gives no access to it.
func ExampleTag() {
	a, b := new(int), new(int)
	tag := capability.TagOf(a)
	fmt.Println(tag.Is(a), tag.Is(b))
	// Output: true false
}
