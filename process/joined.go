package process

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// A system of processes may run on the scheduler of a system of actors: package process/actors
// joins the two: see decision 42. This file has the part of package process that it needs; the
// functions for it are in for_actors.go.

// joined is the additional state of a system that runs on another's scheduler. All but slot is
// read-only.
type joined struct {
	slot seam.Pointer[joint.Actor] // see ForActors.SlotOfSystem

	actors joint.Actors // the other system; nil: it is not joined
	told   *told        // nil: no run of actortest
}

// turnEnv is the Env of a turn that is none of a process.
type turnEnv struct {
	sys  *System
	w    *sched.Worker
	turn uint64
	ctx  context.Context // what is sent carries this; nil: nothing
}

func (e *turnEnv) env() (*System, *sched.Worker) {
	if e.w.Turn() != e.turn {
		misuse("an Env of a turn that is over")
	}
	return e.sys, e.w
}

// face is the view that the system of actors has of a process.
type face struct{ p *Proc }

var _ joint.Running = face{}

// Worker implements joint.Running.
func (f face) Worker() *sched.Worker {
	f.p.mustRun("Send")
	return f.p.w
}

// Context implements joint.Running.
func (f face) Context() context.Context { return f.p.carries() }

// Name implements joint.Running.
func (f face) Name() (id uint64, typ string) { return f.p.id, f.p.typeName() }

// Operation implements joint.Running.
func (f face) Operation(name string) { f.p.enter(name) }

// In a deterministic run the driver knows its threads by their goroutines. A turn goes on in that
// of the process's coroutine and comes back, and says so each time.

// departs comes before the switch to the process, in the goroutine of its turn, or of a system that
// unwinds it.
func (p *Proc) departs() {
	if p.sys.stepwise {
		p.from = seam.Goroutine()
	}
}

// followed is called after the switch, in the coroutine.
func (c *coroutine) followed() {
	if p := c.proc; p != nil && p.sys.stepwise {
		p.sys.sched.Follow(p.from)
	}
}

// returned is called after the switch back from a coroutine. In a deterministic run none changes
// places with another: see nextProc.
func (s *System) returned(from *coroutine) {
	if s.stepwise {
		s.sched.Follow(from.goroutine)
	}
}

// hearsOfDead reports whether a hook of the user's is called for dead letters.
func (s *System) hearsOfDead() bool { return s.reports.dead != nil || s.joined.actors != nil }

// self returns the process itself.
func (p *Proc) self() *Proc { return p }

// self returns nil: a goroutine is no process.
func (g *Goroutine) self() *Proc { return nil }

// waitsFor describes a wait that the state of a process does not.
type waitsFor struct {
	what  string
	actor joint.Actor // the actor that is waited for; nil: names says the rest
	names waitNames
}

// String implements fmt.Stringer.
func (o *waitsFor) String() string {
	if o.actor == nil {
		return o.what + " " + o.names.String()
	}
	return o.what + " " + o.actor.String()
}

// waitsOn describes the wait of a process that is parked in state st. Any goroutine.
func (p *Proc) waitsOn(st uint32) string {
	if on := p.on.Load(); on != nil {
		return on.String()
	}
	return p.waitText(st, "")
}

// waitText is waitsOn by the state alone. If a process is waited for, it is named so; "": by its number.
func (p *Proc) waitText(st uint32, name string) string {
	if name == "" {
		name = fmt.Sprint("process ", p.of.Load())
	}
	of := func(what op) string {
		if p.of.Load() != 0 && (what == opReply || what == opEnd) {
			return fmt.Sprint(what, " of ", name)
		}
		return what.String()
	}
	what, all := opIn(st), []string(nil)
	if what != opSelect {
		return of(what)
	}
	for kind := range op(len(opNames)) {
		if st>>(kindShift+kind)&1 != 0 {
			all = append(all, of(kind))
		}
	}
	return "select of " + strings.Join(all, ", ")
}

// waitNames are the waits of a select, for a process that waits for several others.
type waitNames []waitName

type waitName struct {
	what op
	of   uint64
}

// String implements fmt.Stringer. It names each wait once.
func (n waitNames) String() string {
	var all []string
	for _, w := range n {
		text := w.what.String()
		if w.of != 0 {
			text = fmt.Sprint(w.what, " of process ", w.of)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return "of " + strings.Join(all, ", ")
}
