package actor

import "testing"

// TestIntercept_Free: types without interceptors have the table that they would have if there were
// no such thing; and an intercepted message allocates nothing.
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
	if a := plain.Spawn(sys, 0).b; &a.runs()[0] != &plain.info.table.runs[0] {
		t.Error("a type without interceptors has another table")
	}
	r := counted.Spawn(sys, 0)
	if &r.b.runs()[0] == &counted.info.table.runs[0] {
		t.Error("a type with interceptors has its plain table")
	}
	drive := NewType[int]("driver")
	begin := Declare[float64](drive, "begin")
	done := make(chan float64)
	drive.Table(begin.Handle(func(_ *int, c *Context, _ float64) {
		run := r.b.runs()[addCounted.d.id]
		m := c.node(addCounted.d.size)
		m.ID = addCounted.d.id
		done <- testing.AllocsPerRun(100, func() { run(c, r.b, m) })
	}))
	begin.Send(sys, drive.Spawn(sys, 0), 0)
	if n := <-done; n != 0 {
		t.Errorf("%v objects are allocated for an intercepted message", n)
	}
	if calls == 0 {
		t.Error("nothing was intercepted")
	}
}
