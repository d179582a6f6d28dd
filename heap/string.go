package heap

import (
	"strings"
	"unsafe"
)

// String is a handle to immutable text in an [Arena]. It is two words and no pointer; see [Ptr].
// The zero value is the empty string. To compare texts, compare the results of Deref: == on Strings
// compares their places.
type String struct {
	h handle
	n int
}

// NewString copies s into the arena. It costs as much as [New], plus the copy.
//
// It panics with an error that wraps [ErrArenaLimit] if the arena is full. Owner only.
func NewString(a *Arena, s string) String {
	t, err := TryNewString(a, s)
	if err != nil {
		panic(err)
	}
	return t
}

// TryNewString is [NewString], but returns an error that wraps [ErrArenaLimit] if the
// arena is full. Owner only.
func TryNewString(a *Arena, s string) (String, error) {
	if len(s) == 0 {
		return String{}, nil
	}
	h, err := a.alloc(uintptr(len(s)))
	if err != nil {
		return String{}, err
	}
	copy(unsafe.Slice((*byte)(a.pages.at(h)), len(s)), s)
	return String{h: h, n: len(s)}, nil
}

// Len returns the number of bytes.
func (s String) Len() int { return s.n }

// IsZero reports whether s is the empty string.
func (s String) IsZero() bool { return s.n == 0 }

// Deref returns the text in place, without a copy. Unlike other Go strings it is valid only until
// the behaviour returns: use Clone for a text that is kept, sent or used as the key of a map. Deref
// costs as much as [Ptr.Deref] and panics as it does, except that the empty string is "" in every
// arena. Owner only.
func (s String) Deref(a *Arena) string {
	if s.n == 0 {
		return ""
	}
	return unsafe.String((*byte)(a.pages.at(s.h)), s.n)
}

// Clone returns a copy of the text in Go's heap. The copy may be kept. It costs an allocation, and
// panics as Deref does. Owner only.
func (s String) Clone(a *Arena) string { return strings.Clone(s.Deref(a)) }
