package guard

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// Context is a context of the user's that the runtime asks, or that package context asks on its
// behalf in goroutines of its own. If a method of it panics, that has an answer: no deadline, no
// end, no value; and from Err, as long as it panics, an error that says so. [Guarded] makes it where
// others are derived from it.
type Context struct{ context.Context }

// Guarded returns ctx as a Context. If ctx has a method AfterFunc, so has what is returned: package
// context then needs no goroutine for each context that is derived.
func Guarded(ctx context.Context) context.Context {
	if a, ok := ctx.(afterFuncer); ok {
		return afterContext{Context{ctx}, a}
	}
	return Context{ctx}
}

// afterFuncer is what package context asks for.
type afterFuncer interface {
	AfterFunc(f func()) (stop func() bool)
}

// afterContext is a Context with a method AfterFunc.
type afterContext struct {
	Context
	of afterFuncer
}

// AfterFunc has f called as the context of the user's calls it, but never before it has returned:
// f takes a lock that the caller of AfterFunc holds. It does not believe in an end without an error.
// If the method of the user's panics, f waits for Done.
func (c afterContext) AfterFunc(f func()) (stop func() bool) {
	var once sync.Once
	var mu sync.Mutex
	returned := false // guarded by mu
	defer func() { mu.Lock(); returned = true; mu.Unlock() }()
	run := func() {
		if c.Err() == nil {
			return
		}
		mu.Lock()
		later := !returned
		mu.Unlock()
		once.Do(func() {
			if later {
				Go(f)
			} else {
				f()
			}
		})
	}
	stopped := make(chan struct{})
	forget := func() (was bool) {
		once.Do(func() { was = true; close(stopped) })
		return was
	}
	ask := func() (theirs func() bool) {
		defer func() { _ = recover() }()
		return c.of.AfterFunc(run)
	}
	if theirs := ask(); theirs != nil {
		return func() bool {
			defer func() { _ = recover() }() // what it returns is known without it
			was := forget()
			theirs()
			return was
		}
	}
	Go(func() {
		select {
		case <-c.Done():
			run()
		case <-stopped:
		}
	})
	return forget
}

// Err implements context.Context. Package context panics in a goroutine of its own if there is no
// error when Done is closed; so there is one.
func (c Context) Err() error {
	err := Err(c.Context)
	if err != nil {
		return err
	}
	select {
	case <-c.Done():
		if err = Err(c.Context); err == nil {
			err = context.Canceled
		}
	default:
	}
	return err
}

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
