package actor_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// readers runs two actors with a batch of six that get ten messages each. It returns their acts, in
// order. If the mail is mixed, every other message has another layout, and the first actor has the
// event with its third message. They share a thread, whose turns are not cut short however long it
// is halted.
func readers(t *testing.T, mixed bool, event deed) (story []string) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), actor.WithBatch(6), dead.option(),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	sender := pinnedType.Spawn(sys, puppet{})
	_, err := pinnedTry.Ask(soon(t), sender, func(_ *puppet, c *actor.Context) (any, error) {
		for _, name := range []string{"a", "b"} {
			n := 0 // how many of the odd messages have run
			r := pinnedType.Spawn(c, puppet{note: func(*actor.Context, actor.Result[any]) { n++ }})
			for i := range 10 {
				switch {
				case i%2 == 0:
					pinnedDo.Send(c, r, func(p *puppet, c *actor.Context) {
						story = append(story, fmt.Sprint(name, i, " ", n))
						if name == "a" && i == 2 {
							event(p, c)
						}
					})
				case mixed:
					pinnedNote.Send(c, r, actor.Result[any]{})
				default:
					pinnedDo.Send(c, r, func(*puppet, *actor.Context) { n++ })
				}
			}
		}
		return nil, nil
	})
	must(t, err)
	_ = sys.Wait(soon(t))
	sys.Stop() // if the system stops already, Wait does not wait for all messages
	return append(story, fmt.Sprint(sys.Stats().Messages-1, " run, ", dead.n.Load(), " dead"))
}

// TestTurn_OfMixedMail: messages of different layouts run one by one, messages of one layout in
// segments. The turns of both kinds end at the same message, also if an event comes in the middle of
// a turn.
func TestTurn_OfMixedMail(t *testing.T) {
	const (
		whole   = "[a0 0 a2 1 a4 2 b0 0 b2 1 b4 2 a6 3 a8 4 b6 3 b8 4 20 run, 0 dead]"
		more    = "[a0 0 a2 1 a4 2 b0 0 b2 1 b4 2 a6 3 a8 4 b6 3 b8 4 21 run, 0 dead]"
		cut     = "[a0 0 a2 1 b0 0 b2 1 b4 2 a4 2 a6 3 a8 4 b6 3 b8 4 20 run, 0 dead]"
		ended   = "[a0 0 a2 1 b0 0 b2 1 b4 2 b6 3 b8 4 13 run, 7 dead]"
		stopped = "[a0 0 a2 1 3 run, 17 dead]"
	)
	for name, c := range map[string]struct {
		event deed
		want  string
	}{
		"nothing":  {func(*puppet, *actor.Context) {}, whole},
		"it stops": {func(_ *puppet, c *actor.Context) { c.Stop() }, ended},
		"is stopped": {func(_ *puppet, c *actor.Context) {
			actor.Stop(c, actor.Self[puppet](c))
		}, ended},
		"it panics":  {func(*puppet, *actor.Context) { panic("at the third") }, ended},
		"no gas":     {func(_ *puppet, c *actor.Context) { c.Gas(actor.DefaultGas) }, cut},
		"little gas": {func(_ *puppet, c *actor.Context) { c.Gas(actor.DefaultGas - 4) }, cut},
		"pressure":   {func(_ *puppet, c *actor.Context) { c.ApplyPressure() }, whole},
		"more for it": {func(_ *puppet, c *actor.Context) {
			pinnedNote.Send(c, actor.Self[puppet](c), actor.Result[any]{})
		}, more},
		"the system stops": {func(_ *puppet, c *actor.Context) {
			go c.System().Stop()
			eventually(t, "it is to yield", c.ShouldYield)
		}, stopped},
	} {
		for _, mixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/mixed=%v", name, mixed), func(t *testing.T) {
				equal(t, "the story", fmt.Sprint(readers(t, mixed, c.event)), c.want)
			})
		}
	}
}

// TestTurn_OfOneIsPaidFor: a worker whose turns have one message each reads the clock from time to
// time, publishes its counters, and lets other goroutines run.
func TestTurn_OfOneIsPaidFor(t *testing.T) {
	n := scaled(1_000_000)
	sys := start(t, actor.WithWorkers(1))
	pair := [2]actor.Ref[puppet]{puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})}
	var then actor.Stats
	left := n
	var hit deed
	hit = func(_ *puppet, c *actor.Context) {
		if left--; left == 0 {
			then = sys.Stats()
			return
		}
		do.Send(c, pair[left%2], hit)
	}
	do.Send(sys, pair[n%2], hit)
	quiet(t, sys)
	const budget = 4096 // messages between two readings, at most
	if then.Messages+2*budget < uint64(n) || figures && then.Workers[0].Yields == 0 {
		t.Errorf("of %d messages %d were shown, and others were let run %d times", n, then.Messages,
			then.Workers[0].Yields)
	}
}

// TestHasMail: hasMail reports whether another message follows the running one in the turn. The
// scheduler uses that. Messages of other layouts count too. A batch of one ends the turn.
func TestHasMail(t *testing.T) {
	for _, c := range []struct {
		batch int
		mixed bool
		want  string
	}{
		{8, false, "[true true true false]"},
		{8, true, "[true true true false]"},
		{1, false, "[false false false false]"},
	} {
		sys := start(t, actor.WithWorkers(1), actor.WithBatch(c.batch))
		sender := pinnedType.Spawn(sys, puppet{})
		var got []bool
		count := func(_ *puppet, c *actor.Context) { got = append(got, actor.HasMail(c)) }
		_, err := pinnedTry.Ask(soon(t), sender, func(_ *puppet, at *actor.Context) (any, error) {
			r := pinnedType.Spawn(at, puppet{note: func(c *actor.Context, _ actor.Result[any]) { count(nil, c) }})
			for i := range 4 {
				if c.mixed && i%2 == 1 {
					pinnedNote.Send(at, r, actor.Result[any]{})
				} else {
					pinnedDo.Send(at, r, count)
				}
			}
			return nil, nil
		})
		must(t, err)
		must(t, sys.Wait(soon(t)))
		equal(t, fmt.Sprintf("a turn of %d had more in hand", c.batch), fmt.Sprint(got), c.want)
	}
}
