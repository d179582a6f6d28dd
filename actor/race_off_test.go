//go:build !race

package actor_test

// raceDetector reports whether the race detector is on.
const raceDetector = false
