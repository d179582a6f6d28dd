//go:build gallop_figures

package actor

import (
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
)

// TestIntercept_AllocatesNothing: an intercepted message allocates nothing.
func TestIntercept_AllocatesNothing(t *testing.T) {
	counted := NewType[int]("counted", WithInterceptor(Interceptor{
		Before: func(*Context, *Invocation) error { return nil },
		After:  func(*Context, *Invocation, Outcome) {},
	}))
	add := Declare[int](counted, "add")
	counted.Table(add.Handle(func(s *int, _ *Context, n int) { *s += n }))
	sys := Start(WithWorkers(1))
	defer sys.Stop()
	r := counted.Spawn(sys, 0)
	drive := NewType[int]("driver")
	begin := Declare[float64](drive, "begin")
	done := make(chan float64)
	drive.Table(begin.Handle(func(_ *int, in *Context, _ float64) {
		c := in.kernel()
		run := r.target().Runs()[kernel.AnyBehaviour(add).Descriptor().ID]
		m := c.Node(kernel.AnyBehaviour(add).Descriptor().Size)
		m.ID = kernel.AnyBehaviour(add).Descriptor().ID
		done <- testing.AllocsPerRun(100, func() { run(c, r.target(), m) })
	}))
	begin.Send(sys, drive.Spawn(sys, 0), 0)
	if n := <-done; n != 0 {
		t.Errorf("%v objects are allocated for an intercepted message", n)
	}
}
