package actors_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestJoin_Bound: a system whose workers are bound to processors has no processes, since no
// coroutine can be switched to on a locked thread. Join says so.
func TestJoin_Bound(t *testing.T) {
	sys := actor.Start(actor.WithCPUBinding(), actor.WithWorkers(2))
	defer sys.Stop()
	panics(t, "Join of a system WithCPUBinding", func() { actors.Join(sys) })
}

// TestThreadLocked_Behaviour: a behaviour that leaves its thread locked does no harm to processes,
// which its worker runs afterwards.
func TestThreadLocked_Behaviour(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		ended := 0
		for range 20 {
			in(sys, r, func(*puppet, *actor.Context) { runtime.LockOSThread() })
			process.Go(actors.Join(sys), func(p *process.Proc) {
				for range 5 {
					p.Sleep(time.Microsecond)
				}
				p.Blocking(func() { ended++ })
			})
			quiet(t, sys)
		}
		equal(t, "processes that ended", ended, 20)
	})
}

// TestThreadLocked_Sender: a process that has locked its thread and sends to an actor, or asks it,
// ends by a misuse panic.
func TestThreadLocked_Sender(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("not known on this machine") // there is no assembly for it
	}
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		for name, f := range map[string]func(p *process.Proc, s actor.Sender){
			"send": func(_ *process.Proc, s actor.Sender) { take.Send(s, r, 1) },
			"call": func(p *process.Proc, _ actor.Sender) { _, _ = actors.Call(p, double, r, 1) },
			"ask":  func(*process.Proc, actor.Sender) { _, _ = double.Ask(context.Background(), r, 1) },
		} {
			t.Run(name, func(t *testing.T) {
				reason := run(t, sys, func(p *process.Proc) {
					s := actors.Sender(p)
					runtime.LockOSThread()
					f(p, s)
				})
				if _, panicked := process.Panicked(reason); !panicked {
					t.Errorf("the reason is %v", reason)
				}
			})
		}
	})
}
