package actor

import (
	"reflect"
	"runtime"
	"strings"
)

// libraryRoot is where the files of Go's own library begin, as stack traces show them.
// Under -trimpath that is nothing.
var libraryRoot = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(0)
	root, _ := strings.CutSuffix(file, "strings/strings.go")
	return root
}()

// userFrame finds the first frame of a stack that is neither of Go's own library nor of
// gallop: where the bad call is, if it is gallop that panics. If there is none, it is the
// first of gallop's.
func userFrame(stack []byte) string {
	frame, at, users := "", "", false
	for rest := string(stack); rest != "" && !users; {
		var function, place string
		function, rest, _ = strings.Cut(rest, "\n")
		place, rest, _ = strings.Cut(rest, "\n")
		place = strings.TrimPrefix(place, "\t") // not TrimSpace, which knows all of Unicode, and would be in every program
		if function == "" || ofLibrary(function, place) {
			continue
		}
		if users = !ofGallop(function, place); users || frame == "" {
			frame, at = function, place
		}
	}
	at, _, _ = strings.Cut(at, " +0x")
	if frame == "" {
		return ""
	}
	return functionName(frame) + " " + at
}

// ourModule is how the names of our functions begin.
const ourModule = "github.com/gallop-go/gallop/"

// ofGallop tells whether a frame is of gallop's packages, or one of their goroutines began
// there. Its tests and benchmarks only use them, as do its examples and commands, which are
// of package main.
func ofGallop(function, place string) bool {
	return strings.Contains(function, ourModule) &&
		!strings.Contains(function, ourModule+"benchmarks/") && !strings.Contains(place, "_test.go:")
}

// ofLibrary tells whether a frame is of Go's own library.
func ofLibrary(function, place string) bool {
	if libraryRoot != "" {
		return strings.HasPrefix(place, libraryRoot)
	}
	return !strings.HasPrefix(function, "main.") && trimmedOfLibrary(place)
}

// trimmedOfLibrary is ofLibrary by a place that -trimpath has left: the import path. That of
// a module may have no dot in its name either.
func trimmedOfLibrary(place string) bool {
	first, _, below := strings.Cut(place, "/")
	return below && strings.Contains(libraryFolders, " "+first+" ")
}

// libraryFolders are the folders of Go's own library.
const libraryFolders = " archive arena bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html " +
	"image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall " +
	"testing text time unicode unique unsafe vendor weak "

// functionName drops the arguments of a call in a stack trace.
func functionName(call string) string {
	if i := strings.LastIndexByte(call, '('); i > 0 {
		return call[:i]
	}
	return call
}
