// Package observe shows a running [actor.System] in a browser, as JSON and as plain text. It shows
// the busiest actors, growing mailboxes, actors that wait for each other, failures, and everything
// that keeps the system from ending. Lints describe suspected faults in words.
//
// The user mounts the page:
//
//	http.Handle("/gallop/", http.StripPrefix("/gallop", observe.Handler(sys)))
//
// All addresses of the page are relative, so any prefix and any reverse proxy will do. curl
// receives text: curl localhost:8080/gallop/ lists the pages, for example /api/v1/lints. A request
// with "Accept: application/json" receives the same page as JSON. docs/observe.md has the schema,
// and is written for the person on call.
//
// For metrics, [Population], [Profile] and [MailboxDelays] measure a system without a page: the
// modules for Prometheus and OpenTelemetry use them. [Labels], [Regions] and [LogHandler] name
// behaviours and actors in Go's profiles, in its execution traces and in logs.
//
// # Cost
//
// While no client looks, nothing runs: no goroutine, no timer, no changed dispatch table. The first
// request starts looks at the system, one a second. They end half a minute after the last request
// and the last stream, or at once when the system has stopped. Later requests are answered from the
// last look then. Each answer has the time of the first look: nothing is known of the time before.
// Charts reach back up to an hour.
//
// [WithFlightRecorder] serves the recording of a flight recorder: the last events of each worker,
// including events before the first request.
//
// # Safety
//
// The page only reads. It answers requests for localhost, for an IP address as host, and for the
// hosts of [WithHosts]. Other hosts are refused, since a foreign site could have given its own name
// this server's address. Requests that a browser makes for another site are refused. There are no
// cookies and no access from other origins. One client has at most 16 streams and 200 requests a
// second. At most 10 actors a second are asked for their state.
//
// The page has no log-in: everyone who reaches the handler sees types, names, stacks, and the
// states of actors that implement [Inspector]. [WithRedact] changes those texts. For any other
// protection, put a handler of your own in front.
package observe
