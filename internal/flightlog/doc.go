// Package flightlog keeps the last events of a system in rings of a fixed size, one for each
// worker: the memory of a flight recorder. Packages kernel and inspect write the events, and
// package flight reads them. See docs/decisions/0045-inspect.md.
package flightlog
