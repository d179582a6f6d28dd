package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// keeping has two fields, of which one is kept.
type keeping struct{ kept, lost int }

var (
	keepingType = actor.NewType[keeping]("keeping", actor.WithKeep(func(k *keeping) {
		if k.kept == 666 {
			panic("no")
		}
		*k = keeping{kept: k.kept}
	}))
	keepingAdd = actor.Declare[int](keepingType, "add")
	keepingNow = actor.DeclareAsk[struct{}, keeping](keepingType, "now")
	_          = keepingType.Table(
		keepingAdd.Handle(func(k *keeping, _ *actor.Context, n int) {
			if n < 0 {
				panic(n)
			}
			k.kept += n
			k.lost += n
		}),
		keepingNow.Handle(func(k *keeping, _ *actor.Context, _ struct{}) (keeping, error) {
			return *k,
				nil
		}))
)

// TestTypeKeep: "It is given the state, and clears the parts that shall not survive. The init of
// the next life is given the result." "An actor that was ended by order is replaced by a new one,
// for which nothing is kept." "If keep panics, that is logged, and nothing is kept."
func TestTypeKeep(t *testing.T) {
	sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	var found []int
	var child actor.Ref[keeping]
	superType := actor.NewType[struct{}]("super")
	begin := actor.Declare[struct{}](superType, "begin")
	fell := actor.Declare[actor.ChildDown](superType, "fell")
	spawn := func(c *actor.Context) {
		child = actor.SpawnSupervised(c, keepingType, func(k *keeping) {
			found = append(found, k.kept, k.lost)
		}, fell)
	}
	superType.Table(
		begin.Handle(func(_ *struct{}, c *actor.Context, _ struct{}) { spawn(c) }),
		fell.Handle(func(_ *struct{}, c *actor.Context, f actor.ChildDown) {
			if f.Final {
				spawn(c)
			} else {
				actor.Restart(c, f.Ref)
			}
		}))
	quiet := func() {
		t.Helper()
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	begin.Send(sys, superType.Spawn(sys, struct{}{}), struct{}{})
	quiet()
	for _, n := range []int{3, -1, 4} {
		keepingAdd.Send(sys, child, n)
	}
	if now, err := keepingNow.Ask(t.Context(), child, struct{}{}); err != nil ||
		now != (keeping{7, 4}) {
		t.Errorf("after a fall: %+v, %v", now, err)
	}
	actor.Restart(sys, child)
	quiet()
	keepingAdd.Send(sys, child, 666-7)
	keepingAdd.Send(sys, child, -1)
	quiet()
	actor.Kill(sys, child)
	quiet()
	if !slices.Equal(found, []int{0, 0, 3, 0, 7, 0, 0, 0, 0, 0}) {
		t.Errorf("init found %v", found)
	}
}

// TestTypeKeep_Misuse: "WithKeep panics if keep is nil; NewType panics if its state is not an S."
func TestTypeKeep_Misuse(t *testing.T) {
	for _, f := range []func(){
		func() { actor.WithKeep[int](nil) },
		func() { actor.NewType[string]("other", actor.WithKeep(func(*int) {})) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); len(s) < 8 || s[:8] != "gallop: " {
					t.Errorf("panic %q", s)
				}
			}()
			f()
		}()
	}
}

// TestRefuse: a message becomes a dead letter with that reason, is counted, and is not sent. Refuse
// returns false, and does nothing, if the handler was not made by Behaviour.To.
func TestRefuse(t *testing.T) {
	var dead []actor.DeadLetter
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			dead = append(dead, d)
		}}))
	r := keepingType.Spawn(sys, keeping{})
	h := keepingAdd.To(r)
	if !actor.Refuse(sys, h, 5, actor.ErrOverloaded) ||
		actor.Refuse(sys, actor.Handler[int](otherHandler{}), 6, actor.ErrOverloaded) {
		t.Error("Refuse takes one handler for the other")
	}
	if len(dead) != 1 || dead[0].ActorID != r.ID() || dead[0].Behaviour != "add" ||
		dead[0].Message != 5 || !errors.Is(dead[0].Reason, actor.ErrOverloaded) {
		t.Errorf("dead letters %+v", dead)
	}
	if now, err := keepingNow.Ask(t.Context(), r, struct{}{}); err != nil || now.kept != 0 ||
		sys.Stats().DeadLetters != 1 {
		t.Errorf("%+v, %v, %d dead letters", now, err, sys.Stats().DeadLetters)
	}
	if target, ok := h.(actor.Target); !ok || actor.StatusOf(target) != actor.StatusIdle {
		t.Error("the actor behind a handler cannot be watched")
	} else if err := actor.StopWait(t.Context(), target); err != nil ||
		actor.StatusOf(r.Any()) != actor.StatusEnded {
		t.Errorf("it was stopped: %v", err)
	}
}

type otherHandler struct{}

func (otherHandler) Send(actor.Sender, int)          {}
func (otherHandler) TrySend(actor.Sender, int) error { return nil }

// TestIsOf: a behaviour knows its type, among several with the same state.
func TestIsOf(t *testing.T) {
	other := actor.NewType[keeping]("other")
	if !actor.IsOf(keepingAdd, keepingType) || actor.IsOf(keepingAdd, other) ||
		actor.IsOf(keepingAdd, nil) ||
		!actor.AskIsOf(keepingNow, keepingType) || actor.AskIsOf(keepingNow, other) ||
		actor.IsOf(actor.Behaviour[keeping, int]{}, keepingType) {
		t.Error("a behaviour does not know its type")
	}
}

// TestSameAsker: two Askers are the same if they "lead to the same behaviour of the same actor".
func TestSameAsker(t *testing.T) {
	sys := start(t)
	a, b := keepingType.Spawn(sys, keeping{}), keepingType.Spawn(sys, keeping{})
	one, again, two := keepingNow.To(a), keepingNow.To(a), keepingNow.To(b)
	fake := actor.Asker[struct{}, keeping](fakeKeeping{})
	if !actor.SameAsker(one, again) || actor.SameAsker(one, two) || actor.SameAsker(one, fake) ||
		!actor.SameAsker(fake, fake) {
		t.Error("callers are mixed up")
	}
	if r, ok := actor.AskedActor(two); !ok || r != b.Any() {
		t.Errorf("behind it is %v", r)
	}
	if r, ok := actor.AskedActor(fake); ok || !r.IsZero() {
		t.Errorf("behind a double is %v", r)
	}
}

type fakeKeeping struct{}

func (fakeKeeping) Ask(context.Context, struct{}) (keeping,
	error) {
	return keeping{}, nil
}
func (fakeKeeping) AskTo(*actor.Context, struct{}, actor.Handler[actor.Result[keeping]]) {}
