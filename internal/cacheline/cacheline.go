// Package cacheline keeps data of different owners on different cache lines.
package cacheline

// Pad separates the fields before it from those after it. golang.org/x/sys/cpu has one
// too, but also examines the processor at the start of every program that links it.
type Pad struct{ _ [Size]byte }
