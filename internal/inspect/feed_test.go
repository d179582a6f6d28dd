package inspect_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestDeadLetters (O3c): a million dead letters from behaviours and from outside are counted
// exactly, concurrent ones too. The type of a sender that is an actor is known.
func TestDeadLetters(t *testing.T) {
	sys := start(t)
	dead := dollType.Spawn(sys, doll{})
	if err := actor.StopWait(soon(t), dead); err != nil {
		t.Fatal(err)
	}
	f := inspect.DeadLetters(sys)
	defer f.Close()
	each := uint64(500_000)
	if testing.Short() {
		each = 50_000
	}
	sendTwice(sys, dead, int(each))
	for range 100 {
		f.Letters()
	}
	quiet(t, sys)
	count.Send(sys, dead, 1)
	all := f.Letters()
	equal(t, "groups", len(all), 2)
	equal(t, "count", all[0].Count, 2*each)
	equal(t, "from", all[0].FromType, "doll")
	equal(t, "from outside", all[1].FromType, "")
	equal(t, "count of those from outside", all[1].Count, 1)
	equal(t, "behaviour", all[0].Type+"."+all[0].Behaviour, "doll.count")
	equal(t, "reason", all[0].Reason, actor.ErrStopped.Error())
	equal(t, "total", f.Total(), 2*each+1)
	equal(t, "total of the system", sys.Stats().DeadLetters, 2*each+1)
	if all[0].Rate <= 0 || all[0].First.After(all[0].Last) {
		t.Errorf("%+v", all[0])
	}
	last, left := f.Recent()
	equal(t, "letters that are kept", len(last), 1024)
	if left == 0 || left >= 2*each {
		t.Errorf("%d were left out", left)
	}
	equal(t, "the receiver", last[0].Actor.ID, dead.ID())
	equal(t, "its ref", last[0].Ref(), dead.Any())
}

// sendTwice has two actors send so many messages each.
func sendTwice(sys *actor.System, to actor.Ref[doll], each int) {
	for range 2 {
		do.Send(sys, dollType.Spawn(sys, doll{}), func(_ *doll, c *actor.Context) {
			for range each {
				count.Send(c, to, 1)
			}
		})
	}
}

// TestDeadLetters_Groups: the number of groups is bounded, and the rest is counted together. Errors
// that cannot be compared are reasons as well.
func TestDeadLetters_Groups(t *testing.T) {
	refuse := error(nil)
	sys := start(t, actor.WithInterceptor(actor.Interceptor{
		Before: func(*actor.Context, *actor.Invocation) error { return refuse }}))
	f := inspect.DeadLetters(sys)
	r := dollType.Spawn(sys, doll{})
	odd := oddError{[]string{"odd"}}
	refuse = odd
	count.Send(sys, r, 1)
	count.Send(sys, r, 1)
	quiet(t, sys)
	refuse = errors.Join(actor.ErrSuspended)
	count.Send(sys, r, 1)
	quiet(t, sys)
	refuse = nil
	f.Close()
	f.Close()
	actor.Stop(sys, r)
	quiet(t, sys)
	count.Send(sys, r, 1)
	var reasons []string
	for _, l := range f.Letters() {
		reasons = append(reasons, l.Reason)
	}
	want := []string{"inspect_test.oddError", actor.ErrSuspended.Error()}
	if !slices.Equal(reasons, want) || f.Total() != 3 {
		t.Errorf("%q of %d, want %q", reasons, f.Total(), want)
	}
}

// oddError cannot be compared.
type oddError struct{ s []string }

func (e oddError) Error() string { return strings.Join(e.s, "") }

// TestReports: panics, long turns and deadlocks under pressure are kept, and the user's hooks
// hear of them as ever. Only the last are kept.
func TestReports(t *testing.T) {
	hooked := make(chan string, 200)
	sys := start(t, actor.WithLongTurn(time.Millisecond), actor.WithHooks(actor.Hooks{
		Panic:            func(actor.PanicReport) { hooked <- "panic" },
		LongTurn:         func(actor.LongTurnReport) { hooked <- "long turn" },
		PressureDeadlock: func(actor.PressureDeadlock) { hooked <- "deadlock" },
	}))
	panics, turns := inspect.Panics(sys), inspect.LongTurns(sys)
	deadlocks := inspect.PressureDeadlocks(sys)
	r := dollType.Spawn(sys, doll{})
	release := stuck(t, sys, r)
	hears := func(want string) { // a turn of a busy machine may be long at any time
		for h := <-hooked; h != want; h = <-hooked {
			equal(t, "hook", h, "long turn")
		}
	}
	hears("long turn")
	release()
	eventually(t, "it is there", func() bool { return len(turns.All()) > 0 })
	equal(t, "the long turn's actor", turns.All()[0].ActorID, r.ID())

	for i := range inspect.RecentReports + 3 {
		do.Send(sys, dollType.Spawn(sys, doll{}), func(*doll, *actor.Context) { panic(i) })
		quiet(t, sys)
		hears("panic")
	}
	all := panics.All()
	equal(t, "panics", len(all), inspect.RecentReports)
	equal(t, "value", all[0].Value, any("3"))
	equal(t, "total", panics.Total(), inspect.RecentReports+3)
	if len(all[0].Stack) == 0 || all[0].At.IsZero() {
		t.Errorf("%+v", all[0])
	}

	sink, source := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	do.Send(sys, sink, func(_ *doll, c *actor.Context) {
		c.ApplyPressure()
		do.Send(c, source, func(_ *doll, c *actor.Context) { count.Send(c, sink, 1) })
		do.Send(c, source, func(_ *doll, c *actor.Context) {
			do.Send(c, sink, func(_ *doll, c *actor.Context) { c.ReleasePressure() })
		})
	})
	quiet(t, sys)
	hears("deadlock")
	equal(t, "under pressure", deadlocks.All()[0].Pressed.ID, sink.ID())
	panics.Close()
	do.Send(sys, dollType.Spawn(sys, doll{}), func(*doll, *actor.Context) { panic(1) })
	quiet(t, sys)
	equal(t, "total after Close", panics.Total(), inspect.RecentReports+3)
}

// BenchmarkDeadLetters compares a dead letter with and without a feed. The log would be told of a
// few.
func BenchmarkDeadLetters(b *testing.B) {
	sys := start(b)
	dead, sender := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	if err := actor.StopWait(soon(b), dead); err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B) {
		in(b, sender, func(_ *doll, c *actor.Context) {
			for range b.N {
				count.Send(c, dead, 1)
			}
		})
	}
	b.Run("without", run)
	f := inspect.DeadLetters(sys)
	b.Run("feed", run)
	f.Close()
}
