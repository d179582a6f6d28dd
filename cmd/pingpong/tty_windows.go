package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// isTerminal tells whether a person is looking through a console that knows the
// escape sequence with which the line is cleared.
func isTerminal(f *os.File) bool {
	var mode uint32
	err := windows.GetConsoleMode(windows.Handle(f.Fd()), &mode)
	return err == nil && mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
}
