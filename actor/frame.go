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

// userFrame finds the first frame of a stack that is neither of Go's own library nor of
// gallop: where the bad call is, if it is gallop that panics. If there is none, it is the
// first of gallop's.
func userFrame(stack []byte) (frame string) {
	for rest := string(stack); rest != ""; {
		var function, place string
		function, rest, _ = strings.Cut(rest, "\n")
		place, rest, _ = strings.Cut(rest, "\n")
		place = strings.TrimSpace(place)
		switch {
		case function == "" || strings.HasPrefix(function, "created by ") || ofLibrary(function, place):
		case !ofGallop(function, place):
			return frameName(function, place)
		case frame == "":
			frame = frameName(function, place)
		}
	}
	return frame
}

// frameName is a frame's function, and file and line.
func frameName(function, place string) string {
	place, _, _ = strings.Cut(place, " +0x")
	return functionName(function) + " " + place
}

// ofGallop tells whether a frame is of gallop's packages. Its tests, examples, commands and
// benchmarks only use them.
func ofGallop(function, place string) bool {
	path, ours := strings.CutPrefix(function, "github.com/gallop-go/gallop/")
	for _, users := range [...]string{"benchmarks/", "cmd/", "examples/", "tools/"} {
		ours = ours && !strings.HasPrefix(path, users)
	}
	return ours && !strings.Contains(place, "_test.go:")
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
