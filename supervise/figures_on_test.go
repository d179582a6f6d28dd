//go:build gallop_figures

package supervise_test

// figures tells that the machine is idle, so that memory counts.
const figures = true
