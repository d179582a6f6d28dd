//go:build race

package bridge_test

// raceDetector reports whether the race detector is on.
const raceDetector = true
