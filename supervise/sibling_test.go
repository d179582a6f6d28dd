package supervise_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// siblingProbe is a child that does something in its OnStart.
type siblingProbe struct {
	onStart func(*actor.Context) error
}

var (
	kinType = actor.NewType[siblingProbe]("kin").OnStart(func(k *siblingProbe,
		c *actor.Context) error {
		return k.onStart(c)
	})
	kinDo = actor.Declare[func(*actor.Context)](kinType, "do")
	_     = kinType.Table(kinDo.Handle(func(_ *siblingProbe, c *actor.Context,
		f func(*actor.Context)) {
		f(c)
	}))
)

func siblingWorker(name string, onStart func(*actor.Context) error) supervise.Worker[siblingProbe] {
	return supervise.Worker[siblingProbe]{Name: name, Type: kinType,
		Init: func(k *siblingProbe) { k.onStart = onStart }}
}

// TestSibling: "in OnStart", a child finds older siblings, siblings of the supervisors above, "and
// so on up to the root", and children below named supervisors.
func TestSibling(t *testing.T) {
	for seed := range uint64(20) {
		h := newHarness(t, actor.WithDeterministic(seed+1))
		found := map[string]actor.Ref[testChild]{}
		look := func(c *actor.Context) (err error) {
			for name, path := range map[string][]string{"b": {"b"}, "a": {"a"},
				"disk": {"storage", "disk"}} {
				r, e := supervise.Sibling[testChild](c, path[0], path[1:]...)
				found[name], err = r, errors.Join(err, e)
			}
			for _, path := range [][]string{{"late"}, {"nobody"}, {"a", "x"}, {"storage", "x"}} {
				if _, e := supervise.Sibling[testChild](c, path[0], path[1:]...); !errors.Is(e,
					supervise.ErrNoChild) {
					err = errors.Join(err, fmt.Errorf("%v: %v", path, e))
				}
			}
			if _, e := supervise.Sibling[testChild](c, "storage"); !errors.Is(e,
				actor.ErrOtherType) {
				err = errors.Join(err, e)
			}
			return err
		}
		root, err := supervise.StartWait(h.soon(), h.sys,
			supervise.Spec{Name: "app", Children: []supervise.Child{
				h.child("a"),
				supervise.Spec{Name: "storage", Children: h.workers("disk")},
				supervise.Spec{Name: "sub",
					Children: []supervise.Child{h.child("b"), siblingWorker("k", look),
						h.child("late")}},
			}})
		h.must(err)
		h.root = root
		equal(t, "a", found["a"], h.find("a"))
		equal(t, "b", found["b"], h.find("sub", "b"))
		equal(t, "disk", found["disk"], h.find("storage", "disk"))
		h.sys.Stop()
	}
}

// TestSibling_NewActor: "with RestForOne the younger siblings are restarted after the older one
// and find the new ref in their OnStart; with OneForOne call Sibling again".
func TestSibling_NewActor(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.RestForOne} {
		h := newHarness(t)
		var saw, now actor.Ref[testChild]
		k := siblingWorker("k",
			func(c *actor.Context) (err error) {
				saw, err = supervise.Sibling[testChild](c, "a")
				return err
			})
		h.run(supervise.Spec{Name: "app", Strategy: s,
			Children: []supervise.Child{h.child("a"), k}})
		before := h.find("a")
		equal(t, "ref", saw, before)
		h.must(actor.KillWait(h.soon(), before))
		h.quiet()
		ref, err := supervise.Find[siblingProbe](h.soon(), h.root, "k")
		h.must(err)
		kinDo.Send(h.sys, ref,
			func(c *actor.Context) { now, _ = supervise.Sibling[testChild](c, "a") })
		h.quiet()
		equal(t, "now", now, h.find("a"))
		equal(t, "is new in OnStart", saw == now, s == supervise.RestForOne)
	}
}

// TestSibling_OfUnsupervised: "if the running actor is not the child of a supervisor, as in a unit
// test".
func TestSibling_OfUnsupervised(t *testing.T) {
	h := newHarness(t)
	var err error
	kinType.SpawnFunc(h.sys, func(k *siblingProbe) {
		k.onStart = func(c *actor.Context) error {
			_, err = supervise.Sibling[testChild](c, "a")
			return nil
		}
	})
	h.quiet()
	wants(t, err, supervise.ErrNoChild)
}

// TestSibling_WhileTheyComeAndGo: looking up siblings is safe while the supervisor starts and
// removes others.
func TestSibling_WhileTheyComeAndGo(t *testing.T) {
	h := newHarness(t, actor.WithWorkers(4))
	h.run(supervise.Spec{Name: "app", Children: []supervise.Child{h.child("a"),
		siblingWorker("k", func(*actor.Context) error { return nil })}})
	k, err := supervise.Find[siblingProbe](h.soon(), h.root, "k")
	h.must(err)
	done := make(chan struct{})
	kinDo.Send(h.sys, k, func(c *actor.Context) {
		defer close(done)
		for i := range 20_000 {
			if _, err := supervise.Sibling[testChild](c, "a"); err != nil {
				t.Error(err)
			}
			_, _ = supervise.Sibling[testChild](c, fmt.Sprint("x", i%10))
		}
	})
	for i := range 500 {
		name := fmt.Sprint("x", i%10)
		_, err := supervise.StartChild.Ask(h.soonOnce(), h.root.Ref, h.child(name))
		h.must(err)
		h.must(did(supervise.RemoveChild, h.soonOnce(), h.root.Ref, name))
	}
	<-done
}
