package guard

import (
	"context"
	"fmt"
	"time"
	"unsafe"
)

// Context is a context of the user's that the runtime asks, or that package context asks on its
// behalf in goroutines of its own. If a method of it panics, that has an answer: no deadline, no
// end, no value; and from Err, as long as it panics, an error that says so.
type Context struct{ context.Context }

// Err implements context.Context.
func (c Context) Err() error { return Err(c.Context) }

// Value implements context.Context.
func (c Context) Value(key any) any { return Value(c.Context, key) }

// Deadline implements context.Context.
func (c Context) Deadline() (at time.Time, ok bool) {
	defer func() {
		if recover() != nil {
			at, ok = time.Time{}, false
		}
	}()
	return c.Context.Deadline()
}

// Done implements context.Context.
func (c Context) Done() (done <-chan struct{}) {
	defer func() {
		if recover() != nil {
			done = nil
		}
	}()
	return c.Context.Done()
}

// String implements fmt.Stringer, for the names of contexts that are derived.
func (c Context) String() string { return Text(c.Context) }

// IsContext reports whether ctx can be asked: it is not nil, nor a nil pointer whose methods
// panic. It looks at the second word of ctx, since each request pays for it and package reflect
// takes ten times as much.
func IsContext(ctx context.Context) bool {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&ctx))[1] != nil || bears(ctx)
}

// bears reports whether ctx, whose value is nil, can be asked.
func bears(ctx context.Context) (it bool) {
	defer func() { _ = recover() }()
	_ = ctx.Err()
	return true
}

// Err returns the error of a context, or one that says that it panics.
func Err(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &contextError{fmt.Sprintf("gallop: Err of a context of type %T panics: %s", ctx, TextApart(v))}
		}
	}()
	return ctx.Err()
}

// contextError is why a context cannot be asked.
type contextError struct{ text string }

func (e *contextError) Error() string { return e.text }

// Value returns what a context has for a key of the runtime's, or nil if it panics.
func Value(ctx context.Context, key any) (v any) {
	defer func() {
		if recover() != nil {
			v = nil
		}
	}()
	return ctx.Value(key)
}
