//go:build !unix || race || gallop_explore

package sched

// canLook is false: see the twin file.
const canLook = false

// openNetwork returns nil, which stands for a network that no worker looks at.
func openNetwork() func(bool) bool { return nil }
