package actortest

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Probe is an actor that records the messages it is sent: a test double for an actor that the
// scenario does not contain.
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
	t.Table(get.Handle(func(p **Probe[M], _ *actor.Context, m M) { (*p).got = append((*p).got, m) }))
	p.handler = get.To(t.Spawn(r.sys, p))
	return p
}

// Handler returns a handler that sends to the probe.
func (p *Probe[M]) Handler() actor.Handler[M] { return p.handler }

// Got returns the messages that the probe has received so far, in order. Scenario only.
func (p *Probe[M]) Got() []M { return slices.Clone(p.got) }

// Clear forgets the messages received so far. Scenario only.
func (p *Probe[M]) Clear() { p.got = nil }
