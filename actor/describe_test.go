package actor_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestReports_NameTheActor: reports and their log lines have the number of the actor and the first
// of its names; for an actor that has ended, the first of its names at its end.
func TestReports_NameTheActor(t *testing.T) {
	var dead letters
	var crash atomic.Pointer[actor.PanicReport]
	sys := start(t, dead.option(), actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
		crash.Store(&p)
	}}))
	r, err := puppetType.SpawnNamed(sys, "bob", puppet{})
	must(t, err)
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		must(t, c.Register("robert"))
		panic("boom")
	})
	count.Send(sys, r, 1)
	quiet(t, sys)
	equal(t, "in the panic", crash.Load().Name, "bob")
	equal(t, "in the dead letter", dead.last.Load().Name, "bob")
	equal(t, "number", dead.last.Load().ActorID, r.ID())
	_, err = actor.Lookup[puppet](sys, "bob")
	wants(t, err, actor.ErrNoName)

	unnamed := puppetType.Spawn(sys, puppet{})
	in2 := func(f func(c *actor.Context)) {
		_, err := try.Ask(soon(t), unnamed, func(_ *puppet, c *actor.Context) (any, error) {
			f(c)
			return nil, nil
		})
		must(t, err)
	}
	in2(func(c *actor.Context) { must(t, c.Register("a")); must(t, c.Register("b")) })
	in2(func(c *actor.Context) { c.Unregister("a") })
	actor.Stop(sys, unnamed)
	quiet(t, sys)
	count.Send(sys, unnamed, 1)
	equal(t, "the name that was left", dead.last.Load().Name, "b")
}

// TestReports_InTheLog: the lines have the attributes actor, type and name.
func TestReports_InTheLog(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	r, err := puppetType.SpawnNamed(sys, "bob", puppet{})
	must(t, err)
	do.Send(sys, r, func(*puppet, *actor.Context) { panic("boom") })
	quiet(t, sys)
	count.Send(sys, r, 1)
	for _, msg := range []string{"behaviour panicked", "dead letter"} {
		if want := fmt.Sprintf("msg=\"gallop: %s\" actor=%d type=puppet name=bob behaviour=", msg,
			r.ID()); !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, log.String())
		}
	}
}

// TestContext_Logger: "Its lines have the attributes actor, … and type. They also have name … and
// path …, if the actor has them." The logger is "made at the first call, and again when the actor
// gets its first name or gives it up".
func TestContext_Logger(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	r := puppetType.Spawn(sys, puppet{})
	var first, again, named *slog.Logger
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		first, again = c.Logger(), c.Logger()
		c.Logger().Info("one")
		must(t, c.Register("bob"))
		named = c.Logger()
		c.Logger().Warn("two", "n", 2)
		c.Unregister("bob")
		c.Logger().Info("three")
	})
	quiet(t, sys)
	equal(t, "the same", first, again)
	equal(t, "another", first != named, true)
	for _, want := range []string{
		fmt.Sprintf("level=INFO msg=one actor=%d type=puppet\n", r.ID()),
		fmt.Sprintf("level=WARN msg=two actor=%d type=puppet name=bob n=2\n", r.ID()),
		fmt.Sprintf("level=INFO msg=three actor=%d type=puppet\n", r.ID()),
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, log.String())
		}
	}
	panics(t, "Logger", func() { (*actor.Context)(nil).Logger() })
}

// TestBestEffort: "Their dead letters are counted … and reported to [Hooks] like any other. Without
// such a hook they are logged at level DEBUG instead of WARN".
func TestBestEffort(t *testing.T) {
	var log lockedBuffer
	sys := start(t, actor.WithLogger(slog.New(slog.NewTextHandler(&log,
		&slog.HandlerOptions{Level: slog.LevelDebug}))))
	r := leaverType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), r))
	for range 3 {
		leaverBye.Send(sys, r, struct{}{})
	}
	leaverPay.Send(sys, r, 1)
	inside(t, sys, func(c *actor.Context) { leaverBye.Send(c, r, struct{}{}) })
	st := sys.Stats()
	equal(t, "dead letters", st.DeadLetters, 5)
	equal(t, "of best effort", st.BestEffort, 4)
	s := log.String()
	equal(t, "warnings", strings.Count(s, "level=WARN"), 1)
	equal(t, "the warning counts its own", strings.Count(s,
		`level=WARN msg="gallop: dead letter" `) == 1 &&
		strings.Contains(s, `type=leaver behaviour=pay`), true)
	equal(t, "lines for debugging", strings.Count(s, "level=DEBUG"), 3) // the 1st, 2nd and 4th

	var dead letters
	sys = start(t, dead.option())
	r = leaverType.Spawn(sys, puppet{})
	must(t, actor.StopWait(soon(t), r))
	leaverBye.Send(sys, r, struct{}{})
	equal(t, "heardBy", dead.n.Load(), 1)
	equal(t, "as what it is", dead.last.Load().BestEffort, true)
}

var (
	leaverType = actor.NewType[puppet]("leaver")
	leaverBye  = actor.Declare[struct{}](leaverType, "bye", actor.BestEffort())
	leaverPay  = actor.Declare[int](leaverType, "pay")
	_          = leaverType.Table(leaverBye.Handle(func(*puppet, *actor.Context, struct{}) {}),
		leaverPay.Handle((*puppet).Count))
)
