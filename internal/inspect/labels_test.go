package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// labelled is an actor that looks for the labels of its own goroutine.
type labelled struct {
	right, wrong *int
}

func (l *labelled) A(c *actor.Context, _ int) {
	l.check("labelled", "a")
	actor.Yield(c, labelB, 1)
}

func (l *labelled) B(*actor.Context, int) { l.check("labelled", "b") }

// Own sets labels of its own, and leaves them as it should not.
func (l *labelled) Own(*actor.Context, int) {
	l.check("labelled", "own")
	pprof.SetGoroutineLabels(context.Background())
}

// check compares the labels of the calling goroutine with the expected ones.
func (l *labelled) check(typ, behaviour string) {
	if got := ownLabels(); got == typ+"."+behaviour {
		*l.right++
	} else {
		*l.wrong++
	}
}

var labelsOf = regexp.MustCompile(
	`# labels: \{"gallop.behaviour":"(\w+)", "gallop.type":"(\w+)"\}`)

// ownLabels returns the labels of the goroutine in which it is called, as the only one.
func ownLabels() string {
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		return err.Error()
	}
	for record := range strings.SplitSeq(all.String(), "\n\n") {
		if !strings.Contains(record, "inspect_test.ownLabels+") {
			continue
		}
		if m := labelsOf.FindStringSubmatch(record); m != nil {
			return m[2] + "." + m[1]
		}
		return ""
	}
	return "not found"
}

var (
	labelledType = actor.NewType[labelled]("labelled")
	labelA       = actor.Declare[int](labelledType, "a")
	labelB       = actor.Declare[int](labelledType, "b")
	labelOwn     = actor.Declare[int](labelledType, "own")
	_            = labelledType.Table(labelA.Handle((*labelled).A), labelB.Handle((*labelled).B),
		labelOwn.Handle((*labelled).Own))
)

// TestLabels: of a mix of behaviours, which had no labels before, the profile names the type and
// the behaviour of every single one. Behind a behaviour that takes its labels away, "up to 15
// messages … may lack theirs" if they are of the same one. The run is deterministic, since to look
// takes so long that another worker would stand in.
func TestLabels(t *testing.T) {
	for name, types := range map[string][]string{"all": nil, "one": {"labelled"}} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
			var right, wrong int
			a := labelledType.Spawn(sys, labelled{&right, &wrong})
			b := labelledType.Spawn(sys, labelled{&right, &wrong})
			labelB.Send(sys, a, 1)
			quiet(t, sys)
			equal(t, "right before", right, 0)
			wrong = 0
			inspect.Labels(sys, types...)
			for n := range 100 {
				for i, r := range []actor.Ref[labelled]{a, b} {
					switch {
					case n%10 == 3+i:
						labelOwn.Send(sys, r, n)
						labelB.Send(sys, r, n)
					case (n+i)%3 == 0:
						labelB.Send(sys, r, n)
					default:
						labelA.Send(sys, r, n)
					}
				}
				if n%7 == 0 {
					quiet(t, sys)
				}
			}
			quiet(t, sys)
			equal(t, "wrong", wrong, 0)
			if right < 200 {
				t.Errorf("only %d behaviours were looked at", right)
			}
			for range 30 {
				labelOwn.Send(sys, a, 1)
			}
			quiet(t, sys)
			if wrong > 28 {
				t.Errorf("%d of 30 behaviours lack their labels", wrong)
			}
		})
	}
}

// TestLabels_OfOthers: labels are "for the types of these names", and for one system, although the
// dispatch tables are common to all. Mutant: setLabels asks neither.
func TestLabels_OfOthers(t *testing.T) {
	var right, wrong int
	run := func(sys *actor.System) int {
		right = 0
		a := labelledType.Spawn(sys, labelled{&right, &wrong})
		for n := range 2 * 16 {
			labelA.Send(sys, a, n)
		}
		quiet(t, sys)
		return right
	}
	with := start(t, actor.WithWorkers(1))
	inspect.Labels(with, "labelled")
	if run(with) == 0 {
		t.Error("no behaviour has its labels")
	}
	unlike := start(t, actor.WithWorkers(1))
	inspect.Labels(unlike, "another")
	equal(t, "labels of another type", run(unlike), 0)
	equal(t, "labels of another system", run(start(t, actor.WithWorkers(1))), 0)
}

// BenchmarkLabels measures the cost of labels for a message, in turns of different lengths.
func BenchmarkLabels(b *testing.B) {
	for _, turn := range []int{10, 100} {
		for _, on := range []bool{false, true} {
			name := map[bool]string{false: "off", true: "on"}[on]
			b.Run(fmt.Sprintf("%s/%d", name, turn), func(b *testing.B) {
				sys := start(b, actor.WithWorkers(1))
				r := dollType.Spawn(sys, doll{})
				from := dollType.Spawn(sys, doll{})
				if on {
					inspect.Labels(sys)
				}
				do.Send(sys, from, func(_ *doll, c *actor.Context) { sendMany(c, r, turn, b.N/turn) })
				b.ResetTimer()
				quiet(b, sys)
			})
		}
	}
}

// sendMany sends messages, some in each of several turns.
func sendMany(c *actor.Context, to actor.Ref[doll], each, turns int) {
	for range each {
		count.Send(c, to, 1)
	}
	if turns > 1 {
		actor.Yield(c, do, func(_ *doll, c *actor.Context) { sendMany(c, to, each, turns-1) })
	}
}
