package heap_test

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

// reporter has the methods that *testing.T and *rapid.T have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// wantPanic runs f and fails unless it panics with a message that contains want.
func wantPanic(t reporter, want string, f func()) {
	t.Helper()
	if got := recovered(f); !strings.Contains(got, want) {
		t.Errorf("panicked with %q, want %q", got, want)
	}
}

// recovered returns the message with which f panics, or "".
func recovered(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// wantLimit fails unless err is a limit error.
func wantLimit(t reporter, err error) {
	t.Helper()
	if !errors.Is(err, heap.ErrArenaLimit) {
		t.Errorf("got error %v, want ErrArenaLimit", err)
	}
}

// bytesOf returns the memory of an object.
func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// allZero reports whether b holds zeros only.
func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// fill overwrites b.
func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}
