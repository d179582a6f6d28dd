package actor

import "testing"

// TestIntercept_Free: types without interceptors have the same table as in a runtime without
// interceptors.
func TestIntercept_Free(t *testing.T) {
	plain := NewType[int]("plain")
	add := Declare[int](plain, "add")
	plain.Table(add.Handle(func(s *int, _ *Context, n int) { *s += n }))
	calls := 0
	counted := NewType[int]("counted", WithInterceptor(Interceptor{
		Before: func(*Context, *Invocation) error { calls++; return nil },
		After:  func(*Context, *Invocation, Outcome) { calls++ },
	}))
	addCounted := Declare[int](counted, "add")
	counted.Table(addCounted.Handle(func(s *int, _ *Context, n int) { *s += n }))
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	if a := plain.Spawn(sys, 0).target(); &a.Runs()[0] != &infoOf(plain).Table.Runs[0] {
		t.Error("a type without interceptors has another table")
	}
	r := counted.Spawn(sys, 0)
	if &r.target().Runs()[0] == &infoOf(counted).Table.Runs[0] {
		t.Error("a type with interceptors has its plain table")
	}
	addCounted.Send(sys, r, 1)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if calls != 2 {
		t.Errorf("intercepted %d times", calls)
	}
}
