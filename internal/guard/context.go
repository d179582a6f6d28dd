package guard

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// Context wraps a user's context, for calls by the runtime and by the goroutines of package
// context. Each method calls the user's method in a goroutine of its own, and waits. If the user's
// method panics or calls runtime.Goexit, Deadline returns no deadline, Done a nil channel, Value
// nil, and Err an error that names the type of the context. [Guarded] makes a Context.
type Context struct{ context.Context }

// Guarded returns a context that the runtime may ask in the middle of its own work. The result is
// ctx itself if its methods, and those of its parents, belong to package context, os/signal or the
// runtime, as is usual. Otherwise it is a Context. A function that is given a user's context calls
// Guarded once, at its beginning. For the usual contexts Guarded costs some nanoseconds. For others
// it costs about a microsecond, and so does each call of a method of the result.
//
// If ctx has a method AfterFunc, so has the result: package context then needs no goroutine for
// each derived context.
func Guarded(ctx context.Context) context.Context {
	if isOwn(ctx) {
		return ctx
	}
	if a, ok := ctx.(afterFuncer); ok {
		return afterContext{Context{ctx}, a}
	}
	return Context{ctx}
}

// Bare returns the context that Guarded was given. It is for contexts handed to the user.
func Bare(ctx context.Context) context.Context {
	switch c := ctx.(type) {
	case Context:
		return c.Context
	case afterContext:
		return c.Context.Context
	}
	return ctx
}

// Own is implemented by contexts and handlers of the runtime, which call no user's code without a
// guard. Users cannot name a Mark, as the package is internal.
type Own interface{ Own(Mark) }

// Mark is the parameter of [Own].
type Mark struct{}

// Own implements [Own].
func (Context) Own(Mark) {}

// afterFuncer is the interface that package context looks for.
type afterFuncer interface {
	AfterFunc(f func()) (stop func() bool)
}

// afterContext is a Context with a method AfterFunc.
type afterContext struct {
	Context
	of afterFuncer
}

// AfterFunc passes f to the AfterFunc of the user's context. If that method calls f before it has
// returned, f runs in a goroutine of its own: f takes a lock that the caller of AfterFunc holds. A
// call while Err returns nil is ignored. If the user's method panics, calls runtime.Goexit or
// returns nil, f is called after Done is closed.
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
	var theirs func() bool
	Apart(func() { theirs = c.of.AfterFunc(run) })
	if theirs != nil {
		return func() bool {
			was := forget()
			Apart(func() { theirs() }) // its result is known without it
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

// Err implements context.Context. It returns context.Canceled if Done is closed and the user's Err
// returns nil: package context would panic in a goroutine of its own.
func (c Context) Err() (err error) {
	inDone := false
	f := Apart(func() {
		if err = c.Context.Err(); err != nil {
			return
		}
		inDone = true
		done := c.Context.Done()
		inDone = false
		select {
		case <-done:
			if err = c.Context.Err(); err == nil {
				err = context.Canceled
			}
		default:
		}
	})
	if f != nil && !inDone {
		return contextError{fmt.Sprintf("gallop: Err of a context of type %T %s", c.Context, f.says())}
	}
	return err
}

// contextError says why a context cannot be asked. Two are equal if their texts are.
type contextError struct{ text string }

func (e contextError) Error() string { return e.text }

// Value implements context.Context.
func (c Context) Value(key any) (v any) {
	if Apart(func() { v = c.Context.Value(key) }) != nil {
		return nil
	}
	return v
}

// Deadline implements context.Context.
func (c Context) Deadline() (at time.Time, ok bool) {
	if Apart(func() { at, ok = c.Context.Deadline() }) != nil {
		return time.Time{}, false
	}
	return at, ok
}

// Done implements context.Context.
func (c Context) Done() (done <-chan struct{}) {
	if Apart(func() { done = c.Context.Done() }) != nil {
		return nil
	}
	return done
}

// String implements fmt.Stringer, for the names of contexts that are derived.
func (c Context) String() string { return Text(c.Context) }

// IsContext reports whether ctx can be asked: it is not nil, nor a nil pointer whose methods
// panic. It looks at the second word of ctx: each request calls it, and package reflect takes ten
// times as long.
func IsContext(ctx context.Context) bool { return wordsOf(&ctx)[1] != nil || bears(ctx) }

// bears reports whether ctx, whose value is nil, can be asked.
func bears(ctx context.Context) bool {
	return ctx != nil && Apart(func() { _ = ctx.Err() }) == nil
}

// wordsOf returns the two words of a context: a pointer that identifies its type, and a pointer to
// its value.
func wordsOf(ctx *context.Context) *[2]unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(ctx))
}

