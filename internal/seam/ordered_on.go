//go:build race || gallop_explore

package seam

const ordered = true // PublishHeld is made of ordinary atomics, to be tested and not to be fast
