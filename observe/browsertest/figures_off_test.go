//go:build !gallop_figures

package browsertest

// figures tells that the machine is idle, so that times count.
const figures = false
