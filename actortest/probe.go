package actortest

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Probe is an actor that keeps what it is sent. It stands in where the scenario has no
// actor of its own.
type Probe[M any] struct {
	got     []M
	handler actor.Handler[M]
}

// NewProbe starts a probe. The name appears in traces.
func NewProbe[M any](r *R, name string) *Probe[M] {
	if r == nil || r.sys == nil {
		panic("gallop: actortest: NewProbe with a nil or zero R: use the one that the scenario was given")
	}
	p := &Probe[M]{}
	t := actor.NewType[*Probe[M]](name)
	get := actor.Declare[M](t, "got")
	t.Table(get.Do(func(p **Probe[M], _ *actor.Context, m M) { (*p).got = append((*p).got, m) }))
	p.handler = get.To(t.Spawn(r.sys, p))
	return p
}

// Handler returns the probe as a handler, to be sent to.
func (p *Probe[M]) Handler() actor.Handler[M] { return p.handler }

// Got returns what the probe has been sent so far, in order. Scenario only.
func (p *Probe[M]) Got() []M { return slices.Clone(p.got) }

// Clear forgets what the probe has been sent so far. Scenario only.
func (p *Probe[M]) Clear() { p.got = nil }
