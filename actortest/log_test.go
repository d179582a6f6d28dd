package actortest_test

import (
	"bytes"
	"errors"
	"log"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// faller fails as soon as it is told to.
type faller struct{}

var (
	fallerType = actor.NewType[faller]("faller")
	fall       = actor.Declare[error](fallerType, "fall")
	_          = fallerType.Table(fall.Handle(func(_ *faller, c *actor.Context, why error) {
		c.Logger().Info("it falls", "n", 7, "stack", "one\ntwo\n")
		panic(why)
	})).OnStart(func(_ *faller, c *actor.Context) error {
		fall.Send(c, actor.Self[faller](c), errors.New("enough"))
		return nil
	})
)

// falls is a scenario in which an actor falls, and which fails itself if it is told to.
func falls(fails bool) func(r *actortest.R) {
	return func(r *actortest.R) {
		fallerType.Spawn(r.System(), faller{})
		r.Quiet()
		if fails {
			r.Errorf("look")
		}
	}
}

// TestLog: the log of a run is printed with a run that has failed, once, with stacks and virtual
// time, and in no other case. A logger of the scenario's own gets all of it.
func TestLog(t *testing.T) {
	var text bytes.Buffer
	defer log.SetOutput(os.Stderr)
	log.SetOutput(&text)
	d := &double{TB: t}
	actortest.Run(d, falls(false), actortest.WithRuns(5), actortest.AllowPanics())
	said := fails(t, "look", falls(true), actortest.WithRuns(5), actortest.AllowPanics())
	if text.Len() > 0 || strings.Contains(d.text.String(), "it falls") {
		t.Errorf("logged:\n%s\nand said:\n%s", text.String(), d.text.String())
	}
	for _, want := range []string{"\n0s level=INFO msg=\"it falls\" actor=", " n=7\n\tone\n\ttwo\n"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("want %q once in\n%s", want, said)
		}
	}
	own := slog.New(slog.NewTextHandler(&text, nil))
	said = fails(t, "look", falls(true), actortest.WithRuns(5), actortest.AllowPanics(),
		actortest.WithSystem(actor.WithLogger(own)))
	if strings.Contains(said, "it falls") || !strings.Contains(text.String(), "it falls") {
		t.Errorf("with a logger: logged\n%s\nand said\n%s", text.String(), said)
	}
}
