// Package stack reads stack traces, as package runtime/debug writes them, for reports of panics and
// of long turns. It finds the part of a trace that concerns the user of gallop, and the user's last
// frame. It has no state, and any goroutine may call it.
package stack

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
)

// FromPanic returns the part of a stack that concerns a behaviour, beginning with the frame that
// panicked. It drops all frames above that frame, up to and including the last panic call in the
// text. It also drops the frames below, from the first function of dispatch on.
func FromPanic(text []byte, dispatch ...string) []byte {
	const above = "\npanic("
	rest, last := string(text), 0
	for i := strings.Index(rest, above); i >= 0; i = strings.Index(rest[last:], above) {
		last += i + 1
	}
	if last > 0 {
		_, rest, _ = strings.Cut(rest[last:], "\n")
		_, rest, _ = strings.Cut(rest, "\n")
		text = text[len(text)-len(rest):]
	}
	for _, function := range dispatch {
		if i := strings.Index(rest, function); i > 0 {
			return text[:i]
		}
	}
	return text
}

// libraryRoot is the beginning of the paths of Go's own library in stack traces. Under -trimpath it
// is empty.
var libraryRoot = func() (root string) {
	new(sync.Once).Do(func() {
		_, caller, _, _ := runtime.Caller(1)
		root, _ = strings.CutSuffix(caller, "sync/once.go")
	})
	return root
}()

// UserFrame returns the first frame of a stack that belongs neither to Go's own library nor to
// gallop, as a function and a place. If gallop panics, that is the wrong call. If there is no such
// frame, UserFrame returns the first frame of gallop's, or "".
func UserFrame(text []byte) string {
	frame, at, users := "", "", false
	for rest := string(text); rest != "" && !users; {
		var function, place string
		function, rest, _ = strings.Cut(rest, "\n")
		place, rest, _ = strings.Cut(rest, "\n")
		place = strings.TrimPrefix(place, "\t")
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

// OfGoroutine is UserFrame for the text of a goroutine's stack, which begins with a line about the
// goroutine.
func OfGoroutine(text []byte) string {
	_, frames, _ := bytes.Cut(text, []byte("\n"))
	return UserFrame(frames)
}

// OurModule is the beginning of the names of gallop's functions.
const OurModule = "github.com/gallop-go/gallop/"

// ofGallop reports whether a frame belongs to gallop's packages, or says where they started the
// goroutine. Gallop's tests, benchmarks and incidents do not count, since they only use the
// packages. Its examples and commands do not count either, since their functions are in package
// main.
func ofGallop(function, place string) bool {
	return strings.Contains(function, OurModule) &&
		!strings.Contains(function, OurModule+"benchmarks/") &&
		!strings.Contains(function, OurModule+"observe/incidents") && !strings.Contains(place, "_test.go:")
}

// ofLibrary reports whether a frame belongs to Go's own library.
func ofLibrary(function, place string) bool {
	if libraryRoot != "" {
		return strings.HasPrefix(place, libraryRoot)
	}
	return !strings.HasPrefix(function, "main.") && trimmedOfLibrary(place)
}

// trimmedOfLibrary is ofLibrary under -trimpath, where the place begins with the import path. It
// reports whether the first folder of that path is one of libraryFolders. The lack of a dot in the
// first folder would not be enough, since the path of a module may have no dot either.
func trimmedOfLibrary(place string) bool {
	below := strings.IndexByte(place, '/')
	return below >= 0 && strings.Contains(libraryFolders, " "+place[:below]+" ")
}

// libraryFolders has the top folders of Go's own library.
const libraryFolders = " archive arena bufio bytes cmp compress container context crypto " +
	"database debug " +
	"embed encoding errors expvar flag fmt go hash html image index internal io iter log " +
	"maps math mime net os path plugin reflect regexp runtime slices sort strconv strings " +
	"structs sync syscall testing text time unicode unique unsafe vendor weak "

// functionName drops the arguments of a call in a stack trace.
func functionName(call string) string {
	if i := strings.LastIndexByte(call, '('); i > 0 {
		return call[:i]
	}
	return call
}
