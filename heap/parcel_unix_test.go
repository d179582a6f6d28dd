//go:build unix

package heap_test

import (
	"errors"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

// "If s is larger than MaxObject, …, NewParcel panics with an error that wraps ErrArenaLimit",
// without a look at its bytes: here they are addresses without memory. A length of 4 GiB or
// more used to be truncated.
func TestParcelLargerThanMaxObject(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const size = heap.MaxObject + 1
	none, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no addresses: ", err) // a limit of the process
	}
	defer func() { _ = syscall.Munmap(none) }()
	before := heap.Blobs()
	defer mustLive(t, before, 0)
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, heap.ErrArenaLimit) {
			t.Errorf("got %v, want ErrArenaLimit", err)
		}
	}()
	heap.NewParcel(unsafe.String(&none[0], size))
}
