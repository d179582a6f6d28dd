//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// isTerminal cannot tell here, and silence does no harm.
func isTerminal(*os.File) bool { return false }

// terminalWidth cannot tell either.
func terminalWidth(*os.File) int { return 0 }
