package actors_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// counter is a child that registers itself and ends as it is told. starts counts its lives.
func counter(starts *atomic.Int32) func(self *process.Self[string]) {
	return func(self *process.Self[string]) {
		starts.Add(1)
		if err := process.Register("counter", self.Ref()); err != nil {
			panic(err)
		}
		doer(self)
	}
}

// quick is a supervisor that restarts at once.
func quick(children ...supervise.Child) supervise.Spec {
	return supervise.Spec{Name: "app", Children: children,
		Intensity: supervise.Intensity{Restarts: 10, Within: time.Minute}}
}

// TestChild_Restart: "the child fails if f panics or its process ends for an error, and has ended
// normally if f returns"; a supervisor restarts it accordingly.
func TestChild_Restart(t *testing.T) {
	tests := []struct {
		restart supervise.Restart
		end     string
		starts  int32
	}{
		{supervise.Permanent, "panic", 2}, {supervise.Permanent, "exit", 2},
		{supervise.Permanent, "return", 2}, {supervise.Transient, "exit", 2},
		{supervise.Transient, "return", 1}, {supervise.Temporary, "panic", 1},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.restart, " ", tt.end), func(t *testing.T) {
			onEach(t, func(t *testing.T, sys *actor.System) {
				var starts atomic.Int32
				child := actors.Child("counter", 0, counter(&starts))
				child.Restart = tt.restart
				supervise.Start(sys, quick(child))
				quiet(t, sys)
				ref, ok := process.Lookup[string](actors.Join(sys), "counter")
				equal(t, "found", ok, true)
				ref.Send(actors.Join(sys), tt.end)
				quiet(t, sys)
				equal(t, "starts", starts.Load(), tt.starts)
				_, ok = process.Lookup[string](actors.Join(sys), "counter")
				equal(t, "found", ok, tt.starts == 2)
			})
		})
	}
}

// TestChild_Group: a group restart cancels the process of a sibling, which unwinds before it is
// started again.
func TestChild_Group(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		var starts, lives, unwound atomic.Int32
		spec := quick(actors.Child("counter", 0, counter(&starts)),
			actors.Child("sibling", 0, func(self *process.Self[int]) {
				if lives.Add(1) != unwound.Load()+1 {
					t.Error("two lives at a time")
				}
				defer func() {
					self.Sleep(time.Millisecond)
					unwound.Add(1)
				}()
				idle(self)
			}))
		spec.Strategy = supervise.OneForAll
		supervise.Start(sys, spec)
		quiet(t, sys)
		ref, _ := process.Lookup[string](actors.Join(sys), "counter")
		ref.Send(actors.Join(sys), "panic")
		quiet(t, sys)
		equal(t, "starts", starts.Load(), int32(2))
		equal(t, "lives", lives.Load(), int32(2))
		equal(t, "unwound", unwound.Load(), int32(1))
	})
}

// TestChild_Stop: "Told to end, the process is cancelled, and killed if it has not unwound within
// the time that is given"; also one that is killed at once leaves no process.
func TestChild_Stop(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		var procs [3]process.Process
		stubborn := func(i int) func(*process.Self[int]) {
			return func(self *process.Self[int]) {
				procs[i] = self.Process()
				defer process.Select(self)
				idle(self)
			}
		}
		killed := actors.Child("killed", 0, stubborn(2))
		killed.Stop = supervise.KillAtOnce()
		root := supervise.Start(sys, quick(actors.Child("mild", 0, func(self *process.Self[int]) {
			procs[0] = self.Process()
			idle(self)
		}), actors.Child("stubborn", time.Millisecond, stubborn(1)), killed))
		quiet(t, sys)
		equal(t, "error", actor.StopWait(t.Context(), root), error(nil))
		quiet(t, sys)
		for i, want := range []error{actor.ErrShutdown, process.ErrKilled, process.ErrKilled} {
			reason, over := procs[i].Result()
			equal(t, fmt.Sprint("over ", i), over, true)
			if i == 0 {
				equal(t, "reason", reason, want)
			}
		}
	})
}

// TestAskTo_Life: the outcome of a request of an earlier life does not run.
func TestAskTo_Life(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs := actors.Join(sys)
		var back process.ReplyTo[int]
		ref := process.Spawn(procs, func(self *process.Self[process.ReplyTo[int]]) {
			back = self.Receive()
			self.Receive()
		})
		root := supervise.Start(sys, quick(supervise.Worker[puppet]{Name: "p", Type: puppetType}))
		quiet(t, sys)
		r, err := supervise.Find[puppet](t.Context(), root, "p")
		equal(t, "error", err, error(nil))
		in(sys, r, func(_ *puppet, c *actor.Context) {
			actors.AskTo(c, ref, func(to process.ReplyTo[int]) process.ReplyTo[int] { return to }, heard)
		})
		quiet(t, sys)
		in(sys, r, func(*puppet, *actor.Context) { panic("planted") })
		quiet(t, sys)
		back.Reply(procs, 1)
		equal(t, "heard", quiet(t, sys), []string(nil))
		equal(t, "dead letters", sys.Stats().DeadLetters, uint64(1))
	})
}
