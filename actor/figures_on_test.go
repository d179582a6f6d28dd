//go:build gallop_figures

package actor_test

// figures says that the machine is idle, so that times and memory are judged.
const figures = true
