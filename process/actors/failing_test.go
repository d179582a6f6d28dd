package actors_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestFailing: a process that panics, or that waits at the end for a reply that no other will give,
// fails a run of actortest, on the terms of actors: AllowPanics and AllowWaiting allow it.
func TestFailing(t *testing.T) {
	call := process.Call[process.ReplyTo[int], int]
	ask := func(r process.ReplyTo[int]) process.ReplyTo[int] { return r }
	keeps := func(self *process.Self[process.ReplyTo[int]]) {
		self.Receive()
		process.Select(self)
	}
	for name, c := range map[string]struct {
		say      string
		scenario func(r *actortest.R)
		allow    actortest.Option
	}{
		"panic": {"clerk#16 panicked: planted", func(r *actortest.R) {
			process.Spawn(actors.Join(r.System()), func(*process.Self[int]) { panic(errPlanted) },
				process.WithType("clerk"))
		}, actortest.AllowPanics()},
		"goexit": {"process#16 has ended its goroutine", func(r *actortest.R) {
			process.Go(actors.Join(r.System()), func(*process.Proc) { runtime.Goexit() })
		}, actortest.AllowPanics()},
		"call": {"process#32 waits for desk#16: desk#16 has not answered", func(r *actortest.R) {
			procs := actors.Join(r.System())
			desk := process.Spawn(procs, keeps, process.WithType("desk"))
			process.Go(procs, func(p *process.Proc) { _, _ = call(p, desk, ask) })
		}, actortest.AllowWaiting("desk")},
		"select": {"process#32 waits for process#16", func(r *actortest.R) {
			procs := actors.Join(r.System())
			desk := process.Spawn(procs, keeps)
			process.Go(procs, func(p *process.Proc) {
				var n int
				var err error
				process.Select(p, process.Ask(p, desk, ask).Replied(&n, &err))
			})
		}, actortest.AllowWaiting("process")},
		"actor": {" waits for puppet#1: puppet#1 has not answered", func(r *actortest.R) {
			p := puppetType.Spawn(r.System(), puppet{})
			process.Go(actors.Join(r.System()), func(self *process.Proc) {
				_, _ = actors.Call(self, later, p, make(chan int, 1))
			})
		}, actortest.AllowWaiting("puppet")},
	} {
		t.Run(name, func(t *testing.T) {
			if failed, text := said(t, c.scenario); !failed || !strings.Contains(text, c.say) {
				t.Errorf("failed: %v; want %q in\n%s", failed, c.say, text)
			}
			actortest.Run(t, c.scenario, actortest.WithRuns(20), c.allow)
		})
	}
	actortest.Run(t, func(r *actortest.R) { // a time-out may end the wait
		procs := actors.Join(r.System())
		desk := process.Spawn(procs, keeps)
		process.Go(procs, func(p *process.Proc) {
			if _, err := call(p, desk, ask, process.Within(5)); err != process.ErrTimeout {
				r.Errorf("%v", err)
			}
		})
	}, actortest.WithRuns(20))
}
