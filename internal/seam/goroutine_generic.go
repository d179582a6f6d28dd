//go:build !(amd64 || arm64)

package seam

import (
	"runtime"
	"sync"
)

const goroutineIsAddress = false

// stackHead has room for the beginning of a stack trace: "goroutine 123 [".
type stackHead [32]byte

var stackHeads = sync.Pool{New: func() any { return new(stackHead) }}

// Goroutine returns a number that identifies the calling goroutine: two goroutines that live at the
// same time have different numbers, and no number is 0. Here it is the number in Go's stack traces,
// which costs about a microsecond.
func Goroutine() (id uint64) {
	buf := stackHeads.Get().(*stackHead) // a local array would be allocated by each call
	defer stackHeads.Put(buf)
	n := runtime.Stack(buf[:], false)
	for _, b := range buf[len("goroutine "):n] {
		if b < '0' || b > '9' {
			break
		}
		id = 10*id + uint64(b-'0')
	}
	return id
}
