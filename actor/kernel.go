package actor

import "unsafe"

// The face and the kernel. The kernel is the machinery, which has no type parameters. The face is
// the documented API: generic types, and types whose only field is a type of the kernel. So a
// pointer to one of these is a pointer to the other.

// kernel returns the untyped part of c. It does not dereference c, which may be nil.
func (c *Context) kernel() *kernelTurn { return (*kernelTurn)(unsafe.Pointer(c)) }

// face returns the Context that users get.
func (c *kernelTurn) face() *Context { return (*Context)(unsafe.Pointer(c)) }

// kernel returns the untyped part of s. It does not dereference s, which may be nil.
func (s *System) kernel() *kernelSystem { return (*kernelSystem)(unsafe.Pointer(s)) }

// face returns the System that users get.
func (s *kernelSystem) face() *System { return (*System)(unsafe.Pointer(s)) }

// These do not compile if the only field is not at the beginning.
const (
	_ = -unsafe.Offsetof(Context{}.base)
	_ = -unsafe.Offsetof(kernelContext{}.turn)
	_ = -unsafe.Offsetof(System{}.systemBase)
	_ = -unsafe.Offsetof(kernelSystemBase{}.system)
)
