//go:build !race

package seam_test

const raceEnabled = false
