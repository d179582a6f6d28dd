// Package otel shows an [actor.System] to OpenTelemetry: its figures as metrics, and its messages
// as spans of traces. It is a module of its own, so that gallop itself does not depend on
// OpenTelemetry. A program that imports go.opentelemetry.io/otel as well gives one of the two
// another name:
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
// in its context. How a context gets to a message, a request, a timer or the function of a Pipe is
// the program's choice: see docs/contexts.md. [actor.AskBehaviour.Ask] and [actor.System.With]
// bring a context in, and [actor.Context.SetContext] passes it on:
//
//	c.SetContext(c.Context()) // what is sent from here on belongs to the trace
//
// [WithPropagation] passes the trace on without that.
//
// A request, and the outcome of a request or of a Pipe, is a child of the span that it came with:
// that span waits for it. Any other message begins a trace of its own with a link to that span,
// which is over by then and may have caused many such messages; [WithParent] makes those children
// too. Samplers that decide by the parent decide anew about a span with a link: with those that
// take only a part of the traces, WithParent keeps a trace whole.
//
// The span's name is the type and the behaviour, as in "store.price". The attributes are those of
// the semantic conventions for messaging, version 1.43.0, besides gallop.actor, the number of the
// actor, and gallop.put_aside, which is true if the message was stashed or its reply deferred: then
// the span ends before the reply is given, and a stashed message gets another span when it runs.
// The status is an error if the behaviour of a request returns one, if the behaviour panics, and if
// a later interceptor refuses the message. [DeadLetters] makes spans of messages that never run.
//
// There are no PRODUCER spans: a send takes some ten nanoseconds and cannot fail, so such a span
// would show nothing, and cost a hundred times what it shows. The context of the sender's own span
// travels instead.
//
// A message without a sampled span costs what any intercepted message costs
// ([actor.Interceptor]), some nanoseconds more, and allocates nothing. One with a sampled span
// costs one to two microseconds, and what the span processor takes.
//
// Processes (package process) are not intercepted, and their messages carry no context.
package otel
