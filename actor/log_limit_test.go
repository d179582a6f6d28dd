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

// TestLog_DeadLetterFrom: the line of a dead letter says which actor has sent the message; also the
// type of that actor, if the message is lost in the turn that sends it.
func TestLog_DeadLetterFrom(t *testing.T) {
	sys, _, log := waitLog(t)
	gone, sender := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), gone))
	do.Send(sys, sender, func(_ *puppet, c *actor.Context) { count.Send(c, gone, 1) })
	quiet(t, sys)
	want := fmt.Sprintf("actor=%d type=puppet behaviour=count from=%d from_type=puppet reason=", gone.ID(),
		sender.ID())
	if s := log.String(); !strings.Contains(s, want) {
		t.Errorf("%q is not in the log:\n%s", want, s)
	}
}

// TestLog_AskCircle: a circle of asks is logged with all its members, in the order of the asks.
func TestLog_AskCircle(t *testing.T) {
	for name, opts := range plainAndSeeded {
		for _, n := range []int{1, 2, 3} {
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				var log lockedBuffer
				sys := start(t, append(opts, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
				all := make([]actor.Ref[puppet], n)
				want := ""
				for i := range all {
					all[i] = puppetType.Spawn(sys, puppet{})
				}
				for i := range n + 1 {
					want += fmt.Sprintf(" → puppet#%d", all[(n-1+i)%n].ID())
				}
				var next func(i int) trick
				next = func(i int) trick {
					return func(_ *puppet, c *actor.Context) (any, error) {
						if i == n-1 {
							awaitCallers(sys, n-1)
							return nil, asksInTurn["Ask"](soon(t), c, all[0], justReply)
						}
						return nil, asksInTurn["Ask"](soon(t), c, all[i+1], next(i+1))
					}
				}
				do.Send(sys, all[0], func(p *puppet, c *actor.Context) { _, _ = next(0)(p, c) })
				endsQuiet(t, sys)
				want = "circle=\"" + strings.TrimPrefix(want, " → ") + "\""
				if s := log.String(); strings.Count(s, want) != 1 {
					t.Errorf("%q is not in the log once:\n%s", want, s)
				}
			})
		}
	}
}
