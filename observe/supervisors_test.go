package observe

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// planter starts a tree under itself.
type planter struct{}

var (
	planterType = actor.NewType[planter]("planter")
	plant       = actor.Declare[supervise.Spec](planterType, "plant")
	_           = planterType.Table(plant.Handle(func(_ *planter, c *actor.Context, s supervise.Spec) {
		supervise.StartUnder(c, s)
	}))
)

// TestSupervisors: the trees that were started are shown, each in its system, with those under an
// ordinary actor, and none that has ended.
func TestSupervisors(t *testing.T) {
	sys, other := actor.Start(), actor.Start()
	defer sys.Stop()
	defer other.Stop()
	spec := func(name string) supervise.Spec {
		return supervise.Spec{Name: name, Children: []supervise.Child{
			supervise.Worker[player]{Name: "w", Type: playerType}}}
	}
	a, err := supervise.StartWait(t.Context(), sys, spec("a"))
	if err != nil {
		t.Fatal(err)
	}
	supervise.Start(other, spec("elsewhere"))
	b := supervise.Start(sys, spec("b"))
	parent := planterType.Spawn(sys, planter{})
	plant.Send(sys, parent, spec("c"))
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := func(when, want string) {
		t.Helper()
		all, err := supervisors(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		var names []string // workers take numbers by the thousand
		for _, n := range all {
			names = append(names, n.Name+"/"+n.Children[0].Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	names("trees", "a/w b/w c/w")
	if err := actor.StopWait(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	names("trees that are left", "a/w c/w")
	runtime.KeepAlive([]any{a, parent}) // nothing else refers to them
	if err := actor.StopWait(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}
