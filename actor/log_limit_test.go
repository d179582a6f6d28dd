package actor_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestLog_ManyPanics: of the panics in one line of code, the 1st, 2nd, 4th, 8th and so on in a
// minute are logged, with any actors and any values. Panics in another line count apart. The hook
// is called for each of them.
func TestLog_ManyPanics(t *testing.T) {
	const many = 10_000
	panics := func(t *testing.T, opts ...actor.Option) *actor.System {
		sys := start(t, opts...)
		one := func(*puppet, *actor.Context) { panic(new(int)) }
		for range many {
			do.Send(sys, puppetType.Spawn(sys, puppet{}), one)
		}
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) {
			panic("elsewhere")
		})
		quiet(t, sys)
		equal(t, "counted", sys.Stats().Panics, many+1)
		return sys
	}
	t.Run("Log", func(t *testing.T) {
		var log lockedBuffer
		panics(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		s := log.String()
		equal(t, "lines", strings.Count(s, `msg="gallop: behaviour panicked"`), 14+1)
		for _, want := range []string{"so_far=8192", "value=elsewhere"} {
			if !strings.Contains(s, want) {
				t.Errorf("%q is not in the log", want)
			}
		}
	})
	t.Run("Hook", func(t *testing.T) {
		var calls atomic.Int64
		panics(t, actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) { calls.Add(1) }}))
		equal(t, "calls", calls.Load(), many+1)
	})
}

// TestLog_ManyHooksPanic: the same holds for panics of a hook.
func TestLog_ManyHooksPanic(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { panic("hook") }}))
	r := puppetType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), r))
	for range 100 {
		count.Send(sys, r, 1)
	}
	equal(t, "lines", strings.Count(log.String(), `msg="gallop: panic in a hook"`), 7)
}

// TestLog_DeadLetters: dead letters are counted apart for each behaviour, and from 1 again after a
// minute.
func TestLog_DeadLetters(t *testing.T) {
	sys, clock, log := waitLog(t)
	r := puppetType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), r))
	for range 100 {
		count.Send(sys, r, 1)
	}
	do.Send(sys, r, nil)
	lines := func() int { return strings.Count(log.String(), `msg="gallop: dead letter"`) }
	equal(t, "lines", lines(), 7+1)
	clock.Jump(time.Minute)
	count.Send(sys, r, 1)
	equal(t, "lines a minute later", lines(), 7+1+1)
}

// TestLog_DeadLetterFrom: "from has the number of the sender if that is an actor".
func TestLog_DeadLetterFrom(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	gone, sender := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), gone))
	do.Send(sys, gone, func(*puppet, *actor.Context) {})
	quiet(t, sys)
	if s := log.String(); strings.Contains(s, "from=") {
		t.Error(s)
	}
	do.Send(sys, sender, func(_ *puppet, c *actor.Context) { count.Send(c, gone, 1) })
	quiet(t, sys)
	if s := log.String(); !strings.Contains(s, fmt.Sprintf("from=%d", sender.ID())) {
		t.Errorf("no sender in\n%s", s)
	}
}
