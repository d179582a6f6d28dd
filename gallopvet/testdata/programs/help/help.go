// Package help is what several actors of a user share.
package help

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Publish sends m to all.
func Publish[M any](from actor.Sender, m M, to ...actor.Handler[M]) {
	for _, h := range to {
		h.Send(from, m)
	}
}

// Tell sends m to one.
func Tell[S, M any](c *actor.Context, b actor.Behaviour[S, M], to actor.Ref[S], m M) {
	b.Send(c, to, m)
}

// TellCopy sends a copy of m.
func TellCopy[S, E any](c *actor.Context, b actor.Behaviour[S, []E], to actor.Ref[S], m []E) {
	b.Send(c, to, slices.Clone(m))
}

// Runner runs f in a goroutine, and tells the system to wait for it.
func Runner(sys *actor.System, f func()) {
	release, _ := sys.Hold()
	go func() {
		defer release()
		f()
	}()
}

// Outbox collects what is to be sent.
type Outbox[M any] struct {
	to   actor.Handler[M]
	wait []M
}

// NewOutbox returns an outbox.
func NewOutbox[M any](to actor.Handler[M]) *Outbox[M] { return &Outbox[M]{to: to} }

// Put keeps m until Flush.
func (o *Outbox[M]) Put(m M) { o.wait = append(o.wait, m) }

// Flush sends all.
func (o *Outbox[M]) Flush(from actor.Sender) {
	for _, m := range o.wait {
		o.to.Send(from, m)
	}
	o.wait = nil
}
