// Package prom exports the figures of an [actor.System] to Prometheus. It is a module of its own, so
// that gallop itself does not depend on Prometheus.
//
// [NewCollector] returns a collector for the program to register. The package registers nothing by
// itself, and never uses the default registry.
//
// A scrape reads [actor.System.Stats] once. It takes some microseconds, and some memory for each
// series. Between scrapes the collector does nothing: a message costs the same with and without it.
// The metrics are exact after [actor.System.Wait], as Stats is.
//
// No label contains the number or the name of an actor, so the number of series does not grow with
// the number of actors. There are 16 for the system and 10 for each worker. [WithPopulation] adds
// one more, [WithProfiler] two, and both one for each type up to 200; [WithWhy] adds one for each kind
// of holder, of which there are some twelve. [NewMailboxDelays] is another collector, which measures
// how long messages wait. docs/metrics.md has the names, docs/alerts.yml has rules for alerts, and
// docs/dashboard.json is a dashboard for Grafana.
package prom
