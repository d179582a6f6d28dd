package actors_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

func plantedPanic(v any) { panic(v) }

// TestPanic_Reported: a panic of a process is counted and given to Hooks.Panic as that of a
// behaviour is, once, with the user's frame and the stack: whether nothing watches it, an actor is
// linked to it, or it is the child of a supervisor.
func TestPanic_Reported(t *testing.T) {
	for name, o := range map[string]actor.Option{"workers": actor.WithWorkers(2),
		"deterministic": actor.WithDeterministic(3)} {
		t.Run(name, func(t *testing.T) {
			var reports []actor.PanicReport
			var n atomic.Int32
			sys := actor.Start(o, quietLogger, quietLetters, actor.WithHooks(actor.Hooks{
				Panic: func(r actor.PanicReport) { reports = append(reports, r); n.Add(1) }}))
			defer sys.Stop()
			logOf[sys] = &logs{make(chan string, 100)}
			defer delete(logOf, sys)
			procs := actors.Join(sys)
			own := errors.New("own")
			gate := process.NewChan[int](0)
			p := process.Go(procs, func(p *process.Proc) { gate.Recv(p); plantedPanic(own) })
			r := puppetType.Spawn(sys, puppet{})
			in(sys, r, func(_ *puppet, c *actor.Context) { actor.Link(c, actors.Ref(c, p)) })
			quiet(t, sys)
			gate.Close(procs)
			quiet(t, sys)
			equal(t, "reports", n.Load(), int32(1))
			equal(t, "panics", sys.Stats().Panics, uint64(1))
			got := reports[0]
			equal(t, "who", got.Type, "process")
			equal(t, "number", got.ActorID, p.ID())
			equal(t, "value", got.Value, error(own))
			if !strings.Contains(got.Frame, "plantedPanic") || !strings.Contains(string(got.Stack), "plantedPanic") ||
				strings.Contains(string(got.Stack), "coroutine") {
				t.Errorf("frame %q, stack %s", got.Frame, got.Stack)
			}
			child := actors.Child("saga", 0, func(self *process.Self[int]) { plantedPanic("in a child") })
			child.Restart = supervise.Temporary
			supervise.Start(sys, supervise.Spec{Children: []supervise.Child{child}})
			quiet(t, sys)
			equal(t, "reports with a child", n.Load(), int32(2))
		})
	}
}
