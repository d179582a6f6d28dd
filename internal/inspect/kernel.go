package inspect

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// of returns the kernel's Inspector of a system. It panics if the system was not started.
func of(sys *actor.System) *kernel.Inspector { return kernel.InspectorOf(kernel.SystemOf(sys)) }

// ofActor returns the Inspector of the system of an actor, and the actor.
func ofActor(call string, ref actor.AnyRef) (*kernel.Inspector, kernel.AnyRef) {
	at := kernel.AnyRef(ref)
	if at.IsZero() {
		panic("gallop: inspect." + call + " of a zero Ref")
	}
	return kernel.InspectorOf(at.Cell().Sys()), at
}
