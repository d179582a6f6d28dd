package actor

import "github.com/gallop-go/gallop/internal/kernel"

// Type is an actor type: a name and a table of behaviours over a state S. Make one per
// kind of actor, at package level, with [NewType]; declare its behaviours with
// [Declare] and [DeclareAsk], and give them their methods with [Type.Table]. The first
// spawn seals the type.
//
// The zero value is not ready. A Type is safe for use by many goroutines; declare its
// behaviours before you spawn.
type Type[S any] kernel.AnyType

// TypeOption sets a property of a type when it is made.
type TypeOption interface{ setType(*kernel.TypeInfo) }

// WithPinnedThread makes all actors of this type run on one OS thread that is theirs alone,
// for libraries that insist on it (OpenGL, some C libraries). A message between a
// pinned actor and any other costs a hand-over between threads, some microseconds. A
// behaviour that calls runtime.Goexit costs the thread too, since Go ends it: the next
// behaviour runs on another.
func WithPinnedThread() TypeOption {
	return typeOption(func(t *kernel.TypeInfo) { t.Pinned = true })
}

// NewType makes an actor type. The name appears in logs and reports; it need not be
// unique. NewType panics if the name is empty, an option is nil, or the type has both
// watermarks and a bound.
func NewType[S any](name string, opts ...TypeOption) *Type[S] {
	t := new(Type[S])
	infoOf(t).Make(name, (*S)(nil), func(i *kernel.TypeInfo) {
		for _, o := range opts {
			if o == nil {
				kernel.PanicMisuse("NewType: a nil option for ", name)
			}
			o.setType(i)
		}
	})
	return t
}

// infoOf returns the untyped part of t; nil if t is nil.
func infoOf[S any](t *Type[S]) *kernel.TypeInfo {
	return (*kernel.AnyType)(t).Info()
}

// Name returns the name that the type was made with, "" for a zero Type. It panics if t
// is nil.
func (t *Type[S]) Name() string {
	if t == nil {
		kernel.PanicMisuse("Name of a nil Type", ": use NewType")
	}
	return infoOf(t).Name
}

// Entry is a behaviour with its method: a row of the dispatch table of a type over S.
// It is made by [Behaviour.Handle] and [AskBehaviour.Handle].
type Entry[S any] struct {
	decl *kernel.Descriptor
	run  kernel.RunFunc
}

// Table gives behaviours their methods and returns t. It may be called more than once,
// before the first spawn; each behaviour must get a method exactly once. Table panics
// if an entry is of another type, has its method already, or comes too late.
func (t *Type[S]) Table(entries ...Entry[S]) *Type[S] {
	i := infoOf(t).Made("Table")
	for _, e := range entries {
		i.Fill(e.decl, e.run)
	}
	return t
}
