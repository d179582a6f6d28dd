//go:build !race && !gallop_explore && (!linux || !(amd64 || arm64))

package seam

const windowsAreChecked = false
