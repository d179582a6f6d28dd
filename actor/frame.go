package actor

import (
	"runtime"
	"strings"
	"sync"

	"github.com/gallop-go/gallop/internal/stacktext"
)

// libraryRoot is how the paths of Go's own library begin in stack traces. Under -trimpath it is
// empty.
var libraryRoot = func() (root string) {
	new(sync.Once).Do(func() {
		_, caller, _, _ := runtime.Caller(1)
		root, _ = strings.CutSuffix(caller, "sync/once.go")
	})
	return root
}()

// userFrame finds the first frame of a stack that is neither of Go's own library nor of gallop: if
// gallop panics, the place of the bad call. If there is none, it is the first of gallop's.
func userFrame(stack []byte) string {
	frame, at, users := "", "", false
	for rest := string(stack); rest != "" && !users; {
		var function, place string
		function, rest = stacktext.Cut(rest, "\n")
		place, rest = stacktext.Cut(rest, "\n")
		// Not TrimSpace, which knows all of Unicode, and would be in every program.
		place = strings.TrimPrefix(place, "\t")
		if function == "" || ofLibrary(function, place) {
			continue
		}
		if users = !ofGallop(function, place); users || frame == "" {
			frame, at = function, place
		}
	}
	at, _ = stacktext.Cut(at, " +0x")
	if frame == "" {
		return ""
	}
	return functionName(frame) + " " + at
}

// ourModule is how the names of our functions begin.
const ourModule = "github.com/gallop-go/gallop/"

// ofGallop reports whether a frame is of gallop's packages, or one of their goroutines began there.
// Gallop's tests and benchmarks do not count, since they only use the packages; nor do its examples
// and commands, which are of package main.
func ofGallop(function, place string) bool {
	return has(function, ourModule) && !has(function, ourModule+"benchmarks/") && !has(place, "_test.go:")
}

// ofLibrary reports whether a frame is of Go's own library.
func ofLibrary(function, place string) bool {
	if libraryRoot != "" {
		return strings.HasPrefix(place, libraryRoot)
	}
	return !strings.HasPrefix(function, "main.") && trimmedOfLibrary(place)
}

// trimmedOfLibrary is ofLibrary under -trimpath, which leaves the import path as the place. A
// module's import path may have no dot in its name either.
func trimmedOfLibrary(place string) bool {
	below := strings.IndexByte(place, '/')
	return below >= 0 && has(libraryFolders, " "+place[:below]+" ")
}

func has(text, part string) bool { return stacktext.Index(text, part) >= 0 }

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
