package actor_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// waitLog starts a system on a clock of its own. It returns the system, the clock, and the log with
// its warnings of long waits.
func waitLog(t *testing.T, opts ...actor.Option) (*actor.System, *actor.VirtualClock,
	*lockedBuffer) {
	var log lockedBuffer
	clock := actor.NewVirtualClock(time.Unix(1_000_000_000, 0))
	sys := start(t, append(opts, actor.WithClock(clock), actor.WithWorkers(2),
		actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
	return sys, clock, &log
}

const longWaits = `level=WARN msg="gallop: actors have waited for long"`

// TestWaitWatch_Muted: an actor that is muted for more than a second causes a warning, which names
// the receiver.
func TestWaitWatch_Muted(t *testing.T) {
	sys, clock, log := waitLog(t)
	o := overload(t, sys)
	muted := o.mute(t, sys)
	clock.Jump(400 * time.Millisecond)
	clock.Jump(400 * time.Millisecond)
	equal(t, "lines before a second has passed", strings.Count(log.String(), longWaits), 0)
	clock.Jump(time.Second)
	want := fmt.Sprintf(`who="puppet#%d is muted for slow#%d" waits=1 at_least=`, muted.ID(),
		o.ref.ID())
	if s := log.String(); strings.Count(s, longWaits) != 1 || !strings.Contains(s, want) {
		t.Fatalf("want %q once, in\n%s", want, s)
	}
	for range 100 { // an hour: the 2nd, 4th, 8th … line
		clock.Jump(36 * time.Second)
	}
	if n := strings.Count(log.String(), longWaits); n < 3 || n > 8 {
		t.Errorf("%d lines in an hour:\n%s", n, log.String())
	}
	o.release()
	quiet(t, sys)
	for range 10 {
		clock.Jump(12 * time.Hour)
	}
	if at, armed := clock.Next(); armed {
		t.Errorf("the watch looks on, in %v, though nobody waits", at)
	}
	n := strings.Count(log.String(), longWaits)
	o = overload(t, sys)
	o.mute(t, sys)
	clock.Jump(2 * time.Second)
	equal(t, "lines about the next", strings.Count(log.String(), longWaits), n+1)
}

// TestWaitWatch_Asks: an actor that waits for a reply in its turn causes a warning, too.
func TestWaitWatch_Asks(t *testing.T) {
	sys, clock, log := waitLog(t)
	asks, asked := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	stay, there := make(chan struct{}), make(chan struct{})
	do.Send(sys, asks, func(_ *puppet, c *actor.Context) {
		_, _ = try.Ask(soon(t), asked, func(*puppet, *actor.Context) (any, error) {
			close(there)
			<-stay
			return nil, nil
		})
	})
	receive(t, "the request to run", there)
	eventually(t, "the caller waits", func() bool { _, armed := clock.Next(); return armed })
	clock.Jump(2 * time.Second)
	want := fmt.Sprintf(`who="puppet#%d waits in Ask for puppet#%d" waits=1`, asks.ID(), asked.ID())
	if s := log.String(); strings.Count(s, longWaits) != 1 || !strings.Contains(s, want) {
		t.Errorf("want %q once, in\n%s", want, s)
	}
	close(stay)
	quiet(t, sys)
	sys.Stop()
	clock.Jump(time.Hour)
	equal(t, "lines", strings.Count(log.String(), longWaits), 1)
}

// TestWaitWatch_Short: many short waits in a row do not count as a long one.
func TestWaitWatch_Short(t *testing.T) {
	sys, clock, log := waitLog(t)
	for range 20 {
		o := overload(t, sys)
		o.mute(t, sys)
		clock.Jump(300 * time.Millisecond)
		o.release()
		quiet(t, sys)
	}
	equal(t, "lines", log.String(), "")
}

// TestWaitWatch_Deterministic: a deterministic run has no watch, because the watch would let its
// time pass.
func TestWaitWatch_Deterministic(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	r := slowType.Spawn(sys, puppet{})
	var before, after time.Time
	inside(t, sys, func(c *actor.Context) { before = c.Now() })
	for range 50 {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			for range 10 {
				slowDo.Send(c, r, func(*puppet, *actor.Context) {})
			}
		})
	}
	quiet(t, sys)
	inside(t, sys, func(c *actor.Context) { after = c.Now() })
	equal(t, "mutes", sys.Stats().Mutes > 0, true)
	equal(t, "time passed", after.Sub(before), 0)
}
