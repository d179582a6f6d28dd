//go:build !race

package actor_test

// raceDetector reports whether the race detector looks on.
const raceDetector = false
