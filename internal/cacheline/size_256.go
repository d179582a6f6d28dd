//go:build s390x

package cacheline

// Size is the distance, in bytes, at which two fields cannot share a line that the
// processor moves as a unit.
const Size = 256
