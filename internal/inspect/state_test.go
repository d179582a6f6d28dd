package inspect_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// twin is a state in which both numbers are equal between two messages, and never within one.
type twin struct{ a, b int }

func (t *twin) Inspect() any { return [2]int{t.a, t.b} }

// logged is a state with a LogValue method. The Inspect method of bad panics.
type (
	logged struct{ n int }
	bad    struct{ n int }
)

func (l logged) LogValue() slog.Value { return slog.IntValue(l.n) }
func (b *bad) Inspect() any           { panic("secret") }

var (
	twinType   = actor.NewType[twin]("twin")
	step       = actor.Declare[int](twinType, "step")
	halt       = actor.Declare[chan struct{}](twinType, "halt")
	loggedType = actor.NewType[logged]("logged")
	badType    = actor.NewType[bad]("bad")
	_          = twinType.Table(
		step.Handle(func(t *twin, c *actor.Context, left int) {
			t.a++
			for range 20 {
				_ = c.Now()
			}
			if t.b++; left > 0 {
				step.Send(c, actor.Self[twin](c), left-1)
			}
		}),
		halt.Handle(func(t *twin, _ *actor.Context, stay chan struct{}) {
			t.a++
			stay <- struct{}{}
			<-stay
			t.b++
		}))
)

// TestState (O2e): the shown value is the state between two messages, while the actor works. The
// race detector finds nothing.
func TestState(t *testing.T) {
	sys := start(t)
	r := twinType.Spawn(sys, twin{})
	const steps = 50_000
	step.Send(sys, r, steps-1)
	for last := 0; last < steps; {
		s, err := inspect.State(soon(t), r.Any())
		if err != nil {
			t.Fatal(err)
		}
		v := s.Value.([2]int)
		if v[0] != v[1] || v[0] < last {
			t.Fatalf("%v after %d", v, last)
		}
		last = v[0]
		equal(t, "type", s.GoType, "inspect_test.twin")
		equal(t, "size", s.Bytes, int(reflect.TypeFor[twin]().Size()))
	}
	equal(t, "messages", sys.Stats().Messages <= steps, true)
	quiet(t, sys)
	equal(t, "messages of the user's", sys.Stats().Messages, steps)
}