// isOwn reports whether ctx can be asked without a guard: its methods, and those of the contexts
// from which it is derived, call no user's code, or guard it.
func isOwn(ctx context.Context) bool {
	for {
		w := wordsOf(&ctx)
		switch of := uintptr(w[0]); of {
		case background:
			return true
		case cancelled, timed, valued:
		default:
			l := layoutOf(of)
			if l == nil {
				l = learn(of, lookAt(ctx))
			}
			if !l.derived {
				return l.own
			}
		}
		if w[1] == nil {
			return false
		}
		ctx = *(*context.Context)(w[1])
	}
}

// The first words of the most common contexts, so that a request does not look them up in layouts:
// the results of context.Background, WithCancel, WithTimeout and WithValue.
var background, cancelled, timed, valued = usualContexts()

func usualContexts() (background, cancelled, timed, valued uintptr) {
	base := context.Background()
	withCancel, cancel := context.WithCancel(base)
	defer cancel()
	withTimeout, cancelTimer := context.WithTimeout(base, time.Hour)
	defer cancelTimer()
	return firstWord(base, false), firstWord(withCancel, true), firstWord(withTimeout, true),
		firstWord(context.WithValue(base, layout{}, nil), true)
}

// firstWord returns the first word of a context of package context. If the layout of the context is
// not as expected, it returns 1, which is the first word of no context.
func firstWord(ctx context.Context, derived bool) uintptr {
	if lookAt(ctx) != (layout{own: true, derived: derived}) {
		return 1
	}
	return uintptr(wordsOf(&ctx)[0])
}

var contextType = reflect.TypeFor[context.Context]()

// lookAt returns the layout of the type of ctx. The contexts of package context are structs whose
// first field is the parent context, if any. So is the result of signal.NotifyContext, which many
// programs use as their first context.
func lookAt(ctx context.Context) layout {
	if _, own := ctx.(Own); own || ctx == nil {
		return layout{own: own}
	}
	t := reflect.TypeOf(ctx)
	direct := t.Kind() != reflect.Pointer
	if !direct {
		t = t.Elem()
	}
	if p := t.PkgPath(); p != "context" && p != "os/signal" || t.Kind() != reflect.Struct {
		return layout{}
	}
	if direct && t.Size() <= unsafe.Sizeof(uintptr(0)) {
		return layout{own: t.Size() == 0} // its value may be in the place of the pointer
	}
	switch n := contextsIn(t); {
	case n == 0:
		return layout{own: true}
	case n == 1 && startsWithContext(t):
		return layout{own: true, derived: true}
	}
	return layout{}
}

// contextsIn returns how many contexts a struct has.
func contextsIn(t reflect.Type) (n int) {
	for i := range t.NumField() {
		switch f := t.Field(i).Type; {
		case f == contextType:
			n++
		case f.Kind() == reflect.Struct:
			n += contextsIn(f)
		}
	}
	return n
}

// startsWithContext reports whether the first field of a struct is a context.
func startsWithContext(t reflect.Type) bool {
	for t.Kind() == reflect.Struct && t.NumField() > 0 {
		t = t.Field(0).Type
	}
	return t == contextType
}
