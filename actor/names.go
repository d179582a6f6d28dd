package actor

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/invariant"
)

// A name serves to find an actor, and not to send to it: a name is looked up once and gives a Ref.
// So no send uses the registry. It is a sync.Map: a look-up takes no lock, and if two callers take
// the same name, exactly one gets it.
//
// A name belongs to one actor. The spawner gives it before any other code knows the actor, or the
// actor takes it itself. So only the owner of the cell uses its list of names, and an actor that
// ends gives back its own names and no others. The order at the end is: names, timers, mailbox, and
// then dead letters, answers and all other news. So code that has learned of the actor's end finds
// its names free.

var (
	// ErrNameTaken says that another actor has the name. It is returned by SpawnNamed and
	// Register.
	ErrNameTaken = errors.New("gallop: name taken")
	// ErrNoName says that no actor has the name. It is returned by Lookup.
	ErrNoName = errors.New("gallop: no actor of that name")
	// ErrOtherType says that the actor of that name has another state type. It is returned
	// by Lookup.
	ErrOtherType = errors.New("gallop: actor is of another type")
)

// names is the registry of a system. While a name is taken and its actor is not yet spawned, its
// entry in m is a nil *cell. The map of has the first name of each actor that has names, for
// reports, which any goroutine makes. The owner of the actor writes it.
type names struct {
	m  sync.Map // string → *cell
	of sync.Map // *cell → string
}

// take gives a name to a, or reserves it if a is nil.
func (n *names) take(name string, a *cell) error {
	if _, taken := n.m.LoadOrStore(name, a); taken {
		return fmt.Errorf("%w: %q", ErrNameTaken, name)
	}
	return nil
}

// nameList is the part with the names of an actor. Owner only.
type nameList struct{ indexset.Keys[string] }

// ends implements [part]. The names are given back before the mailbox is closed, so that code that
// learns of the end, by a dead letter, by ErrStopped or by a message, finds them free.
func (l *nameList) ends(a *cell, _ env, at ending, _ error) {
	if at == atClose {
		l.release(a)
	}
}

// release gives all names back.
func (l *nameList) release(a *cell) {
	if invariant.On {
		verifyNameList(l, a)
	}
	for _, name := range l.All() {
		a.sys().names.m.CompareAndDelete(name, a)
	}
	if l.Len() > 0 {
		a.cold.lastName = l.All()[0]
		a.sys().names.of.Delete(a)
		l.Keys = indexset.Keys[string]{}
	}
}

// renamed is called when another name has become the first. Owner only.
func (l *nameList) renamed(a *cell) {
	a.cold.logger = nil
	if l.Len() == 0 {
		a.sys().names.of.Delete(a)
		return
	}
	a.sys().names.of.Store(a, l.All()[0])
}

// namesOf returns the names of an actor. The first call makes the part. Owner only.
func namesOf(x *coldState) *nameList {
	return partOf[nameList](x, namesPart)
}

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
	if err := infoOf(t).reserve(from, name); err != nil {
		return Ref[S]{}, err
	}
	a := newCell(t, from)
	*stateOf[S](a) = state
	if err := launchNamed(a, from, name); err != nil {
		return Ref[S]{}, err
	}
	return Ref[S]{a}, nil
}

// reserve takes a name for an actor of type t that is to be spawned.
func (t *typeInfo) reserve(from Sender, name string) error {
	if name == "" {
		panic("gallop: SpawnNamed: an empty name")
	}
	e := envOf(from)
	t.made("Spawn").seal() // or panics, before it takes the name
	if err := e.mayAct(); err != nil {
		return err // even if the name is taken
	}
	return e.system().names.take(name, nil)
}

// launchNamed gives a new actor the name that is reserved for it, makes it known by that name, and
// starts it if necessary. If the system does not spawn any more, it gives the name back. The caller
// owns the actor until the launch. The list of names is made before the launch, because after it
// the actor may run, register other names, or have given its names back.
func launchNamed(a *cell, from Sender, name string) error {
	err := tryLaunchNamed(a, from, name)
	if err != nil {
		a.sys().names.m.CompareAndDelete(name, (*cell)(nil))
	}
	return err
}

func tryLaunchNamed(a *cell, from Sender, name string) error {
	if a.system.Closed() {
		return ErrSystemStopped
	}
	x, names := a.makeCold(), &a.sys().names
	namesOf(x).Add(name)
	names.of.Store(a, name)
	publish := func() { names.m.Store(name, a) }
	if a.typ().onStart == nil {
		publish()
		return nil
	}
	x.unstarted, x.down = true, true
	e := envOf(from)
	err := e.pushFirst(a, newSignal(e, started{}), publish)
	if err != nil {
		names.of.Delete(a)
		a.sys().unspawn()
	}
	return err
}

// Register implements [Context.Register].
func (c *kernelTurn) Register(name string) error {
	if name == "" {
		panic("gallop: Register: an empty name")
	}
	mustRun(c, "Register")
	if c.self.takesNoMail() {
		return ErrStopped
	}
	l := namesOf(c.self.makeCold())
	if l.Position(name) >= 0 {
		return nil
	}
	if err := c.sys.names.take(name, c.self); err != nil {
		return err
	}
	if l.Add(name); l.Len() == 1 {
		l.renamed(c.self)
	}
	return nil
}

// Unregister implements [Context.Unregister].
func (c *kernelTurn) Unregister(name string) bool {
	mustRun(c, "Unregister")
	x := c.self.cold
	if x == nil {
		return false
	}
	l := namesOf(x)
	i := l.Position(name)
	if i < 0 {
		return false
	}
	c.sys.names.m.CompareAndDelete(name, c.self)
	if l.RemoveAt(i); i == 0 {
		l.renamed(c.self)
	}
	return true
}

// Lookup finds the actor of that name, whose state must be an S. The error is ErrNoName
// or ErrOtherType. Another actor may have the name a moment later.
//
// Lookup takes no lock; still, look a name up once and keep the ref.
//
// In a system that has stopped, an actor that had mail when it stopped has ended and is
// not found (ErrNoName); an actor without mail is still found.
func Lookup[S any](from Sender, name string) (Ref[S], error) {
	sys := envOf(from).system()
	v, _ := sys.names.m.Load(name)
	a, _ := v.(*cell)
	if a == nil {
		return Ref[S]{}, fmt.Errorf("%w: %q", ErrNoName, name)
	}
	if _, ok := a.typ().state.(*S); !ok {
		return Ref[S]{}, fmt.Errorf("%w: %q is a %s", ErrOtherType, name, a.typ().name)
	}
	return Ref[S]{a}, nil
}

// verifyNameList checks the names of an actor.
func verifyNameList(l *nameList, a *cell) {
	for i, name := range l.All() {
		invariant.Check(l.Position(name) == i, "%v has the name %q twice, or does not find it", a, name)
		v, _ := a.sys().names.m.Load(name)
		invariant.Check(v == a, "%v has the name %q, which leads to another", a, name)
	}
}
