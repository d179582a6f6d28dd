//go:build race

package actor_test

// raceDetector tells whether the race detector looks on.
const raceDetector = true
