//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// isTerminal does not know here, and silence harms nobody.
func isTerminal(*os.File) bool { return false }

// terminalWidth does not know either.
func terminalWidth(*os.File) int { return 0 }
