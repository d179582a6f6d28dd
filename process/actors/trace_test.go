package actors_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// said runs a scenario in its plainest order, and returns the output of the run.
func said(t *testing.T, scenario func(r *actortest.R), o ...actortest.Option) (failed bool, text string) {
	d := &mock{TB: t}
	actortest.Run(d, scenario, append([]actortest.Option{actortest.WithRuns(1),
		actortest.WithStrategies(actortest.Exhaustive(0)), actortest.WithTrace(-1)}, o...)...)
	return d.failed, d.text.String()
}

// orders is a scenario with all that a process does and others see.
func orders(r *actortest.R) {
	procs := actors.Join(r.System())
	a, p := accountType.Spawn(r.System(), account{}), puppetType.Spawn(r.System(), puppet{})
	clerk := process.Spawn(procs, func(self *process.Self[string]) {
		deposit.Send(actors.Sender(self), a, 10)
		self.Receive()
		n, err := actors.Call(self, balance, a, struct{}{})
		if n != 10 || err != nil {
			r.Errorf("balance: %d, %v", n, err)
		}
		helper := process.Spawn(self, func(self *process.Self[string]) { self.Receive() })
		helper.Send(self, "help")
		self.Receive()
		self.Exit(errors.New("enough"))
	})
	clerk.Send(procs, "from the scenario")
	in(r.System(), p, func(_ *puppet, c *actor.Context) { clerk.Send(actors.Env(c), "from a puppet") })
	r.Quiet()
	clerk.Send(procs, "too late")
	r.Quiet()
	r.Errorf("look")
}

// TestTrace: operations, messages and ends of processes are events of a run: with the message, and
// with the process or the actor that has sent it.
func TestTrace(t *testing.T) {
	_, text := said(t, orders)
	for _, want := range []string{
		"worker 0  process#32.start under process#16\n",
		"account#1.deposit 10 from process#16\n",
		`process#16.message "from the scenario" from outside` + "\n",
		"account#1.balance from process#16\n",
		`process#32.message "help" from process#16` + "\n",
		"process#32 ends\n",
		`process#16.message "from a puppet" from puppet#2` + "\n",
		"process#16 ends: enough\n",
		`process#16.message "too late" from outside: dead letter` + "\n",
		"process#16.Receive\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "from itself") {
		t.Errorf("a process is taken for an actor of the same number:\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "diagram")
	f := flag.Lookup("gallop.diagram")
	defer f.Value.Set("")
	f.Value.Set(file)
	said(t, orders)
	diagram, err := os.ReadFile(file)
	for _, want := range []string{" as process#35;16\n", " as process#35;32\n", " deposit 10\n"} {
		if err != nil || !strings.Contains(string(diagram), want) {
			t.Errorf("want %q in\n%s, %v", want, diagram, err)
		}
	}
}

// TestCounts: messages to processes are counted in every case. A run passes in which a process ends
// with mail, keeps mail that does not match, or refuses some.
func TestCounts(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		procs, got := actors.Join(r.System()), 0
		ends := process.Spawn(procs, func(self *process.Self[int]) { self.Receive() })
		waits := process.Spawn(procs, func(self *process.Self[int]) {
			for {
				got += self.ReceiveMatch(func(n int) bool { return n > 2 })
			}
		})
		bounded := process.Spawn(procs, func(self *process.Self[int]) {
			self.Sleep(1)
			self.Watch(ends.Process, func(process.Down) int { return 0 })
			for {
				self.Receive()
			}
		}, process.WithBound(1))
		for n := range 5 {
			for _, to := range []process.Ref[int]{ends, waits, bounded} {
				to.Send(procs, n)
				_ = to.TrySend(procs, n)
			}
		}
		in(r.System(), puppetType.Spawn(r.System(), puppet{}), func(_ *puppet, c *actor.Context) {
			ends.Send(actors.Env(c), 7)
			process.Go(actors.Env(c), func(p *process.Proc) {
				_ = bounded.SendWait(p, 1)
				bounded.Send(p, 2)
			})
		})
		r.Advance(1)
		ends.Send(procs, 8)
		r.Quiet()
		if got != 2*(3+4) {
			r.Errorf("received %d", got)
		}
	})
}