// TestState_TimeOut (O2e): State does not wait for longer than its context, even for a behaviour
// that never ends, and the actor does not wait for State.
func TestState_TimeOut(t *testing.T) {
	sys := start(t)
	r := twinType.Spawn(sys, twin{})
	stay := make(chan struct{})
	halt.Send(sys, r, stay)
	<-stay
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := inspect.State(ctx, r.Any()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := inspect.Delay(ctx, r.Any()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	stay <- struct{}{}
	quiet(t, sys)
	s, err := inspect.State(soon(t), r.Any())
	equal(t, "error", err, nil)
	equal(t, "state", s.Value, any([2]int{1, 1}))
}

// TestState_Of: a muted actor is shown as well; a slog.LogValuer counts as Inspector; a state
// that is neither is not looked into; a panic is an error and harms no actor; and so is the end.
func TestState_Of(t *testing.T) {
	sys := start(t)
	s, err := inspect.State(soon(t), loggedType.Spawn(sys, logged{3}).Any())
	equal(t, "logged", s.Value.(slog.Value).Int64(), 3)
	equal(t, "error", err, nil)
	plain := dollType.Spawn(sys, doll{})
	s, err = inspect.State(soon(t), plain.Any())
	if s.Value != nil || err != nil || s.GoType != "inspect_test.doll" {
		t.Errorf("%+v, %v", s, err)
	}
	b := badType.Spawn(sys, bad{})
	if _, err = inspect.State(soon(t), b.Any()); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Error(err)
	}
	quiet(t, sys) // State has its answer before the turn ends
	equal(t, "status", b.Status(), actor.StatusIdle)
	equal(t, "panics", sys.Stats().Panics, 0)
	if err = actor.StopWait(soon(t), b); err != nil {
		t.Fatal(err)
	}
	if _, err = inspect.State(soon(t), b.Any()); !errors.Is(err, actor.ErrStopped) {
		t.Error(err)
	}
	if _, err = inspect.Delay(soon(t), b.Any()); !errors.Is(err, actor.ErrStopped) {
		t.Error(err)
	}
	sim := start(t, actor.WithDeterministic(1))
	r := dollType.Spawn(sim, doll{}).Any()
	_, err = inspect.State(soon(t), r)
	equal(t, "deterministic", err, inspect.ErrDeterministic)
	_, err = inspect.Delay(soon(t), r)
	equal(t, "deterministic", err, inspect.ErrDeterministic)
}

// TestDelay (O2g): the delay that a probe measures lies between the delays of the messages sent
// just before and just after it, for any length of the mailbox. A probe is no message.
func TestDelay(t *testing.T) {
	sys := start(t)
	for _, behind := range []int{0, 1, 100, 900} {
		r := dollType.Spawn(sys, doll{})
		release := stuck(t, sys, r)
		for range behind {
			count.Send(sys, r, 1)
		}
		var before, after struct{ sent, ran time.Time }
		before.sent = time.Now()
		do.Send(sys, r, func(*doll, *actor.Context) { before.ran = time.Now() })
		got := make(chan time.Duration)
		go func() {
			d, err := inspect.Delay(soon(t), r.Any())
			if err != nil {
				t.Error(err)
			}
			got <- d
		}()
		eventually(t, "the probe is queued", func() bool {
			return inspect.Describe(r.Any()).Queued == behind+3 // including the running message
		})
		after.sent = time.Now()
		do.Send(sys, r, func(*doll, *actor.Context) { after.ran = time.Now() })
		release()
		d := <-got
		quiet(t, sys)
		if most := after.ran.Sub(before.sent); d <= 0 || d > most {
			t.Errorf("%d: a delay of %v, of at most %v", behind, d, most)
		}
		if least := before.ran.Sub(after.sent); d < least {
			t.Errorf("%d: a delay of %v, of at least %v", behind, d, least)
		}
	}
	equal(t, "messages", sys.Stats().Messages, 4+0+1+100+900+8)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// TestDelay_Stop: a probe that waits in a mailbox when the actor ends is answered, and is no dead
// letter.
func TestDelay_Stop(t *testing.T) {
	for name, end := range map[string]func(actor.Ref[doll]){
		"stop": func(r actor.Ref[doll]) { actor.Stop(actor.SystemOf(r), r) },
		"kill": func(r actor.Ref[doll]) { actor.Kill(actor.SystemOf(r), r) },
	} {
		sys := start(t)
		r := dollType.Spawn(sys, doll{})
		release := stuck(t, sys, r)
		got := make(chan error)
		go func() { _, err := inspect.Delay(soon(t), r.Any()); got <- err }()
		eventually(t, "the probe is queued", func() bool { return inspect.Describe(r.Any()).Queued == 2 })
		end(r)
		release()
		if err := <-got; !errors.Is(err, actor.ErrStopped) {
			t.Errorf("%s: %v", name, err)
		}
		quiet(t, sys)
		equal(t, "dead letters", sys.Stats().DeadLetters, 0)
	}
}

// TestDelay_Limit (O2g): at most one probe a second for an actor, and a hundred for a system.
func TestDelay_Limit(t *testing.T) {
	sys, other := start(t), start(t)
	at := time.Now().Add(time.Hour) // later than the probes of other tests
	r := dollType.Spawn(sys, doll{})
	equal(t, "first", inspect.MayProbe(r.Any(), at), true)
	equal(t, "second", inspect.MayProbe(r.Any(), at.Add(999*time.Millisecond)), false)
	equal(t, "a second later", inspect.MayProbe(r.Any(), at.Add(time.Second)), true)
	at = at.Add(time.Minute)
	n := 0
	for range 200 {
		if inspect.MayProbe(dollType.Spawn(sys, doll{}).Any(), at) {
			n++
		}
	}
	equal(t, "in a second", n, 100)
	equal(t, "of another system", inspect.MayProbe(dollType.Spawn(other, doll{}).Any(), at), true)
}
