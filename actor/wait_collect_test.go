package actor

import (
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel"
)

// TestPressureDeadlock_WaitsOfRecalled: an actor waits for an actor under pressure. It may be
// killed while the latter looks at the mail of its waiting actors.
func TestPressureDeadlock_WaitsOfRecalled(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		sys := Start(WithWorkers(3), DeadlockEvery(time.Hour),
			WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		p := holderType.Spawn(sys, holder{})
		ready := make(chan struct{})
		holderDo.Send(sys, p, func(_ *holder, c *Context) { c.ApplyPressure(); close(ready) })
		<-ready
		var all []Ref[holder]
		for range 8 {
			r := holderType.Spawn(sys, holder{})
			holderDo.Send(sys, r, func(_ *holder, c *Context) {
				holderDo.Send(c, p, func(*holder, *Context) {})
			})
			for !r.target().BlockedOn.Parked() {
				runtime.Gosched()
			}
			for range 500 {
				holderDo.Send(sys, r, func(*holder, *Context) {})
			}
			all = append(all, r)
		}
		begun, stop, done := make(chan struct{}), make(chan struct{}), make(chan any, 1)
		holderDo.Send(sys, p, func(_ *holder, c *Context) {
			defer func() { done <- recover() }()
			for close(begun); ; {
				select {
				case <-stop:
					return
				default:
					kernel.CollectWaits(c.kernel().Self)
				}
			}
		})
		<-begun
		for _, r := range all {
			Kill(sys, r)
		}
		for _, r := range all {
			for !r.target().Box.Closed() {
				runtime.Gosched()
			}
		}
		close(stop)
		if v := <-done; v != nil {
			t.Fatalf("the survey panicked: %v", v)
		}
		sys.Stop()
	}
}

// TestCell_Layout: the fields that senders write with every message share no cache line with the
// fields that the runner writes with every turn, wherever the allocation begins. The fields that
// senders read do so in one place of four. The test is for 64-bit machines.
func TestCell_Layout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 || invariant.On { // checks keep counts in every task
		return
	}
	var a kernel.Cell
	if size := unsafe.Sizeof(a); size > 96 {
		t.Errorf("a body takes %d bytes", size)
	}
	if d := unsafe.Offsetof(a.System) - unsafe.Offsetof(a.Box); d < 64 {
		t.Errorf("the box and the lane are %d bytes apart", d)
	}
	for begin := uintptr(0); begin < 64; begin += 16 {
		in := (begin + unsafe.Offsetof(a.In)) / 64
		if (begin+unsafe.Offsetof(a.Box))/64 == in {
			t.Errorf("the box and the consumer's half share a line at %d", begin)
		}
		if begin != 48 && (begin+unsafe.Offsetof(a.Gate))/64 == in {
			t.Errorf("the gate and the consumer's half share a line at %d", begin)
		}
	}
}
