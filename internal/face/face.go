// Package face converts values of package kernel to those types of package actor that users get. A
// Context and a System of package actor have one field, a type of the kernel at their beginning, so a
// pointer to one is a pointer to the other: package actor does not compile otherwise. It is for
// packages of this module that use the kernel. The way to the kernel needs no package: kernel.TurnOf
// and kernel.SystemOf take a Context and a System, and refs, types and behaviours are converted.
package face

import (
	"unsafe"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Context returns the Context of a turn.
func Context(c *kernel.Turn) *actor.Context { return (*actor.Context)(unsafe.Pointer(c)) }

// Turn returns the turn of a Context, as kernel.TurnOf does, but it checks nothing and costs nothing.
func Turn(c *actor.Context) *kernel.Turn { return (*kernel.Turn)(unsafe.Pointer(c)) }

// System returns the System of package actor.
func System(s *kernel.System) *actor.System { return (*actor.System)(unsafe.Pointer(s)) }

// Holder returns h as package actor reports it. A Holder of package actor has the same layout, with
// a field that is not exported: package actor does not compile otherwise.
func Holder(h kernel.Holder) actor.Holder { return *(*actor.Holder)(unsafe.Pointer(&h)) }

// PressureDeadlock returns d as package actor reports it.
func PressureDeadlock(d kernel.PressureDeadlock) actor.PressureDeadlock {
	r := actor.PressureDeadlock{Pressed: actor.ActorName(d.Pressed), Closed: d.Closed, Idle: d.Idle}
	for _, w := range d.Waits {
		r.Waits = append(r.Waits, actor.WaitEdge{Who: actor.ActorName(w.Who), For: actor.ActorName(w.For),
			Mail: w.Mail, From: w.From})
	}
	return r
}
