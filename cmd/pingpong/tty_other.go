//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// isTerminal is not known here; without a progress line nothing is lost.
func isTerminal(*os.File) bool { return false }

// terminalWidth is not known here either.
func terminalWidth(*os.File) int { return 0 }
