package capability

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/seam"
)

// ErrGone says that the value of an Iso was given away: moved, taken or frozen.
var ErrGone = errors.New("gallop: capability: iso is gone")

// Iso is an isolated value: whoever holds the handle owns the value, and nobody else
// does. It is one word, and its copies are the same handle. The zero value holds
// nothing.
//
// To send an Iso i, send i.Move(): i is dead from then on, so that nothing can be done
// with what was given away. What the old owner did synchronizes before what the new one
// does, by way of the message.
type Iso[T any] struct{ h *isoHandle[T] }

// isoHandle is one owner's hold on a value. The value's memory stays where it is when
// the owner changes; the handle does not.
type isoHandle[T any] struct {
	// nil when it is gone, so that who keeps the handle does not keep the value
	value *T
	gone  seam.Bool
}

// NewIso makes a value and, if build is not nil, lets build fill it in. Nothing of the
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

// Gone reports whether the value was given away through this handle. Any goroutine.
func (i Iso[T]) Gone() bool { return i.h != nil && i.h.gone.Load() }

// Use calls f with a pointer to the value, which is valid until f returns. It panics if
// f is nil, and with ErrGone if the value is gone. It checks before f and after it: an
// f that gives the value away and goes on is found out. Owner only.
func (i Iso[T]) Use(f func(*T)) {
	if f == nil {
		panic("gallop: capability: Use with a nil function")
	}
	f(i.mustHold("Use").value)
	i.mustHold("Use")
}

// Move gives the value away: the Iso that it returns holds the value, and i holds
// nothing any more. It panics with ErrGone if the value is gone already. Owner only.
func (i Iso[T]) Move() Iso[T] { return Iso[T]{&isoHandle[T]{value: i.release("Move")}} }

// Take ends the isolation: it returns the value as an ordinary pointer, which is the
// caller's, and i holds nothing any more. It panics with ErrGone if the value is gone
// already. Owner only.
func (i Iso[T]) Take() *T { return i.release("Take") }

// Freeze makes the value immutable, so that it may be shared, and i holds nothing any
// more. It panics with ErrGone if the value is gone already. Owner only.
func (i Iso[T]) Freeze() Val[T] { return newVal(i.release("Freeze")) }

// here returns the handle if the value is still behind it.
func (i Iso[T]) mustHold(verb string) *isoHandle[T] {
	if i.h == nil {
		panic("gallop: capability: " + verb + " of a zero Iso: use NewIso")
	}
	if i.h.gone.Load() {
		panic(fmt.Errorf("%w: %s of a value that was moved, taken or frozen", ErrGone, verb))
	}
	return i.h
}

// leave takes the value from the handle. Of several callers only one can.
func (i Iso[T]) release(verb string) *T {
	h := i.mustHold(verb)
	if !h.gone.CompareAndSwap(false, true) {
		panic(fmt.Errorf("%w: %s at the same time as another", ErrGone, verb))
	}
	v := h.value
	h.value = nil // of those who try, only this one came here
	return v
}
