package actor

import (
	"bytes"
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
	for len(stack) > 0 {
		var function, file []byte
		function, stack, _ = bytes.Cut(stack, []byte("\n"))
		file, stack, _ = bytes.Cut(stack, []byte("\n"))
		place := strings.TrimSpace(string(file))
		if len(function) > 0 && !ofLibrary(string(function), place) {
			place, _, _ = strings.Cut(place, " +0x")
			return functionName(string(function)) + " " + place
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
