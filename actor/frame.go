package actor

import (
	"reflect"
	"runtime"
	"strings"
)

// libraryRoot is where the files of Go's own library begin, as stack traces show them.
// Under -trimpath that is nothing.
var libraryRoot = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.TrimSpace).Pointer()).FileLine(0)
	root, _ := strings.CutSuffix(file, "strings/strings.go")
	return root
}()

// userFrame finds the first frame of a stack that is not of Go's own library.
func userFrame(stack []byte) string {
	for rest := string(stack); rest != ""; {
		var function, place string
		function, rest, _ = strings.Cut(rest, "\n")
		place, rest, _ = strings.Cut(rest, "\n")
		place = strings.TrimSpace(place)
		if function != "" && !ofLibrary(function, place) {
			place, _, _ = strings.Cut(place, " +0x")
			return functionName(function) + " " + place
		}
	}
	return ""
}

// ofLibrary tells whether a frame is of Go's own library.
func ofLibrary(function, place string) bool {
	if libraryRoot != "" {
		return strings.HasPrefix(place, libraryRoot)
	}
	first, _, _ := strings.Cut(place, "/") // trimmed: the import path, in Go's library without a dot
	return !strings.Contains(first, ".") && !strings.HasPrefix(function, "main.")
}

// functionName drops the arguments of a call in a stack trace.
func functionName(call string) string {
	if i := strings.LastIndexByte(call, '('); i > 0 {
		return call[:i]
	}
	return call
}
