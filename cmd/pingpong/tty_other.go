//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// isTerminal does not know here, and silence harms nobody.
func isTerminal(*os.File) bool { return false }
