package otel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/gallop-go/gallop/actor"
)

const deadLetterKey = attribute.Key("gallop.dead_letter") // the message has not run

// DeadLetters returns a function for [actor.Hooks] that makes spans of dead letters. A dead letter
// that came with a sampled span becomes a child of that span, over at once, with the attribute
// gallop.dead_letter, and with the reason as its error. So a trace shows lost messages. DeadLetters
// calls next for every letter, since a system with such a hook logs none itself. It panics if p or
// next is nil.
func DeadLetters(p trace.TracerProvider, next func(actor.DeadLetter)) func(actor.DeadLetter) {
	t := newTracer("DeadLetters", p, nil)
	if next == nil {
		panic("gallop: otel: DeadLetters with a nil function")
	}
	return func(l actor.DeadLetter) {
		if l.Context != nil && trace.SpanContextFromContext(l.Context).IsSampled() {
			_, span := t.start(l.Context, l.Type, l.Behaviour, l.ActorID, true)
			span.SetAttributes(deadLetterKey.Bool(true))
			fail(span, l.Reason)
			span.End()
		}
		next(l)
	}
}
