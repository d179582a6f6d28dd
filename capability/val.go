package capability

import "github.com/gallop-go/gallop/internal/invariant"

// Val is an immutable value that any number of goroutines may read. It is one word. The
// zero value holds nothing. Get one from [Iso.Freeze], or, for a copy, from [NewVal].
type Val[T any] struct{ v *frozen[T] }

// frozen is an immutable value. Read-only.
type frozen[T any] struct {
	value *T
	// of the value when it was frozen; "" where invariants are not checked
	fingerprint string
}

// NewVal makes a Val of a copy of v. The targets of pointers in v must not be written to any more.
// Any goroutine.
func NewVal[T any](v T) Val[T] { return newVal(&v) }

func newVal[T any](v *T) Val[T] {
	f := &frozen[T]{value: v}
	if invariant.On {
		f.fingerprint = fingerprint(*v)
	}
	return Val[T]{f}
}

// IsZero reports whether v holds nothing.
func (v Val[T]) IsZero() bool { return v.v == nil }

// Get returns a copy of the value. The targets of its pointers are shared and must not be written
// to. Get panics on the zero Val. Any goroutine.
func (v Val[T]) Get() T { return *v.mustHold("Get").value }

// View calls f with a pointer to the value where it is. f must not write to the value, nor keep the
// pointer. View panics on the zero Val, and if f is nil. Where invariants are checked, it also
// panics if the value has changed since it was frozen; targets of pointers in it are not checked.
// Any goroutine.
func (v Val[T]) View(f func(*T)) {
	if f == nil {
		panic("gallop: capability: View with a nil function")
	}
	h := v.mustHold("View")
	f(h.value)
	if invariant.On {
		now := fingerprint(*h.value)
		invariant.Check(now == h.fingerprint, "a Val was written to: %s became %s", h.fingerprint,
			now)
	}
}

func (v Val[T]) mustHold(call string) *frozen[T] {
	if v.v == nil {
		panic("gallop: capability: " + call + " of a zero Val: use Iso.Freeze or NewVal")
	}
	return v.v
}
