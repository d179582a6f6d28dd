package capability

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/seam"
)

// ErrGone says that an Iso no longer holds its value: it was moved, taken or frozen.
var ErrGone = errors.New("gallop: capability: iso is gone")

// Iso is an isolated value: the holder of the handle is its only owner. It is one word, and its
// copies are the same handle. The zero value holds nothing.
//
// To send an Iso i, send i.Move(): from then on every use of i panics. The accesses of the old
// owner synchronize before those by the new one, through the message.
type Iso[T any] struct{ h *isoHandle[T] }

// isoHandle is one owner's handle. When the owner changes, the value stays where it is and the
// handle is replaced.
type isoHandle[T any] struct {
	// nil after the value is gone, so that an old handle does not keep it alive
	value *T
	gone  seam.Bool
}

// NewIso makes a value and, if build is not nil, calls build to initialize it. No pointer into the
// value may escape from build. Any goroutine.
func NewIso[T any](build func(*T)) Iso[T] {
	v := new(T)
	if build != nil {
		build(v)
	}
	return Iso[T]{&isoHandle[T]{value: v}}
}

// IsZero reports whether i is the zero Iso, which has never held anything.
func (i Iso[T]) IsZero() bool { return i.h == nil }

// Gone reports whether the value was moved, taken or frozen through this handle. Any goroutine.
func (i Iso[T]) Gone() bool { return i.h != nil && i.h.gone.Load() }

// Use calls f with a pointer to the value, which is valid until f returns. It panics if f is nil,
// and with ErrGone if the value is gone. It checks before f and after it, so that an f which moves
// the value and goes on using it is detected. Owner only.
func (i Iso[T]) Use(f func(*T)) {
	if f == nil {
		panic("gallop: capability: Use with a nil function")
	}
	f(i.mustHold("Use").value)
	i.mustHold("Use")
}

// Move moves the value to the Iso that it returns; i no longer holds it. It panics with ErrGone if
// the value is gone already. Owner only.
func (i Iso[T]) Move() Iso[T] { return Iso[T]{&isoHandle[T]{value: i.release("Move")}} }

// Take ends the isolation: it returns the value as an ordinary pointer, owned by the caller; i no
// longer holds it. It panics with ErrGone if the value is gone already. Owner only.
func (i Iso[T]) Take() *T { return i.release("Take") }

// Freeze makes the value immutable, so that it may be shared; i no longer holds it. It panics with
// ErrGone if the value is gone already. Owner only.
func (i Iso[T]) Freeze() Val[T] { return newVal(i.release("Freeze")) }

// mustHold returns the handle, and panics if it does not hold a value.
func (i Iso[T]) mustHold(call string) *isoHandle[T] {
	if i.h == nil {
		panic("gallop: capability: " + call + " of a zero Iso: use NewIso")
	}
	if i.h.gone.Load() {
		panic(fmt.Errorf("%w: %s of a value that was moved, taken or frozen", ErrGone, call))
	}
	return i.h
}

// release takes the value from the handle. Of several concurrent callers only one succeeds.
func (i Iso[T]) release(call string) *T {
	h := i.mustHold(call)
	if !h.gone.CompareAndSwap(false, true) {
		panic(fmt.Errorf("%w: %s at the same time as another", ErrGone, call))
	}
	v := h.value
	h.value = nil // only the winner of the swap comes here
	return v
}
