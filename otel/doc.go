// Package otel exports an [actor.System] to OpenTelemetry: its figures as metrics, and its messages
// as spans of traces. It is a module of its own, so that gallop itself does not depend on
// OpenTelemetry. A program that also imports go.opentelemetry.io/otel gives one of the two another
// name:
//
//	import gallopotel "github.com/gallop-go/gallop/otel"
//
// # Metrics
//
// [RegisterMetrics] registers asynchronous instruments, which read [actor.System.Stats] once for
// each collection and do nothing in between: a message costs the same with them and without them.
// docs/metrics.md has their names.
//
// # Traces
//
// [Interceptor] makes a CONSUMER span around each behaviour whose message came with a sampled span
// in its context. The program decides which messages, requests, timers and functions of a Pipe have
// a context: see docs/contexts.md. [actor.AskBehaviour.Ask] and [actor.System.With] bring a context
// in, and [actor.Context.SetContext] passes it on:
//
//	c.SetContext(c.Context()) // later messages of this behaviour belong to the trace
//
// [WithPropagation] passes the trace on without that call.
//
// A request, and the outcome of a request or of a Pipe, is a child of the span that it came with:
// that span waits for it. Any other message begins a trace of its own with a link to that span,
// which is over by then and may have caused many such messages. With [WithParent] these are
// children too. Samplers that decide by the parent decide anew about a span with a link. If they
// sample only a part of the traces, WithParent keeps a trace whole.
//
// The span is named by the behaviour and the type, as in "price store". The attributes are the
// attributes of the semantic conventions for messaging, version 1.43.0, and two more. gallop.actor
// is the number of the actor. gallop.put_aside is true if the message was stashed or its reply
// deferred. Then the span ends before the reply is given, and a stashed message gets another span
// when it runs.
//
// The status is an error if
//
//   - the behaviour of a request returns an error,
//   - the behaviour panics,
//   - a later interceptor refuses the message.
//
// [DeadLetters] makes spans of messages that never run.
//
// There are no PRODUCER spans. A send takes some ten nanoseconds and cannot fail, so such a span
// would contain nothing, and cost a hundred times as much as the send. The context of the sender's
// own span travels instead.
//
// A message without a sampled span costs as much as any intercepted message ([actor.Interceptor])
// and some nanoseconds more, and allocates nothing. A message with a sampled span costs one to two
// microseconds, and the time of the span processor.
//
// Processes (package process) are not intercepted, and have no spans of their own. Their messages carry
// the trace: a process makes spans from its Context, and passes the trace on after SetContext.
package otel
