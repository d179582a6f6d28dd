//go:build !race && !gallop_explore

package seam

const ordered = false
