//go:build gallop_figures

package actor_test

// figures tells that the machine is idle, so that times and memory count.
const figures = true
