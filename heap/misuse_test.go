package heap_test

import (
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// TestMisuse_NilTypes: a type that is none, as reflect.TypeOf(nil) is.
func TestMisuse_NilTypes(t *testing.T) {
	wantPanic(t, "gallop: heap: LayoutOf: a nil type", func() { heap.LayoutOf(nil) })
	wantPanic(t, "gallop: heap: OwnedIn: a nil type", func() { heap.OwnedIn(nil) })
}
