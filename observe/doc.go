// Package observe shows a running [actor.System] in a browser, as JSON and as plain text: which
// actors keep the workers busy, whose mailbox grows, who waits for whom, what failed, what keeps
// the system from ending, and, in words, what seems to be wrong.
//
// The user mounts the page:
//
//	http.Handle("/gallop/", http.StripPrefix("/gallop", observe.Handler(sys)))
//
// All its addresses are relative, so that any prefix and any reverse proxy will do. curl gets
// text: curl localhost:8080/gallop/ lists what there is, and /api/v1/lints, for example, is a
// page of that list; with "Accept: application/json", as a browser or a program asks, the same
// is JSON. docs/observe.md is for the person on call, and has the schema.
//
// For metrics, [Population], [Profile] and [MailboxDelays] measure a system without a page: the
// modules for Prometheus and OpenTelemetry use them. [Labels], [Regions] and [LogHandler] name
// behaviours and actors in Go's profiles, in its execution traces and in logs.
//
// # Cost
//
// While no client looks, nothing runs: no goroutine, no timer, no changed dispatch table. The
// first request begins to look, once a second. That ends half a minute after the last request and
// the end of the last stream, and at once when the system has stopped. Each answer says since when
// it has looked: nothing is known of the time before. Charts have up to an hour.
//
// [WithFlightRecorder] adds what a recorder of package flight has: what each worker did
// last, also before the first request.
//
// # Safety
//
// The page only reads. It answers requests for localhost, for an IP address as host, and for the
// hosts of [WithHosts]; others are refused, since a foreign site could have given its own name
// this server's address. Requests that a browser makes for another site are refused. There are no
// cookies, no access from other origins, at most 64 streams and 10 dear requests a second. It has
// no log-in: whoever reaches the handler sees types, names, stacks, and what the states say of
// themselves. [WithRedact] changes those texts; put what else is needed in front of the handler.
package observe
