package actors_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// on returns a system on a virtual clock, which it moves with a limit of real time.
func onVirtualTime(t *testing.T, o ...actor.Option) (sys *actor.System, advance func(time.Duration)) {
	clock := actor.NewVirtualClock(time.Time{})
	sys = actor.Start(append([]actor.Option{actor.WithClock(clock), quietLogger, quietLetters}, o...)...)
	t.Cleanup(sys.Stop)
	logOf[sys] = &logs{make(chan string, 10)}
	t.Cleanup(func() { delete(logOf, sys) })
	return sys, func(d time.Duration) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := clock.Advance(ctx, d); err != nil {
			t.Fatalf("Advance(%v): %v; %v", d, err, sys.Why())
		}
	}
}

// TestUnwinding_VirtualTime: virtual time passes while a process unwinds that is stopped through
// its actor, and System.Wait returns when only time could bring more. The actor ends after the
// process.
func TestUnwinding_VirtualTime(t *testing.T) {
	for name, o := range map[string]actor.Option{"workers": actor.WithWorkers(2),
		"deterministic": actor.WithDeterministic(3)} {
		t.Run(name, func(t *testing.T) {
			sys, advance := onVirtualTime(t, o)
			p := process.Go(actors.Join(sys), func(p *process.Proc) {
				defer p.Sleep(time.Second)
				process.Select(p)
			})
			quiet(t, sys)
			ref := actors.Ref(sys, p)
			in(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				actor.Watch(c, ref, downs)
			})
			actor.Stop(sys, ref)
			equal(t, "heard", quiet(t, sys), []string(nil))
			advance(time.Second - 1)
			if reason, over := p.Result(); over {
				t.Errorf("ended ahead of time: %v", reason)
			}
			equal(t, "heard", quiet(t, sys), []string(nil))
			advance(1)
			reason, over := p.Result()
			equal(t, "ended", over, true)
			equal(t, "reason", reason, actor.ErrShutdown)
			equal(t, "heard", quiet(t, sys), []string{actor.ErrShutdown.Error()})
		})
	}
}

// TestUnwinding_Child: a process that is a child of a supervisor and takes too long is killed at
// its deadline, also by virtual time. The supervisor and its supervisors do not keep time from
// passing.
func TestUnwinding_Child(t *testing.T) {
	sys, advance := onVirtualTime(t, actor.WithWorkers(2))
	var p process.Process
	slow := actors.Child("slow", 3*time.Second, func(self *process.Self[int]) {
		p = self.Process()
		defer self.Sleep(time.Hour)
		self.Receive()
	})
	boss := supervise.Start(sys, supervise.Spec{Children: []supervise.Child{supervise.Spec{
		Name: "inner", Children: []supervise.Child{slow}}}})
	quiet(t, sys)
	actor.Stop(sys, boss)
	quiet(t, sys)
	advance(3*time.Second - 1)
	if _, over := p.Result(); over {
		t.Error("killed ahead of time")
	}
	advance(1)
	reason, over := p.Result()
	equal(t, "ended", over, true)
	equal(t, "reason", reason, process.ErrKilled)
	equal(t, "error", boss.Wait(t.Context()), error(nil))
}

// TestUnwinding_NoWorker: a process that is stopped through its actor keeps no worker, and no place
// among the behaviours that block: any number may unwind at a time.
func TestUnwinding_NoWorker(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(1), actor.WithMaxBlocked(1), quietLogger, quietLetters)
	defer sys.Stop()
	const many = 100
	procs, leave := actors.Join(sys), process.NewChan[int](0)
	var refs []actor.AnyRef
	for range many {
		refs = append(refs, actors.Ref(sys, process.Go(procs, func(p *process.Proc) {
			defer leave.Recv(p)
			process.Select(p)
		})))
	}
	equal(t, "error", sys.Wait(t.Context()), error(nil))
	for _, r := range refs {
		actor.Stop(sys, r)
	}
	// The only worker would wait with the process that blocks one too many.
	n, err := double.Ask(t.Context(), puppetType.Spawn(sys, puppet{}), 2)
	equal(t, "reply", n, 4)
	equal(t, "error", err, error(nil))
	for g := procs.Goroutine(); len(refs) > 0; refs = refs[1:] {
		leave.Send(g, 1)
	}
	equal(t, "error", sys.Wait(t.Context()), error(nil))
}
