package actor

import (
	"log/slog"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Ref refers to an actor with state S. It is a handle of one word, which may be copied,
// compared and sent in messages; it gives no access to the state. The zero Ref refers
// to no actor, and sending to it panics. A Ref keeps its actor's memory alive, whether
// the actor has ended or not.
type Ref[S any] kernel.AnyRef

// IsZero reports whether r refers to no actor.
func (r Ref[S]) IsZero() bool { return r.target() == nil }

// ID returns the number of the actor, which is unique within its system and never used
// again. For the zero Ref it returns 0.
func (r Ref[S]) ID() uint64 { return kernel.AnyRef(r).ID() }

// String returns the actor's type and number, as in "counter#7".
func (r Ref[S]) String() string { return kernel.AnyRef(r).String() }

// LogValue implements slog.LogValuer. It returns [ActorName.LogValue] of the actor, or "none" for
// the zero Ref. It costs a look-up in a map.
func (r Ref[S]) LogValue() slog.Value { return kernel.AnyRef(r).LogValue() }

// Any returns r without its type, for code that does not need to know it.
func (r Ref[S]) Any() AnyRef { return AnyRef(r) }

func (r Ref[S]) target() *kernel.Cell { return kernel.AnyRef(r).Cell() }

// AnyRef refers to an actor of any type, as [Ref] does to one of a certain type. The
// actor can be stopped, linked, watched and compared through it, but sent nothing.
type AnyRef kernel.AnyRef

// IsZero reports whether r refers to no actor.
func (r AnyRef) IsZero() bool { return r.target() == nil }

// ID is like [Ref.ID].
func (r AnyRef) ID() uint64 { return kernel.AnyRef(r).ID() }

// String is like [Ref.String].
func (r AnyRef) String() string { return kernel.AnyRef(r).String() }

// LogValue is like [Ref.LogValue].
func (r AnyRef) LogValue() slog.Value { return kernel.AnyRef(r).LogValue() }

func (r AnyRef) target() *kernel.Cell { return kernel.AnyRef(r).Cell() }
