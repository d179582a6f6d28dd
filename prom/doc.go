// Package prom shows the figures of an [actor.System] to Prometheus. It is a module of its own, so
// that gallop itself does not depend on Prometheus.
//
// [NewCollector] returns a collector, which the program registers where it likes. The package
// registers nothing by itself, and never uses the default registry.
//
// A scrape reads [actor.System.Stats] once: some microseconds, and some memory for each series.
// Between scrapes the collector does nothing: a message costs the same with it and without it.
// The metrics are exact after [actor.System.Wait], as Stats is.
//
// No label has the number or the name of an actor as its value, so that the number of series does
// not grow with the number of actors: there are 12 for the system and 10 for each worker, and
// with [WithPopulation] and [WithProfiler] one more each, and one for each type up to 200.
// [NewMailboxDelays] is another collector, which measures how long messages wait.
// docs/metrics.md has the names, and says what to alert on.
package prom
