package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// NewProfiler returns a profiler that looks when it is told.
func NewProfiler(sys *actor.System) *Profiler {
	p := &Profiler{sys: of(sys)}
	p.Reset()
	return p
}

// Look looks once.
func (p *Profiler) Look(at time.Time) { p.look(at) }

// MayProbe is the limit of Delay, at a time.
func MayProbe(ref actor.AnyRef, at time.Time) bool { return probes.mayProbe(kernel.AnyRef(ref), at) }
