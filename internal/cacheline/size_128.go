//go:build arm64 || ppc64 || ppc64le

package cacheline

// Size is the distance, in bytes, at which two fields cannot share a line that the
// processor moves as a unit.
const Size = 128
