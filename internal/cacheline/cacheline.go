// Package cacheline keeps data of different owners on different cache lines.
package cacheline

import "golang.org/x/sys/cpu"

// Size is the distance, in bytes, at which two fields cannot share a line that
// the processor moves as a unit. It is 64 on amd64 and 128 on arm64.
const Size = 64

// Pad separates the fields before it from those after it.
type Pad = cpu.CacheLinePad
