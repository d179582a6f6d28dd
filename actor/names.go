package actor

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/kernel"
)

var (
	// ErrNameTaken says that another actor has the name. It is returned by SpawnNamed and
	// Register.
	ErrNameTaken = kernel.ErrNameTaken
	// ErrNoName says that no actor has the name. It is returned by Lookup.
	ErrNoName = errors.New("gallop: no actor of that name")
	// ErrOtherType says that the actor of that name has another state type. It is returned
	// by Lookup.
	ErrOtherType = errors.New("gallop: actor is of another type")
)

// SpawnNamed is [Type.Spawn] for an actor that others find by its name with [Lookup].
// It returns ErrNameTaken, and spawns no actor, if the name is taken: of several
// callers who take the same name at the same time, exactly one gets it. It returns
// ErrSystemStopped if the system does not spawn any more. It panics if the name is
// empty.
//
// The name is free again when the actor has ended or takes no mail any more ([Drain]),
// and that is before any code can learn of it: by ErrStopped, by a dead letter or by a
// message. A named actor stays in memory until then.
func (t *Type[S]) SpawnNamed(from Sender, name string, state S) (Ref[S], error) {
	e := envOf(from)
	if err := infoOf(t).Reserve(e, name); err != nil {
		return Ref[S]{}, err
	}
	a := newCell(t, from)
	*kernel.StateOf[S](a) = state
	if err := kernel.LaunchNamed(a, e, name); err != nil {
		return Ref[S]{}, err
	}
	return Ref[S](a.Ref()), nil
}

// Lookup finds the actor of that name, whose state must be an S. The error is ErrNoName
// or ErrOtherType. Another actor may have the name a moment later.
//
// Lookup takes no lock; still, look a name up once and keep the ref.
//
// In a system that has stopped, an actor that had mail when it stopped has ended and is
// not found (ErrNoName); an actor without mail is still found.
func Lookup[S any](from Sender, name string) (Ref[S], error) {
	sys := envOf(from).InSystem()
	v, _ := sys.Names.M.Load(name)
	a, _ := v.(*kernel.Cell)
	if a == nil {
		return Ref[S]{}, fmt.Errorf("%w: %q", ErrNoName, name)
	}
	if _, ok := a.Typ().State.(*S); !ok {
		return Ref[S]{}, fmt.Errorf("%w: %q is a %s", ErrOtherType, name, a.Typ().Name)
	}
	return Ref[S](a.Ref()), nil
}
