package actors_test

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
	"github.com/gallop-go/gallop/supervise"
)

// panics runs f and checks the value of its panic.
func panics(t *testing.T, say string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		text := fmt.Sprint(recover())
		if !strings.HasPrefix(text, "gallop: ") || !strings.Contains(text, say) {
			t.Errorf("panics with %q, want %q", text, say)
		}
	}()
	f()
}

// TestMisuse: objects that belong to a process or to a turn panic elsewhere, at the call.
func TestMisuse(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, r := actors.Join(sys), puppetType.Spawn(sys, puppet{})
		var lent *process.Self[int]
		var sender actor.Sender
		var env process.Env
		ref := process.Spawn(procs, func(self *process.Self[int]) {
			lent, sender = self, actors.Sender(self)
			self.Receive()
		})
		quiet(t, sys)
		ran := 0
		in(sys, r, func(_ *puppet, c *actor.Context) {
			env = actors.Env(c)
			panics(t, "Receive with a process that does not run here", func() { lent.Receive() })
			panics(t, "Send with a process", func() { take.Send(sender, r, 1) })
			panics(t, "with a process that does not run here", func() { actors.Link(lent, r) })
			ran++
		})
		quiet(t, sys)
		in(sys, r, func(*puppet, *actor.Context) {
			panics(t, "an Env of a turn that is over", func() { ref.Send(env, 1) })
			ran++
		})
		quiet(t, sys)
		panics(t, "Send with a process", func() { take.Send(sender, r, 1) })
		panics(t, "Link by a goroutine", func() { actors.Link(procs.Goroutine(), r) })
		panics(t, "Join of a nil or zero System", func() { actors.Join(new(actor.System)) })
		other := process.Start(process.Config{Workers: 1})
		defer other.Stop()
		p := process.Go(other, func(p *process.Proc) {
			panics(t, "not joined", func() { actors.Sender(p) })
			ran++
		})
		panics(t, "not joined", func() { actors.Ref(sys, p) })
		if err := other.Wait(t.Context()); err != nil || ran != 3 {
			t.Errorf("%v, %d ran", err, ran)
		}
	})
}

// TestMisuse_Child: a declaration of a child that is wrong panics where it stands, and not at each start.
func TestMisuse_Child(t *testing.T) {
	for say, child := range map[string]func(){
		"Child: f is nil":     func() { actors.Child[int]("child", 0, nil) },
		"Child: a nil option": func() { actors.Child("child", 0, idle, nil) },
		"Child: a bound and":  func() { actors.Child("child", 0, idle, process.WithBound(1), process.WithWatermarks(2, 1)) },
	} {
		panics(t, say, child)
	}
	options := []process.Option{process.WithBound(1)}
	var starts atomic.Int32
	child := actors.Child("child", 0, func(self *process.Self[int]) {
		starts.Add(1)
		self.Receive()
	}, options...)
	options[0] = nil // is the caller's
	sys := actor.Start(quietLogger, quietLetters)
	defer sys.Stop()
	supervise.Start(sys, quick(child))
	if err := sys.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	equal(t, "starts", starts.Load(), int32(1))
}

// TestCycles: start–stop cycles with suspended processes, their proxies and requests that are not
// answered leave no goroutine: TestMain counts them.
func TestCycles(t *testing.T) {
	cycles := 1000
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		cycles = 100_000
	}
	for i := range cycles {
		sys, unwound := actor.Start(actor.WithWorkers(1+i%2), quietLetters), 0
		r := puppetType.Spawn(sys, puppet{})
		process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			defer func() { unwound++ }()
			actors.Link(self, r)
			if v, err := actors.Call(self, double, r, 1); v != 2 || err != nil {
				t.Error(v, err)
			}
			self.Receive()
		})
		if err := sys.Run(); err != nil || unwound != 1 {
			t.Fatalf("cycle %d: %v, %d unwound", i, err, unwound)
		}
	}
}
