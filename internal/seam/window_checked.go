//go:build race || gallop_explore

package seam

const windowsAreChecked = true
