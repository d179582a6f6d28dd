package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/supervise"
)

// logged is a test whose log is kept.
type logged struct {
	testing.TB
	text *strings.Builder
}

func (l logged) Logf(f string, a ...any) { fmt.Fprintf(l.text, f+"\n", a...) }

// pupil fails once, and is brought up again.
var pupilType = actor.NewType[int]("pupil")

func init() { pupilType.OnStart(func(*int, *actor.Context) error { return nil }).Table() }

// TestInternals: "Internals prints the events of the runtime's own actors too, such as
// supervisors". Without it a trace has the events of the program only.
func TestInternals(t *testing.T) {
	trace := func(opts ...actortest.Option) string {
		l := logged{t, new(strings.Builder)}
		actortest.RunFails(l, "look", func(r *actortest.R) {
			supervise.Start(r.System(), supervise.Spec{Name: "top", Children: []supervise.Child{
				supervise.Worker[int]{Name: "one", Type: pupilType}}})
			r.Quiet()
			r.Errorf("look")
		}, opts...)
		return l.text.String()
	}
	plain, all := trace(), trace(actortest.WithInternals())
	if strings.Contains(plain, "supervisor#1.") ||
		!strings.Contains(plain, "pupil#2.OnStart under supervisor#1\n") ||
		!strings.Contains(plain, "which WithInternals shows") {
		t.Errorf("by default:\n%s", plain)
	}
	if !strings.Contains(all, "supervisor#1.OnStart\n") ||
		strings.Contains(all, "which WithInternals shows") {
		t.Errorf("with Internals:\n%s", all)
	}
}
