package actor

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Package actor is the face of package kernel, which has the machinery and no type parameters. The
// face has the documented API: generic types, and types whose only field is a type of the kernel.
// So a pointer to one of these is a pointer to the other.

// kernel returns the untyped part of c. It does not dereference c, which may be nil.
func (c *Context) kernel() *kernel.Turn { return (*kernel.Turn)(unsafe.Pointer(c)) }

// contextOf returns the Context that users get.
func contextOf(c *kernel.Turn) *Context { return (*Context)(unsafe.Pointer(c)) }

// kernel returns the untyped part of s. It does not dereference s, which may be nil.
func (s *System) kernel() *kernel.System { return (*kernel.System)(unsafe.Pointer(s)) }

// systemOf returns the System that users get.
func systemOf(s *kernel.System) *System { return (*System)(unsafe.Pointer(s)) }

// invocationOf returns the Invocation that users get.
func invocationOf(in *kernel.Invocation) *Invocation { return (*Invocation)(unsafe.Pointer(in)) }

// targetOf returns the cell of a target. It panics if t is a zero Ref.
func targetOf(call string, t Target) *kernel.Cell {
	if t != nil {
		if a := t.target(); a != nil {
			return a
		}
	}
	panic("gallop: " + call + " of a zero Ref")
}

// These do not compile if the only field is not at the beginning.
const (
	_ = -unsafe.Offsetof(Context{}.base)
	_ = -unsafe.Offsetof(System{}.systemBase)
)

// An Invocation has the layout of that of the kernel.
const (
	_ = -(unsafe.Offsetof(Invocation{}.in) - unsafe.Offsetof(kernel.Invocation{}.In))
	_ = -(unsafe.Sizeof(Invocation{}) - unsafe.Sizeof(kernel.Invocation{}))
	_ = -(unsafe.Sizeof(kernel.Invocation{}) - unsafe.Sizeof(Invocation{}))
)

// The kernel writes an Exit or a Down of its own where a behaviour reads one of this package. This
// does not compile if the two differ.
var _ = Exit(kernel.Exit{})

const (
	_ = -(unsafe.Offsetof(Down{}.Type) - unsafe.Offsetof(kernel.Down{}.Type))
	_ = -(unsafe.Offsetof(Down{}.Reason) - unsafe.Offsetof(kernel.Down{}.Reason))
	_ = -(unsafe.Offsetof(Down{}.Monitor) - unsafe.Offsetof(kernel.Down{}.Monitor))
	_ = -(unsafe.Sizeof(Down{}) - unsafe.Sizeof(kernel.Down{}))
	_ = -(unsafe.Sizeof(kernel.Down{}) - unsafe.Sizeof(Down{}))
)

// A Status and an Overflow convert to those of the kernel. This does not compile if the values
// differ.
var (
	_ = [1]int{}[StatusIdle-Status(kernel.StatusIdle)]
	_ = [1]int{}[StatusBusy-Status(kernel.StatusBusy)]
	_ = [1]int{}[StatusOverloaded-Status(kernel.StatusOverloaded)]
	_ = [1]int{}[StatusEnded-Status(kernel.StatusEnded)]
	_ = [1]int{}[OverflowMute-Overflow(kernel.OverflowMute)]
	_ = [1]int{}[OverflowRefuse-Overflow(kernel.OverflowRefuse)]
	_ = [1]int{}[OverflowDropOldest-Overflow(kernel.OverflowDropOldest)]
)

// Package face copies a Holder of the kernel to one of this package.
const (
	_ = -(unsafe.Offsetof(Holder{}.Actor) - unsafe.Offsetof(kernel.Holder{}.Actor))
	_ = -(unsafe.Offsetof(Holder{}.For) - unsafe.Offsetof(kernel.Holder{}.For))
	_ = -(unsafe.Offsetof(Holder{}.where) - unsafe.Offsetof(kernel.Holder{}.Where))
	_ = -(unsafe.Sizeof(Holder{}) - unsafe.Sizeof(kernel.Holder{}))
	_ = -(unsafe.Sizeof(kernel.Holder{}) - unsafe.Sizeof(Holder{}))
)
